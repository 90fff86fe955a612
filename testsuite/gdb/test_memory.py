# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of a process is released with it, and not when Python looks for garbage."""

from harness import processes, setup

LEFT = """python print(sum(type(one).__name__ in ("GdbServices", "Files") for one in gc.get_objects()))"""


def test_runs() -> None:
    """Of three runs the last one is known: GDB as its debugger, and its files."""
    again = ["run", "omp bt -all"]
    commands = ["python import gc; gc.collect(); gc.disable()", "break fixture_ready", *again]
    commands += [LEFT, *again, LEFT, *again, LEFT, "kill", LEFT]
    program = setup.program("hung", "O2")
    said = processes.run_gdb("session.py", {"commands": commands}, [str(program)], {}).result
    left = [one["text"] for one in said if one["text"].strip().isdigit()]
    assert [int(one) for one in left] == [2, 2, 2, 0]
