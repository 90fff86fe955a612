# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB, for run.py: LLVM's plug-in by itself, over whichever OMPD library it finds.

In the environment: BENCH_LLVM (the folder of the plug-in), BENCH_STOP (a function to stop in),
BENCH_COUNT (1: count callbacks instead of taking the time). Prints lines `BENCH [NAME, VALUE]`.
"""

import json
import os
import statistics
import time
from collections import Counter
from typing import Any, Callable

import gdb

ROUNDS = 7
EARLY = "ompd_dll_locations_valid"
COMMANDS = ("ompd threads", "ompd parallel")
CALLBACKS = {"_read": "reads", "_read_string": "reads", "_sym_addr": "symbols"}


def tell(name: str, value: Any) -> None:
    """Print a figure."""
    gdb.write("\nBENCH " + json.dumps([name, value]) + "\n")
    gdb.flush()


def load() -> None:
    """Do what `source FOLDER/__init__.py` does."""
    script = os.path.join(os.environ["BENCH_LLVM"], "__init__.py")
    with open(script, encoding="utf-8") as file:
        code = compile(file.read(), script, "exec")
    exec(code, {"__name__": "__main__", "__file__": script})


def counted(name: str, function: Callable[..., Any], counts: "Counter[str]") -> Any:
    """Wrap a callback of the plug-in."""

    def wrapper(*arguments: Any) -> Any:
        counts[name] += 1
        if function.__name__ == "_read":
            counts["bytes"] += arguments[1]
        try:
            return function(*arguments)
        except BaseException:
            counts["failed " + name] += 1
            raise

    return wrapper


class Measure:
    """Counts callbacks, or takes the processor time of commands, in seconds."""

    def __init__(self, counting: bool) -> None:
        self.counts: "Counter[str]" = Counter()
        self.counting = counting
        if counting:
            import ompd_callbacks

            for function, name in CALLBACKS.items():
                original = getattr(ompd_callbacks, function)
                setattr(ompd_callbacks, function, counted(name, original, self.counts))

    def command(self, command: str, rounds: int) -> None:
        """Tell the figures of a command."""
        times = []
        for _ in range(1 if self.counting else rounds):
            self.counts.clear()
            begin = time.process_time()
            gdb.execute(command)
            times.append(time.process_time() - begin)
        tell(command, dict(self.counts) if self.counting else statistics.median(times))


def main() -> None:
    """Measure `ompd init` at the first stop, the other commands in the fixture's state."""
    for setting in ("pagination off", "confirm off", "print thread-events off"):
        gdb.execute("set " + setting)
    gdb.execute("set debuginfod enabled off", to_string=True)
    gdb.execute("set breakpoint pending on")
    load()
    measure = Measure("BENCH_COUNT" in os.environ)
    gdb.execute("tbreak " + os.environ["BENCH_STOP"], to_string=True)
    gdb.execute("run", to_string=True)
    measure.command("ompd init", 1)
    # The plug-in knows only threads that begin after this.
    if os.environ["BENCH_STOP"] == EARLY:
        gdb.execute("tbreak fixture_ready")
        gdb.execute("continue")
        for command in COMMANDS:
            measure.command(command, ROUNDS)
    gdb.execute("kill")


main()
