# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what `omp threads` says with what the header of a fixture says."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Set, Tuple

from harness.cases import Case
from harness.snapshots import Snapshot

import build  # from fixtures/
import states

# Files of fixtures/src whose functions a header does not mean by "innermost user frame".
HELPERS = ("state.c", "oracle.c", "state.h")

# The state of a thread that waits, by kind of its wait.
WAIT_STATES = {
    "barrier": "wait_barrier",
    "barrier_workshare": "wait_barrier_implicit_workshare",
    "barrier_parallel": "wait_barrier_implicit_parallel",
    "critical": "wait_critical",
    "lock": "wait_lock",
    "nest_lock": "wait_lock",
    "atomic": "wait_atomic",
    "ordered": "wait_ordered",
    "doacross": "wait_ordered",
    "taskwait": "wait_taskwait",
    "taskgroup": "wait_taskgroup",
    "dependences": "wait_taskwait",
    "single": "wait_barrier_implementation",
}

_OBJECT = re.compile(r"\bomp (?:critical|lock|nest lock) ([\w.]+)(?:\[(\d+)\])?")


@dataclass
class Thread:
    """A thread as the commands describe it."""

    row: Dict[str, Any]  # of `omp threads -json`
    path: Tuple[int, ...]  # its thread numbers from the outermost region inwards
    chain: Tuple[Dict[str, Any], ...]  # the teams of these regions
    frame: Optional[Tuple[Optional[str], Optional[int]]]  # innermost user frame: function, line

    def __str__(self) -> str:
        keys = ("gdb", "state", "state_reason", "wait", "location")
        told = {key: self.row[key] for key in keys}
        return "{} of {}, frame {}: {}".format(self.path, len(self.chain), self.frame, told)


def is_helper(file: Optional[str]) -> bool:
    """A source file of the fixtures' common code."""
    return file is not None and Path(file).name in HELPERS


def threads_of(snapshot: Snapshot) -> List[Thread]:
    """The threads of a snapshot, with the frames that `omp bt -all` shows of them."""
    document = snapshot["threads"]
    teams = {team["id"]: team for team in document["teams"]}
    stacks = snapshot["stacks"]["stacks"]
    by_thread = {stack["parts"][0]["thread"]: stack for stack in stacks}
    found = []
    for row in document["threads"]:
        chain = _chain(teams, row["team"])
        path: Tuple[int, ...] = ()
        if chain:
            label = chain[-1]["label"].split(".")
            path = tuple(int(part) for part in label[1:]) + (row["thread_num"],)
        found.append(Thread(row, path, chain, _user_frame(by_thread[row["gdb"]])))
    return found


def _chain(teams: Dict[str, Any], ident: Optional[str]) -> Tuple[Dict[str, Any], ...]:
    """The teams around a thread, outermost first, without the level outside of all regions."""
    found: List[Dict[str, Any]] = []
    while ident in teams:
        found.insert(0, teams[ident])
        ident = teams[ident]["parent"]
    return tuple(found)


def _user_frame(stack: Dict[str, Any]) -> Optional[Tuple[Optional[str], Optional[int]]]:
    for frame in stack["parts"][0]["frames"]:
        if frame["kind"] == "user" and not is_helper(frame["file"]):
            if frame["line"] is not None or frame["function"] is not None:
                return frame["function"], frame["line"]
    return None


def thread_problems(case: Case, snapshot: Snapshot) -> List[str]:
    """What differs between the header and the commands, one line each."""
    threads = threads_of(snapshot)
    problems = _team_problems(threads)
    left = list(threads)
    for row in case.state.threads:
        taken = [t for t in left if _is_meant(row, t)]
        by_place = row.count is not None or row.optional or row.pattern in ("none", "initial")
        if by_place:
            taken = [t for t in taken if not _row_problem(case, row, t)]
            if build.VARIANTS[case.variant].stripped:
                taken = taken[: row.count]  # rows of one state are alike without places
        if row.count is not None and not row.optional and len(taken) != row.count:
            problems.append("{} threads as {}".format(len(taken), row))
        if not taken and row.count is None and not row.optional and _must_exist(row, threads):
            problems.append("no thread as {}".format(row))
        for thread in taken:
            left.remove(thread)
            problem = _row_problem(case, row, thread)
            if problem:
                problems.append("{}: {}, not as {}".format(problem, thread, row))
    problems += ["no row for " + str(thread) for thread in left]
    return problems


def _must_exist(row: "states.Expected", threads: List[Thread]) -> bool:
    if row.pattern == "*":
        return False  # the rows before it may have taken all
    if row.pattern.isdigit():
        return any(
            thread.chain and thread.chain[-1]["size"] > int(row.pattern) for thread in threads
        )
    return "/" not in row.pattern


def _is_meant(row: "states.Expected", thread: Thread) -> bool:
    """Whether the thread is one of those that a row tells of."""
    if row.pattern == "pool":
        return thread.row["state"] == "idle"
    if row.pattern == "none":
        return thread.row["openmp"] is False
    if row.pattern == "initial":
        return not thread.path and thread.row["openmp"] is True and thread.row["state"] != "idle"
    return bool(thread.chain) and row.matches(thread.path, thread.chain[-1]["size"])


