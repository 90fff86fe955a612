# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands say at the stop of each case: every GDB is started once, for all tests of its
case, and a few at a time in the background."""

import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, Iterable, List, Set

from harness import agreement, cases, processes, setup
from harness.cases import Case

import build  # from fixtures/

Snapshot = Dict[str, Any]


class Snapshots:
    """All of them. To be closed."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=setup.WORKERS)
        self._found: Dict[Case, "Future[Dict[str, Snapshot]]"] = {}
        self._to_leave_cores: Set[Case] = set()

    def close(self) -> None:
        """Forgets what was not begun, waits for the rest."""
        for future in self._found.values():
            future.cancel()
        self._pool.shutdown(wait=True)

    def order(self, wanted: Iterable[Case]) -> None:
        """Begins to work on these, in their order."""
        chosen = list(wanted)
        self._to_leave_cores.update(_made_by(case) for case in chosen if case.mode == cases.GCORE)
        for case in chosen:
            self._future(case)

    def get(self, case: Case) -> Snapshot:
        """The snapshot of a case. Raises what went wrong."""
        found = self._future(case).result()
        return found[case.mode]

    def _future(self, case: Case) -> "Future[Dict[str, Snapshot]]":
        run = _made_by(case)
        if run not in self._found:
            self._found[run] = self._pool.submit(self._make, run)
        return self._found[run]

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


_MAKERS = {
    cases.LIVE: _live,
    cases.ATTACHED: _attached,
    cases.KERNEL: _kernel,
    cases.ASKED: _asked,
}
