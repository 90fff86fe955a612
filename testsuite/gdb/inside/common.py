# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts that run inside GDB share. See harness/processes.py for who starts them."""

import contextlib
import json
import os
import re
import shlex
import signal
import threading
from typing import Any, Dict, List, Optional, Sequence

import gdb

_SETTINGS = (
    "confirm off",
    "pagination off",
    "width 0",
    "print thread-events off",
    "print inferior-events off",
    "debuginfod enabled off",
    "breakpoint pending on",
    "language c",
)

# GDB 13 says so of registers in core files of younger kernels, in between of what commands print.
_XSTATE_WARNING = re.compile(
    r"^\n?warning: Section `\.reg-xstate/\d+' in core file too small\.\n", re.MULTILINE
)


def task() -> Dict[str, Any]:
    """What the script has to do."""
    with open(os.environ["OMPDBG_TASK"], encoding="utf-8") as file:
        content: Dict[str, Any] = json.load(file)
    return content


def answer(content: Any) -> None:
    """Leaves the script's answer."""
    with open(os.environ["OMPDBG_ANSWER"], "w", encoding="utf-8") as file:
        file.write(json.dumps(content))


def prepare(loader: str) -> None:
    """Sets GDB up and loads ompdbg."""
    for setting in _SETTINGS:
        try:
            gdb.execute("set " + setting, to_string=True)
        except gdb.error:
            pass  # a GDB without debuginfod
    gdb.execute("source " + loader)


def say(command: str) -> Dict[str, Any]:
    """Runs a command: {"text": what it printed} or {"error": why it failed}."""
    try:
        return {"text": _XSTATE_WARNING.sub("", gdb.execute(command, to_string=True))}
    except gdb.error as error:
        return {"error": str(error)}


def say_json(command: str) -> Any:
    """What a command printed as JSON. A failed command is {"error": why}."""
    said = say(command)
    return json.loads(said["text"]) if "text" in said else said


def run_until_ready(
    stop: str = "fixture_ready", arguments: Optional[Sequence[str]] = None
) -> None:
    """Runs the program until it has come to its state."""
    gdb.execute("break " + stop, to_string=True)
    run(arguments)
    at = gdb.selected_frame().name()
    if at != stop:
        raise gdb.GdbError("the program stopped in {}, not in {}".format(at, stop))


def run(arguments: Optional[Sequence[str]] = None) -> None:
    """Runs the program, with these or the task's "arguments", until it stops."""
    given = task().get("arguments", ()) if arguments is None else arguments
    words = " ".join(shlex.quote(word) for word in given)
    gdb.execute("run {} > /dev/null".format(words), to_string=True)


def run_for(seconds: float) -> str:
    """Lets the program run so long, then interrupts it from outside. Returns the signal at which it
    stopped, SIGINT unless another came first, or "" if it has ended."""
    signals: List[str] = []

    def note(event: gdb.StopEvent) -> None:
        signals.append(getattr(event, "stop_signal", "none"))

    def interrupt(pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.kill(pid, signal.SIGINT)

    timer = threading.Timer(seconds, interrupt, (gdb.selected_inferior().pid,))
    gdb.events.stop.connect(note)
    timer.start()
    try:
        gdb.execute("continue", to_string=True)
    finally:
        timer.cancel()
        timer.join()
        gdb.events.stop.disconnect(note)
    return signals[-1] if signals else ""


def threads() -> List[gdb.InferiorThread]:
    """GDB's threads of the selected inferior, by number."""
    return sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num)
