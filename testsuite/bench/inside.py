# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB, for run.py: takes a fixture program to its state and measures commands there.

What to do is in the environment: BENCH_PLUGIN (the script that loads ompdbg), BENCH_WHAT (threads,
tasks, fetches, llvm or repeat), BENCH_COPY (copy.c as a shared library), BENCH_LLVM (the folder of
LLVM's plug-in). Prints one line `BENCH <JSON>`; llvm, which may not survive, one for each figure.
"""

import ctypes
import json
import os
import re
import statistics
import time
from functools import partial
from typing import Any, Callable, Dict, List, Tuple

import gdb

ROUNDS = 15
SHORT_ROUNDS = 100
ENOUGH_SECONDS = 10.0
PIECES = {"copy 4 KiB": 4096, "copy 64 KiB": 65536}


def seconds(command: str) -> float:
    """How long GDB takes for a command."""
    begin = time.perf_counter()
    gdb.execute(command, to_string=True)
    return time.perf_counter() - begin


def processor_seconds(command: str) -> float:
    """The same, of the processor's time: for what is short, and others use the machine, too."""
    begin = time.process_time()
    gdb.execute(command, to_string=True)
    return time.process_time() - begin


class Stops:
    """Makes the program stop anew where it is, so that nobody's caches hold any longer."""

    def __init__(self) -> None:
        gdb.execute("set scheduler-locking on")
        gdb.execute("delete")
        thread = gdb.selected_thread()
        assert thread is not None
        self._thread = thread
        frame = gdb.newest_frame()
        self._registers = {name: int(frame.read_register(name)) for name in ("rsp", "rip")}

    def again(self) -> None:
        """One instruction forth, and back."""
        self._thread.switch()
        gdb.execute("stepi", to_string=True)
        for name, value in self._registers.items():
            gdb.execute(f"set var ${name} = {value}")
        gdb.execute("maint flush register-cache", to_string=True)


def alternately(stops: Stops, measures: Dict[str, Callable[[], float]]) -> Dict[str, List[float]]:
    """Each measure several times, in turn, each at a stop of its own."""
    times: Dict[str, List[float]] = {name: [] for name in measures}
    end = time.perf_counter() + ENOUGH_SECONDS
    for number in range(ROUNDS):
        if number >= 3 and time.perf_counter() > end:
            break
        for name, measure in measures.items():
            stops.again()
            times[name].append(measure())
    return times


def medians(times: Dict[str, List[float]]) -> Dict[str, float]:
    """The median of each measure."""
    return {name: statistics.median(values) for name, values in times.items()}


def statistics_of_last_command() -> Dict[str, int]:
    """What the last command read of the target."""
    from ompdbg.inferior import session

    return session.statistics()[1]


def memory_kib(name: str = "VmRSS") -> int:
    """The memory that GDB has."""
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.findall(name + r":\s+(\d+)", status.read())[0])


def peak_kib() -> int:
    """The most memory that GDB has had so far."""
    return memory_kib("VmHWM")


def largest_mapping(pid: int) -> Tuple[int, int]:
    """Address and size of the heap that the program uses most."""
    found = []
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        for line in maps:
            begin, end, access = re.match(r"(\w+)-(\w+) (\S+)", line).groups()  # type: ignore
            if access.startswith("rw") and "[stack" not in line:
                found.append((int(end, 16) - int(begin, 16), int(begin, 16)))
    size, address = max(found)
    return address, size


def copy(library: Any, pid: int, size: int, piece: int) -> float:
    """How long it takes to copy that many bytes out of the program's heap."""
    address, room = largest_mapping(pid)
    begin = time.perf_counter()
    left = size
    while left > 0:
        part = min(left, room)
        if library.copy_out(pid, address, part, piece) != part:
            raise RuntimeError("the heap of the program cannot be copied")
        left -= part
    return time.perf_counter() - begin


