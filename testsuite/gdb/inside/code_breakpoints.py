# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: asks for threads before GDB has breakpoints in all calls on the stacks, and while
it has; then with other code in place of the calls, and with the calls again. The answer: all
documents, and the bytes that are in memory before return addresses while GDB has breakpoints.
"""

import os
import sys
from typing import Any, Set

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402

_LONGEST_CALL = 7
_NOP = b"\x90"
_THREADS = "omp threads -json"


def _return_addresses() -> Set[int]:
    found = set()
    for thread in common.threads():
        thread.switch()
        frame = gdb.newest_frame().older()
        while frame is not None and frame.is_valid():
            found.add(frame.pc())
            frame = frame.older()
    return found


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    common.run_until_ready("fixture_ready")
    selected = gdb.selected_thread()
    before = common.say_json(_THREADS)
    addresses = _return_addresses()
    selected.switch()
    gdb.execute("set breakpoint always-inserted on")
    for address in addresses:
        for distance in range(1, _LONGEST_CALL + 1):
            gdb.execute("break *{:#x}".format(address - distance), to_string=True)
    gdb.execute("set var $rax = $rax")  # the program may have changed for it
    after = common.say_json(_THREADS)
    with open("/proc/{}/mem".format(gdb.selected_inferior().pid), "rb") as memory:
        found = [os.pread(memory.fileno(), 1, address - 1)[0] for address in addresses]
    gdb.execute("delete")
    gdb.execute("set breakpoint always-inserted off")
    inferior: Any = gdb.selected_inferior()  # ompdbg has no use for writing, its types have none
    calls = {
        at: bytes(inferior.read_memory(at - _LONGEST_CALL, _LONGEST_CALL)) for at in addresses
    }
    documents = []
    for code in ({at: _NOP * _LONGEST_CALL for at in calls}, calls):
        for at, piece in code.items():
            inferior.write_memory(at - _LONGEST_CALL, piece)
        documents.append(common.say_json(_THREADS))
    changed, again = documents
    common.answer(
        {"before": before, "after": after, "bytes": found, "changed": changed, "again": again}
    )
    gdb.execute("kill", to_string=True)


main()