def _row_problem(case: Case, row: "states.Expected", thread: Thread) -> Optional[str]:
    """The first thing that a row says otherwise of a thread."""
    for check in (_state_problem, _wait_problem, _place_problem, _location_problem):
        problem = check(case, row, thread)
        if problem:
            return problem
    return None


def _state_problem(case: Case, row: "states.Expected", thread: Thread) -> Optional[str]:
    expected: Optional[str]
    if row.pattern == "none":
        expected = None
    elif row.state in ("ready", "parked"):
        expected = "work_parallel" if thread.path else "work_serial"
    else:
        expected = WAIT_STATES.get(row.state, row.state)
    if thread.row["state"] != expected:
        return "state {}, expected {}".format(thread.row["state"], expected)
    return None


def _wait_problem(case: Case, row: "states.Expected", thread: Thread) -> Optional[str]:
    wait = thread.row["wait"]
    if row.state in ("ready", "parked") or row.pattern == "none":
        return None if wait is None else "waits: {}".format(wait)
    if wait is None or wait["kind"] != row.state:
        return "waits: {}, expected {}".format(wait, row.state)
    named = _OBJECT.search(row.note)
    if named is None:
        if row.state == "critical" and "unnamed" in row.note and wait["symbol"] is not None:
            return "unnamed critical is called {}".format(wait["symbol"])
        return None
    if build.VARIANTS[case.variant].stripped:
        return None if wait["symbol"] is None else "symbol in a stripped program"
    if _is_not_found(case, row) and wait["symbol"] is None:
        return None
    return None if _names(wait["symbol"], named) else "symbol {}".format(wait["symbol"])


def _is_not_found(case: Case, row: "states.Expected") -> bool:
    """Nothing tells which lock of an array it is whose index unoptimised code computes (`hung`)."""
    variant = build.VARIANTS[case.variant]
    computed = "-O0" in variant.flags and variant.runtime == "llvm" and case.program == "hung"
    return computed and row.state in ("lock", "nest_lock")


def _names(symbol: Optional[str], named: "re.Match[str]") -> bool:
    """Whether a symbol is the object that a header names."""
    base, index = named.group(1), named.group(2)
    suffix = "[{}]".format(index) if index else ""
    return (
        re.fullmatch(
            r"(?:.*(?:::|_MOD_))?{}{}".format(re.escape(base), re.escape(suffix)), symbol or ""
        )
        is not None
    )


def _place_problem(case: Case, row: "states.Expected", thread: Thread) -> Optional[str]:
    """Function and line of the innermost user frame."""
    if build.VARIANTS[case.variant].stripped:
        return None
    if row.function is None or thread.frame is None:
        if row.function is None and (thread.frame is None or row.pattern in states.NAMED):
            return None
        return "innermost user frame {}".format(thread.frame)
    return _differs(case, row, thread.frame[0], thread.frame[1])


def _location_problem(case: Case, row: "states.Expected", thread: Thread) -> Optional[str]:
    """The Where column: the same place, unless it is in a helper of the fixtures."""
    location = thread.row["location"]
    if build.VARIANTS[case.variant].stripped:
        return None
    if location is None:
        return None if row.function is None else "no location"
    if is_helper(location["file"]) or row.function is None:
        return None
    return _differs(case, row, location["function"], location["line"])


def _differs(
    case: Case, row: "states.Expected", function: Optional[str], line: Optional[int]
) -> Optional[str]:
    assert row.function is not None
    if build.source_of(case.program).suffix == ".c":
        same = function in row.function.split("|")
    else:
        same = (
            re.search(r"(?<!\w){}(?!\w)".format(re.escape(row.function)), function or "")
            is not None
        )
    if not same:
        return "in function {}".format(function)
    if row.line is not None and row.last_line is not None:
        if line is None or not row.line <= line <= row.last_line:
            return "at line {}".format(line)
    return None


def _team_problems(threads: List[Thread]) -> List[str]:
    """Whether team sizes and levels are what the threads themselves show."""
    problems = []
    members: Dict[str, Set[int]] = {}
    sizes: Dict[str, int] = {}
    for thread in threads:
        for team, number in zip(thread.chain, thread.path):
            members.setdefault(team["id"], set()).add(number)
            sizes[team["id"]] = team["size"]
    for ident, size in sizes.items():
        if members[ident] != set(range(size)):
            problems.append("team {}: {} of {}".format(ident, sorted(members[ident]), size))
    for thread in threads:
        row, active = thread.row, [team for team in thread.chain if team["size"] > 1]
        if row["team"] is None:
            continue
        expected = (
            len(thread.chain),
            len(active),
            thread.chain[-1]["size"] if thread.chain else 1,
        )
        found = (row["level"], row["active_level"], row["team_size"])
        if found != expected:
            problems.append("levels and size {}, expected {}: {}".format(found, expected, thread))
    return problems