def threads() -> Dict[str, Any]:
    """`omp threads` against GDB's own stacks, without our frame filter."""
    ours, theirs = "omp threads", "thread apply all bt -no-filters"
    stops = Stops()
    first = seconds(ours)
    seconds(theirs)
    found = alternately(stops, {"ours": lambda: seconds(ours), "theirs": lambda: seconds(theirs)})
    return {"first": first, **medians(found)}


def tasks() -> Dict[str, Any]:
    """`omp tasks -by-function` against copying as many bytes."""
    command = "omp tasks -by-function"
    library = ctypes.CDLL(os.environ["BENCH_COPY"])
    library.copy_out.restype = ctypes.c_uint64
    library.copy_out.argtypes = [ctypes.c_int] + [ctypes.c_uint64] * 3
    pid = gdb.selected_inferior().pid
    stops = Stops()
    before = peak_kib()
    text = gdb.execute(command, to_string=True)
    peak = peak_kib() - before
    stops.again()
    gdb.execute(command, to_string=True)
    fetched = statistics_of_last_command()
    measures = {"ours": lambda: seconds(command)}
    for name, piece in PIECES.items():
        measures[name] = lambda piece=piece: copy(  # type: ignore[misc]
            library, pid, fetched["fetched"], piece
        )
    found = medians(alternately(stops, measures))
    number = int(re.findall(r"^(\d+) tasks", text, re.M)[0])
    return {"tasks": number, "peak_kib": peak, "stats": fetched, **found}


def frames() -> Dict[str, Any]:
    """`bt` with the frame filter against `bt -no-filters`, again and again at one stop and at fresh
    ones: the processor time, for both are short."""
    ours, theirs = "bt", "bt -no-filters"

    seconds = processor_seconds
    stops = Stops()
    text = gdb.execute(theirs, to_string=True)
    gdb.execute(ours, to_string=True)
    fresh = medians(alternately(stops, {n: partial(seconds, n) for n in (ours, theirs)}))
    again: Dict[str, List[float]] = {ours: [], theirs: []}
    for _ in range(SHORT_ROUNDS):
        for name, values in again.items():
            values.append(seconds(name))
    return {"frames": len(text.splitlines()), "fresh": fresh, "again": medians(again)}


def full() -> Dict[str, Any]:
    """`bt -full` with the frame filter against `bt -full -no-filters`, both at fresh stops."""
    commands = ("bt -full", "bt -full -no-filters")
    stops = Stops()
    for command in commands:
        processor_seconds(command)
    return medians(alternately(stops, {n: partial(processor_seconds, n) for n in commands}))


def stacks() -> Dict[str, Any]:
    """`omp bt -all` against `thread apply all bt`, and `omp why`."""
    commands = {
        "ours": "omp bt -all",
        "theirs": "thread apply all bt -no-filters",
        "why": "omp why",
    }
    stops = Stops()
    for command in commands.values():
        seconds(command)
    return medians(
        alternately(stops, {n: lambda c=c: seconds(c) for n, c in commands.items()})  # type: ignore
    )


def history() -> Dict[str, Any]:
    """`omp history` of a recorded program."""
    stops = Stops()
    command = "omp history -last 20"
    text = gdb.execute(command, to_string=True)
    times = medians(alternately(stops, {"history": lambda: processor_seconds(command)}))
    return {**times, "lines": len(text.splitlines())}


def values() -> Dict[str, Any]:
    """`omp print` of a variable of the program, and of one of each thread, against GDB's own."""
    commands = {
        "ours": "omp print -all done",
        "local": "omp print -all self",
        "theirs": "thread apply all -q print done",
        # Most threads wait in a function of the runtime that the program's code has called.
        "their local": "thread apply all -s -q frame apply level 1 -s -q print self",
    }
    stops = Stops()
    for command in commands.values():
        seconds(command)
    return medians(
        alternately(stops, {n: lambda c=c: seconds(c) for n, c in commands.items()})  # type: ignore
    )


HIT_ROUNDS = 3


