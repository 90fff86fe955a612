# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are not where one expects them: in a namespace, without their file or their runtime, or in
a pool when a signal comes."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import own_programs, processes, rest
from test_waits import PROGRAMS

FOUND = 1


def compiled(name: str, folder: Path, *flags: str) -> Path:
    """Compile one of the programs."""
    target = folder / Path(name).stem
    return own_programs.compiled(
        str(PROGRAMS / name), target, ("-O0", "-g", "-fopenmp", *flags), "gcc"
    )


def test_owners_in_a_namespace(ompdbg: Any, tmp_path: Path) -> None:
    """A mutex has the number that its owner's thread has where it runs."""
    program = compiled("misplaced.c", tmp_path)
    rights = ["--user", "--map-root-user"] if os.getuid() else []
    enter = ["unshare", *rights, "--pid", "--fork", "--kill-child"]
    tried = subprocess.run([*enter, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(tried.stderr.strip())
    parent = rest.Hanging([*enter, str(program), "mutex"], tmp_path)
    try:
        pid = rest.await_child(parent.pid, 2)
        text = ompdbg.run("why", pid).stdout
    finally:
        parent.end()
    assert text.startswith("Deadlock: 2 threads wait for one another\n"), text
    assert "mutex left, held by 1" in text and "mutex right, held by 2" in text, text


def test_program_without_a_file(tmp_path: Path) -> None:
    """GDB is told where the program still is, and that helps."""
    program = compiled("misplaced.c", tmp_path)
    with rest.hanging([str(program), "mutex"], 2, tmp_path) as process:
        program.unlink()
        remedy = f"file /proc/{process.pid}/exe"
        commands = [f"attach {process.pid}", "omp why", remedy, "omp why", "detach"]
        task = {"commands": commands, "kill": False}
        said = processes.run_gdb("session.py", task, [], clean=False).result
    assert f'use "{remedy}"' in said[1].get("error", "") + said[1].get("text", ""), said
    assert said[3]["text"].startswith("Deadlock: 2 threads"), said


def test_signal_in_a_pool(ompdbg: Any, tmp_path: Path) -> None:
    """A thread that was idle when a signal ended the program is not just idle."""
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    program = compiled("misplaced.c", tmp_path)
    core = processes.kernel_core(program, ("idle",), tmp_path, signal.SIGSEGV)
    task = {"commands": ["omp bt"], "kill": False}
    said = processes.run_gdb("session.py", task, [str(program), str(core)]).result
    assert "SIGSEGV here --" in said[0]["text"], said
    assert "SIGSEGV here --" in ompdbg.run("bt", core).stdout


@pytest.mark.parametrize("command", ("why", "report"))
def test_unloaded_runtime(ompdbg: Any, tmp_path: Path, command: str) -> None:
    """A crash is one also where no runtime is left."""
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    plugin = str(tmp_path / "plugin.so")
    shared = ["gcc", "-shared", "-fPIC", "-fopenmp", str(PROGRAMS / "plugin.c"), "-o", plugin]
    program = str(tmp_path / "unloads")
    for step in (shared, ["gcc", str(PROGRAMS / "unloads.c"), "-ldl", "-o", program]):
        subprocess.run(step, check=True)
    # Awake, a thread goes on in code that is not there any more.
    start = Path("/usr/bin/env")
    arguments = ("OMP_WAIT_POLICY=active", program, plugin)
    core = processes.kernel_core(start, arguments, tmp_path, signal.SIGSEGV)
    done = ompdbg.run(command, core)
    assert done.returncode == FOUND, done
    assert f"ompdbg {command}: SIGSEGV in LWP " in done.stderr
    assert "code that is in no file" in done.stderr and "no libgomp" in done.stderr
