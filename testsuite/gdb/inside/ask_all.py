# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: asks an OMPD library everything that the OMPD API has a question for, at one stop.

Task: "libraries" (paths by name), "answers" (a file for each of those names). A line of such a file is
a JSON list: a question and its answer, `{"value": ...}` or `{"rc": code, "reason": text}`. The question is written
before it is asked, as a line of its own, so that it is known at which one a library has crashed.
"""

import json
import os
import re
import sys
from typing import Any, Callable, Dict, List, TextIO

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
import ompd_services  # noqa: E402

# Regions and tasks further out than this are not asked for.
DEPTH = 12
_NAMED_VARIABLE = re.compile(r"\[?(?:host|all|device)?\]? *(\w+) *[=:] *(.*)", re.S)


class Interview:
    """One library at one stop."""

    def __init__(self, space: Any, file: TextIO) -> None:
        import _ompd

        self.ompd = _ompd
        self.space = space
        self.file = file
        self.states: Dict[int, str] = {}
        self.icvs: List[Any] = []
        self.regions: Dict[str, Any] = {}  # by the question at which they were met first
        self.tasks: Dict[str, Any] = {}

    def note(self, question: str, *said: Dict[str, Any]) -> None:
        """A line of the file."""
        self.file.write(json.dumps([question, *said]) + "\n")

    def ask(self, question: str, answer: Callable[[], Any]) -> Any:
        """Asks and notes; what was answered, None if nothing."""
        self.note(question)
        self.file.flush()
        try:
            value = answer()
        except self.ompd.Error as error:
            self.note(question, {"rc": error.code, "reason": error.reason})
            return None
        simple = isinstance(value, (int, str, tuple))
        self.note(question, {"value": value if simple else "a handle"})
        return value

    def all(self) -> None:
        """Everything."""
        space = self.space
        self.states = self.ask("states", space.states) or {}
        for state, name in self.states.items():
            self.note("state {:#x}".format(state), {"value": name})
        self.ask("omp version", lambda: space.omp_version)
        self.ask("omp version string", lambda: space.omp_version_string)
        for line in self.ask("display control variables", space.display_control_vars) or ():
            named = _NAMED_VARIABLE.fullmatch(line)
            if named is None:
                raise gdb.GdbError("a display control variable without a name: " + repr(line))
            self.note("variable " + named.group(1), {"value": named.group(2)})
        self.icvs = space.icvs()
        for icv in self.icvs:
            self.note("scope of " + icv.name, {"value": icv.scope})
        self.ask_icvs("address space", space)
        for thread in common.threads():
            self.ask_thread(thread.ptid[1])

    def ask_icvs(self, name: str, handle: Any) -> None:
        """Every ICV at a handle, whatever its scope is."""
        for icv in self.icvs:
            about = "{}: {}".format(name, icv.name)
            self.ask(about, lambda icv=icv: handle.icv(icv.id))  # type: ignore[misc]
            self.ask(
                about + " as string",
                lambda icv=icv: handle.icv_string(icv.id),  # type: ignore[misc]
            )

    def ask_thread(self, lwp: int) -> None:
        """A thread of GDB, and its regions and tasks."""
        name = "thread {}".format(lwp)
        thread = self.ask(name, lambda: self.space.thread(self.ompd.THREAD_ID_LWP, lwp))
        if thread is None:
            return
        self.ask(name + ": id, lwp", lambda: thread.thread_id(self.ompd.THREAD_ID_LWP))
        self.ask(name + ": id, pthread", lambda: thread.thread_id(self.ompd.THREAD_ID_PTHREAD))
        state = self.ask(name + ": state", lambda: self.state_of(thread))
        if state is not None:
            self.ask(name + ": wait id", lambda: thread.state()[1])
        self.ask(name + ": tool data", thread.tool_data)
        self.ask_icvs(name, thread)
        self.ask_regions(name, thread.parallel)
        self.ask_tasks(name, thread.task)

    def state_of(self, thread: Any) -> str:
        """Its name, or the number of one that was not enumerated."""
        state = thread.state()[0]
        return self.states.get(state) or "{:#x}, which has no name".format(state)

    def meet(self, question: str, handle: Any, known: Dict[str, Any]) -> bool:
        """Notes where it was met first; whether that is here."""
        first = self.recognize(question, handle, known, question)
        known.setdefault(first, handle)
        return first == question

    def recognize(
        self, question: str, handle: Any, known: Dict[str, Any], otherwise: str = "nowhere yet"
    ) -> str:
        """Notes where it was met first."""
        first = next((name for name, other in known.items() if other == handle), otherwise)
        self.note(question + ": was met at", {"value": first})
        return first

    def ask_regions(self, name: str, first: Callable[[], Any]) -> None:
        """Regions from inside out, with the threads and implicit tasks of each."""
        name += ": region"
        region = self.ask(name, first)
        for _ in range(DEPTH):
            if region is None or not self.meet(name, region, self.regions):
                return
            self.ask(name + ": tool data", region.tool_data)
            self.ask_icvs(name, region)
            size = self.size_of(region)
            for number in range(size):
                self.ask_member(name, region, number)
            self.ask(name + " thread of too high a number", lambda: region.thread(size))
            self.ask(name + " task of too high a number", lambda: region.implicit_task(size))
            name += ", enclosing"
            region = self.ask(name, region.enclosing)

    def size_of(self, region: Any) -> int:
        """How many threads it has."""
        ids = {icv.name: icv.id for icv in self.icvs}
        size: int = region.icv(ids["team-size-var"])
        return size

    def ask_member(self, name: str, region: Any, number: int) -> None:
        """One number of a team."""
        name += ", member {}".format(number)
        member = self.ask(name, lambda: region.thread(number))
        if member is not None:
            self.ask(name + ": pthread", lambda: member.thread_id(self.ompd.THREAD_ID_PTHREAD))
            self.ask(name + ": is here", lambda: int(member.parallel() == region))
        name += ", task"
        task = self.ask(name, lambda: region.implicit_task(number))
        if task is None:
            return
        if self.meet(name, task, self.tasks):
            self.ask_task(name, task)
        self.ask(name + ": is of its region", lambda: int(task.parallel() == region))
        if member is not None:
            self.ask(name + ": is run by its thread", lambda: int(member.task() == task))

    def ask_tasks(self, name: str, first: Callable[[], Any]) -> None:
        """A task, and those from which it comes."""
        name += ": task"
        task = self.ask(name, first)
        for _ in range(DEPTH):
            if task is None or not self.meet(name, task, self.tasks):
                return
            self.ask_task(name, task)
            name += ", generating"
            task = self.ask(name, task.generating)

    def ask_task(self, name: str, task: Any) -> None:
        """One task."""
        self.ask(name + ": function", task.function)
        frames = self.ask(name + ": frames", lambda: tuple(f[0] for f in task.frame()))
        if frames is not None:
            self.ask(name + ": frame flags", lambda: tuple(f[1] for f in task.frame()))
        self.ask(name + ": tool data", task.tool_data)
        self.ask_icvs(name, task)
        region = self.ask(name + ", region", task.parallel)
        if region is not None:
            self.recognize(name + ", region", region, self.regions)
        scheduling = self.ask(name + ", scheduling", task.scheduling)
        if scheduling is not None:
            self.recognize(name + ", scheduling", scheduling, self.tasks)


def interview(path: str, file: TextIO) -> Dict[str, Any]:
    """Asks one library."""
    import _ompd

    library = _ompd.Library(path)
    space = library.open(ompd_services.Services())
    Interview(space, file).all()
    space.close()
    return {"api": library.api_version, "version": library.version_string}


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    common.run_until_ready()
    said = {}
    for name, path in task["libraries"].items():
        with open(task["answers"][name], "w", encoding="utf-8") as file:
            said[name] = interview(path, file)
    common.answer(said)


if __name__ == "__main__":
    main()