def hits() -> Dict[str, Any]:
    """Hits per second of a breakpoint whose condition is false: the best of several runs each, in
    turn, for other programs take time from some."""
    number = int(os.environ["BENCH_HITS"])
    gdb.execute("delete")
    found: Dict[str, float] = {}
    for _ in range(HIT_ROUNDS):
        for condition in ("$_thread == 99", "$_omp_thread_num() == 99", "$_omp_level() == 99"):
            gdb.execute("break point if " + condition, to_string=True)
            begin = time.perf_counter()
            gdb.execute("run", to_string=True)
            rate = number / (time.perf_counter() - begin)
            found[condition] = max(rate, found.get(condition, 0))
            gdb.execute("delete")
    return found


def fetches() -> Dict[str, Any]:
    """What each command reads at a fresh stop."""
    stops = Stops()
    gdb.execute("omp status", to_string=True)
    result = {}
    for command in ("omp status", "omp threads", "omp tasks", "omp bt"):
        stops.again()
        gdb.execute(command, to_string=True)
        result[command] = statistics_of_last_command()
    return result


LLVM_COMMANDS = ("omp threads", "omp regions", "ompd parallel", "ompd threads")
LLVM_ROUNDS = 15


def load_llvm_plugin() -> None:
    """What `source FOLDER/__init__.py` does, and `ompd init`."""
    script = os.path.join(os.environ["BENCH_LLVM"], "__init__.py")
    with open(script, encoding="utf-8") as file:
        code = compile(file.read(), script, "exec")
    exec(code, {"__name__": "__main__", "__file__": script})
    gdb.execute("ompd init", to_string=True)


def tell(name: str, value: float) -> None:
    """A figure that is kept whatever comes after it."""
    gdb.write("BENCH " + json.dumps([name, value]) + "\n")
    gdb.flush()


def llvm() -> Dict[str, Any]:
    """Our commands and those of LLVM's plug-in, over LLVM's OMPD library, in turn."""
    load_llvm_plugin()
    stops = Stops()
    for command in LLVM_COMMANDS:
        tell("first " + command, processor_seconds(command))
    end = time.perf_counter() + ENOUGH_SECONDS
    for _ in range(LLVM_ROUNDS):
        for command in LLVM_COMMANDS:
            stops.again()
            tell(command, processor_seconds(command))
        if time.perf_counter() > end:
            break
    return {}


REPETITIONS = 1000
WARM_UP = 100


def repeat() -> Dict[str, Any]:
    """Our commands again and again, each four at a fresh stop."""
    stops = Stops()
    number = early = 0
    while number < REPETITIONS:
        stops.again()
        for command in ("omp threads", "omp regions", "omp tasks", "omp bt"):
            gdb.execute(command, to_string=True)
            number += 1
        if number == WARM_UP:
            early = memory_kib()
    return {"commands": number, "grown_kib": memory_kib() - early}


def main() -> None:
    """Goes to fixture_ready() and measures."""
    for setting in ("pagination off", "confirm off", "print thread-events off"):
        gdb.execute("set " + setting)
    gdb.execute("set debuginfod enabled off", to_string=True)
    gdb.execute("source " + os.environ["BENCH_PLUGIN"])
    wanted = os.environ["BENCH_WHAT"]
    if wanted == "history":
        gdb.execute("set omp record on")
    if wanted != "hits":
        stop = os.environ.get("BENCH_STOP", "fixture_ready")
        gdb.execute("break " + stop, to_string=True)
        gdb.execute("run", to_string=True)
    what = {
        "frames": frames,
        "full": full,
        "stacks": stacks,
        "history": history,
        "values": values,
        "hits": hits,
        "threads": threads,
        "tasks": tasks,
        "fetches": fetches,
        "llvm": llvm,
        "repeat": repeat,
    }
    print("BENCH " + json.dumps(what[wanted]()))
    if gdb.selected_inferior().pid:
        gdb.execute("kill")


main()
