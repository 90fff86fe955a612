# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands say at the stop of each case: GDB, or the command line, is asked once, for all
tests of the case."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Set

from harness import agreement, cases, processes, setup
from harness.cases import Case

import build  # from fixtures/

Snapshot = Dict[str, Any]


class Snapshots:
    """All of them."""

    def __init__(self) -> None:
        self._found: Dict[Case, Dict[str, Snapshot]] = {}
        self._failed: Dict[Case, Exception] = {}
        self._to_leave_cores: Set[Case] = set()

    def announce(self, wanted: Iterable[Case]) -> None:
        """Tells which will be asked for."""
        self._to_leave_cores.update(_made_by(case) for case in wanted if case.mode == cases.GCORE)

    def get(self, case: Case) -> Snapshot:
        """The snapshot of a case. Raises what went wrong, for each of its tests."""
        run = _made_by(case)
        if run in self._failed:
            raise self._failed[run]
        if case.mode not in self._found.setdefault(run, {}):
            if case.mode == cases.GCORE:
                self._to_leave_cores.add(run)
            try:
                self._found[run].update(self._make(run))
            except Exception as failure:
                self._failed[run] = failure
                raise
        return self._found[run][case.mode]

    def _make(self, run: Case) -> Dict[str, Snapshot]:
        if run in self._to_leave_cores:
            return _live_and_core(run)
        return {run.mode: _MAKERS[run.mode](run)}


def _made_by(case: Case) -> Case:
    """One GDB runs the program and writes a core file, so these two are made together."""
    mode = cases.LIVE if case.mode == cases.GCORE else case.mode
    return Case(case.program, case.arguments, case.variant, mode)


def _run(spec: Dict[str, Any], arguments: List[str]) -> Snapshot:
    snapshot: Snapshot = processes.run_gdb("snapshot.py", spec, arguments).result
    return snapshot


def _live(case: Case, **more: str) -> Snapshot:
    spec = {"mode": "live", "oracle": True, "arguments": list(case.arguments), **more}
    return _run(spec, [str(setup.program(case.program, case.variant))])


def _live_and_core(case: Case) -> Dict[str, Snapshot]:
    program = str(setup.program(case.program, case.variant))
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        core = str(Path(scratch) / "core")
        live = _live(case, gcore=core)
        return {cases.LIVE: live, cases.GCORE: _run({"mode": "core"}, [program, core])}


def _attached(case: Case) -> Snapshot:
    program = setup.program(case.program, case.variant)
    with processes.ready_program(program, case.arguments) as pid:
        spec = {"mode": "attached", "oracle": True}
        return _run(spec, [str(program), "-p", str(pid)])


def _kernel(case: Case) -> Snapshot:
    program = setup.program(case.program, case.variant)
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        core = processes.kernel_core(program, case.arguments, Path(scratch))
        return _run({"mode": "core"}, [str(program), str(core)])


# The commands whose documents are compared with what a program's header says.
_DOCUMENTS = {
    "threads": ("threads",),
    "tasks": ("tasks",),
    "queued": ("tasks", "--queued"),
    "counts": ("tasks", "--by-function"),
    "stacks": ("bt",),
    "regions": ("regions",),
    "status": ("status",),
}


def say(*words: object) -> str:
    """What the command line prints."""
    done = subprocess.run(
        [str(setup.COMMAND_LINE), *map(str, words)],
        env=processes.environment(),
        capture_output=True,
        text=True,
        timeout=processes.GDB_SECONDS,
        check=False,
    )
    if done.returncode not in (0, 1) or done.stderr:
        raise processes.Failed("{}: {}{}".format(done.args, done.returncode, done.stderr))
    return done.stdout


def say_json(*words: object) -> Any:
    """What a command prints as JSON."""
    return json.loads(say(*words, "--json"))


def of_command_line(target: object) -> Snapshot:
    """What the command line says of a process or a core file: documents, no text."""
    return {name: say_json(*words, target) for name, words in _DOCUMENTS.items()}


def _process(case: Case) -> Snapshot:
    program = setup.program(case.program, case.variant)
    with processes.ready_program(program, case.arguments) as pid:
        return of_command_line(pid)


def _core(case: Case) -> Snapshot:
    program = setup.program(case.program, case.variant)
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        return of_command_line(processes.kernel_core(program, case.arguments, Path(scratch)))


def _asked(case: Case) -> Snapshot:
    """What both libraries answered. LLVM's may crash GDB; ours was asked before."""
    program = setup.program(case.program, case.variant)
    folder = build.runtime_folder(build.VARIANTS[case.variant])
    libraries = {"ours": setup.LIBRARY, "theirs": folder / "libompd.so"}
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        answers = {name: Path(scratch) / name for name in libraries}
        spec = {
            "arguments": list(case.arguments),
            "libraries": {name: str(path) for name, path in libraries.items()},
            "answers": {name: str(path) for name, path in answers.items()},
        }
        crash = ""
        try:
            processes.run_gdb("ask_all.py", spec, [str(program)], {"OMP_DEBUG": "enabled"})
        except processes.Failed as failure:
            if not answers["theirs"].exists():
                raise
            crash = str(failure)
        found: Snapshot = {name: agreement.read(path) for name, path in answers.items()}
        return {**found, "crash": crash}


_MAKERS: Dict[str, Callable[[Case], Snapshot]] = {
    cases.LIVE: _live,
    cases.ATTACHED: _attached,
    cases.KERNEL: _kernel,
    cases.ASKED: _asked,
    cases.PROCESS: _process,
    cases.CORE: _core,
}
