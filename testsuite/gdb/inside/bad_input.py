# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: brings it into situations in which the commands have little or nothing to say,
and tells what they said. Task: "scenario", and what that needs."""

import os
import sys
from typing import Any, Callable, Dict, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402
import vandal  # noqa: E402

Said = List[Dict[str, Any]]

COMMANDS = (
    "omp status",
    "omp status -stats -json",
    "omp threads",
    "omp threads -json",
    "omp tasks",
    "omp tasks -json",
    "omp tasks -queued",
    "omp tasks -by-function",
    "omp bt",
    "omp bt -full",
    "omp bt -all -json",
    "omp bt -raw 3",
    "omp",
)


def ask(commands: Any = COMMANDS) -> Said:
    """What the commands say, in order."""
    return [dict(common.say(command), command=command) for command in commands]


def nothing(task: Dict[str, Any]) -> Any:
    """As GDB was started: no program, a program, a core file."""
    return ask(task.get("commands", COMMANDS))


def at_ready(task: Dict[str, Any]) -> Any:
    """At the stop of a fixture."""
    common.run_until_ready()
    return ask(task.get("commands", COMMANDS))


def with_sysroot(task: Dict[str, Any]) -> Any:
    """A core file whose libraries are looked for elsewhere."""
    gdb.execute("set sysroot " + task["sysroot"])
    gdb.execute("file " + task["program"], to_string=True)
    gdb.execute("core-file " + task["core"], to_string=True)
    return ask()


def truncated(task: Dict[str, Any]) -> Any:
    """One core file after the other."""
    found = {}
    for name in task["cores"]:
        opened = common.say("core-file " + name)
        found[name] = {"opened": "text" in opened, "said": ask()}
    return found


def zeroed(task: Dict[str, Any]) -> Any:
    """At the stop of a fixture, with variables of the runtime set to zero, one after the other."""
    common.run_until_ready()
    found = []
    for name in task["variables"]:
        gdb.execute("set var {} = 0".format(name))
        found.append(ask(task["commands"]))
    gdb.execute("gcore " + task["core"], to_string=True)
    return found


def exited(task: Dict[str, Any]) -> Any:
    """The program ran to its end."""
    gdb.execute("set environment FIXTURE_EXIT 1")
    common.run()
    return ask()


def run_again(task: Dict[str, Any]) -> Any:
    """Two runs, killed in between, with another number of threads."""
    first, second = task["runs"]
    gdb.execute("break fixture_ready", to_string=True)
    found = []
    for arguments in (first, second):
        gdb.execute("run {} > /dev/null".format(arguments), to_string=True)
        found.append(ask())
    gdb.execute("kill", to_string=True)
    return {"runs": found, "killed": ask()}


def two_inferiors(task: Dict[str, Any]) -> Any:
    """Two processes; each is asked when it is selected."""
    common.run_until_ready()
    gdb.execute("add-inferior -exec " + task["other"], to_string=True)
    gdb.execute("inferior 2", to_string=True)
    before = ask(("omp threads",))
    gdb.execute("run > /dev/null", to_string=True)
    found = {}
    for number in (2, 1, 2):
        gdb.execute("inferior {}".format(number), to_string=True)
        found[str(number)] = {"said": ask(), "threads": common.say_json("omp threads -json")}
    gdb.execute("kill inferiors 2", to_string=True)
    after = ask(("omp threads",))
    gdb.execute("inferior 1", to_string=True)
    found["1 alone"] = {"said": ask(), "threads": common.say_json("omp threads -json")}
    return {"inferiors": found, "before": before, "after": after}


def non_stop(task: Dict[str, Any]) -> Any:
    """Only the thread that hit the breakpoint has stopped."""
    gdb.execute("set non-stop on")
    gdb.execute("break fixture_ready", to_string=True)
    common.run()
    gdb.execute("thread {}".format(task["thread"]), to_string=True)
    found = {"said": ask(), "threads": common.say_json("omp threads -json")}
    gdb.execute("thread 3", to_string=True)
    return dict(found, selected_runs=ask())


def one_runs(task: Dict[str, Any]) -> Any:
    """All threads have stopped, then some go on."""
    common.run_until_ready()
    stopped = common.say_json("omp threads -json")
    if task["thread"]:
        gdb.execute("set scheduler-locking on")
        gdb.execute("thread {}".format(task["thread"]), to_string=True)
    gdb.execute("continue &", to_string=True)
    return {"stopped": stopped, "said": ask(), "threads": common.say_json("omp threads -json")}


def overwritten(task: Dict[str, Any]) -> Any:
    """Memory of the runtime is overwritten, in many ways one after the other."""
    common.run_until_ready()
    return vandal.ravage(task["seed"], task["rounds"])


SCENARIOS: Dict[str, Callable[[Dict[str, Any]], Any]] = {
    function.__name__: function
    for function in (
        nothing,
        at_ready,
        with_sysroot,
        truncated,
        zeroed,
        exited,
        run_again,
        two_inferiors,
        non_stop,
        one_runs,
        overwritten,
    )
}


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    found = SCENARIOS[task["scenario"]](task)
    gdb.execute("echo alive\\n")
    common.answer(found)


main()
