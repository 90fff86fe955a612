# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands say at the stop of each case: GDB, or the command line, is asked once, for all
tests of the case. One GDB runs a program for all of its cases."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple, Union

from harness import agreement, cases, processes, setup
from harness.cases import Case

import build  # from fixtures/

Snapshot = Dict[str, Any]


class Snapshots:
    """All of them."""

    def __init__(self) -> None:
        self._found: Dict[Case, Union[Snapshot, Exception]] = {}
        self._wanted: List[Case] = []

    def announce(self, wanted: Iterable[Case]) -> None:
        """Tells which will be asked for."""
        self._wanted += dict.fromkeys(wanted)

    def get(self, case: Case) -> Snapshot:
        """The snapshot of a case. Raises what went wrong, for each of its tests."""
        if case not in self._found:
            made = self._together(case) if case.mode in _OF_RUNS else [case]
            try:
                self._found.update(
                    _states(made) if case.mode in _OF_RUNS else {case: _MAKERS[case.mode](case)}
                )
            except Exception as failure:
                self._found.update(dict.fromkeys(made, failure))
        found = self._found[case]
        if isinstance(found, Exception):
            raise found
        return found

    def _together(self, case: Case) -> List[Case]:
        """The cases of its program that one GDB makes."""
        return [
            one
            for one in dict.fromkeys([case, *self._wanted])
            if one.mode in _OF_RUNS
            and (one.program, one.variant) == (case.program, case.variant)
            and one not in self._found
        ]


# GDB runs the program, and writes a core file there.
_OF_RUNS = (cases.LIVE, cases.GCORE)


def _run(spec: Dict[str, Any], arguments: List[str], times: int = 1) -> Any:
    seconds = times * processes.GDB_SECONDS
    return processes.run_gdb("snapshot.py", spec, arguments, seconds=seconds).result


def _states(wanted: Sequence[Case]) -> Dict[Case, Union[Snapshot, Exception]]:
    """Cases of one program, live ones and their core files, in one GDB."""
    program = setup.program(wanted[0].program, wanted[0].variant)
    cores = {case.arguments for case in wanted if case.mode == cases.GCORE}
    states = list(dict.fromkeys(case.arguments for case in wanted))
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        spec = [
            {
                "arguments": arguments,
                "gcore": str(Path(scratch) / str(number)) if arguments in cores else "",
            }
            for number, arguments in enumerate(states)
        ]
        answers = _run({"mode": "states", "states": spec}, [str(program)], len(states))
    found: Dict[Case, Union[Snapshot, Exception]] = {}
    for arguments, answer in zip(states, answers):
        for mode in (cases.LIVE, cases.GCORE) if arguments in cores else (cases.LIVE,):
            case = Case(wanted[0].program, arguments, wanted[0].variant, mode)
            failed = answer.get("failed")
            found[case] = processes.Failed(failed) if failed else answer[mode]
    return found


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


# The documents that one report has, which testsuite/cli compares with those of the commands: their
# members in it. Most of a run's time goes into knowing the runtime.
_REPORTED = {
    "threads": ("teams", "threads"),
    "regions": ("regions",),
    "why": ("findings",),
    "locks": ("locks",),
}
# The commands whose documents are compared with what a program's header says, besides.
_DOCUMENTS: Dict[str, Tuple[str, ...]] = {"tasks": ("tasks",), "stacks": ("bt",)}
# Those that say something else where there are explicit tasks only.
_OF_TASKS: Dict[str, Tuple[str, ...]] = {
    "queued": ("tasks", "--queued"),
    "counts": ("tasks", "--by-function"),
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


def reported(target: object) -> Snapshot:
    """What the command line reports of a process or a core file, as the documents of commands."""
    report = say_json("report", target)
    schema = {"schema": report["schema"]}
    found = {
        name: {**schema, **{member: report[member] for member in members}}
        for name, members in _REPORTED.items()
    }
    return {**found, "status": {**schema, **report["status"]}}


def of_command_line(case: Case, target: object) -> Snapshot:
    """What the command line says of a process or a core file: documents, no text."""
    commands = {**_DOCUMENTS, **(_OF_TASKS if case.state.tasks else {})}
    found = {name: say_json(*words, target) for name, words in commands.items()}
    return {**reported(target), **found}


def _process(case: Case) -> Snapshot:
    program = setup.program(case.program, case.variant)
    with processes.ready_program(program, case.arguments) as pid:
        return of_command_line(case, pid)


def _core(case: Case) -> Snapshot:
    program = setup.program(case.program, case.variant)
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        core = processes.kernel_core(program, case.arguments, Path(scratch))
        return of_command_line(case, core)


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
    cases.ATTACHED: _attached,
    cases.KERNEL: _kernel,
    cases.ASKED: _asked,
    cases.PROCESS: _process,
    cases.CORE: _core,
}
