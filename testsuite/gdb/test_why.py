# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp why and omp locks: the cause of each hang of fixtures/src/hangs.c is named, and of programs
that run well nothing is said that is not so."""

import tempfile
from pathlib import Path
from typing import Any, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import pytest

from harness import cases, processes, setup, snapshots

import build  # from fixtures/


class Cause(NamedTuple):
    """What must be found: the rule, numbers in the team of the threads that wait, and of those for
    whom; the lock; and the marks of the lines where the waiters are ("" for none of the user's).
    """

    rule: str
    waiters: Tuple[int, ...]
    others: Tuple[int, ...] = ()
    locks: Tuple[str, ...] = ()
    certain: bool = True


# Threads without a number in the outer team: those of inner regions.
_INNER = -1

CAUSES: Dict[str, Cause] = {
    "lock_pair": Cause("deadlock", (1, 2), (), ("first", "second"), False),
    "lock_ring": Cause("deadlock", (1, 2, 3), (), ("first", "second", "third"), False),
    "lock_critical": Cause("deadlock", (1, 2), (), ("first", "table"), False),
    "criticals": Cause("deadlock", (1, 2), (), ("chair", "table"), False),
    "unnamed_lock": Cause("deadlock", (1, 2), (), ("first",), False),
    "self_lock": Cause("deadlock", (1,), (), ("first",), False),
    "nest_at_barrier": Cause("deadlock", (1, 2), (), ("nested",)),
    "lock_at_barrier": Cause("lock", (2,), (), (), False),
    "lock_ended": Cause("lock", (2,), (), (), False),
    "nest_ended": Cause("lock", (2,), (), ("nested",), False),
    "critical_stays": Cause("lock", (0, 2, 3), (1,), ("table",), False),
    "barrier_one": Cause("different_barriers", (0, 1, 2, 3)),
    "barrier_single": Cause("different_barriers", (0, 1, 2, 3)),
    "barrier_spin": Cause("barrier", (0, 1, 2), (3,)),
    "all_spin": Cause("spin", (1, 2, 3)),
    "barrier_mutex": Cause("deadlock", (0, 3), (), ("mutex",)),
    "loop_stays": Cause("barrier", (0, 1, 2), (3,)),
    "region_end": Cause("barrier", (0, 1, 3), (2,)),
    "inner_barrier": Cause("barrier", (_INNER,), (_INNER,)),
    "event_taskwait": Cause("event", (1,)),
    "event_barrier": Cause("event", (0, 1, 2, 3)),
    "taskwait_lock": Cause("deadlock", (1, _INNER), (), ("first",), False),
    "depend_stays": Cause("task", (1,), (_INNER,)),
    "group_stays": Cause("task", (1,), (_INNER,)),
    "ordered_stays": Cause("ordered", (1, 2, 3), (0,)),
    "queued": Cause("queued", (0, 1, 2, 3)),
}
# Any thread may take the task, or the single construct.
ANY = {"taskwait_lock", "depend_stays", "group_stays", "barrier_single"}
# LLVM's runtime has no list of detached tasks. It has one of threads, which the owner of a lock is in.
LLVM = {
    "nest_ended": Cause("owner_ended", (2,), (), ("nested",), False),
    "event_taskwait": Cause("event", (1,), certain=False),
    "event_barrier": Cause("event", (0, 1, 2, 3), certain=False),
}
RULES_OF_HANGS = {"deadlock", "different_barriers", "event", "owner_ended"}

VARIANTS = ("O2", "O0", "clang", "clang-O0")
# Each cause in each variant by the command line, of a process or a core file in turns; in GDB in
# one variant, and of a core file of GDB's in another.
HANGS = [
    (kind, variant, mode)
    for number, kind in enumerate(sorted(CAUSES))
    for place, variant in enumerate(VARIANTS)
    for mode in (
        cases.COMMAND_LINE[(number + number // len(VARIANTS) + place) % 2],
        *([cases.LIVE] if (number + place) % len(VARIANTS) == 0 else []),
        *([cases.GCORE] if (number + place) % (2 * len(VARIANTS)) == 1 else []),
    )
]


def ask(
    variant: str,
    program: str,
    arguments: List[str],
    mode: str,
    changes: Sequence[str] = (),
    environment: Optional[Mapping[str, str]] = None,
) -> Dict[str, Any]:
    """Return what the commands say at the program's fixture_ready(), or of its core file.
    `changes`: commands of GDB's before that."""
    try:
        path = setup.program(program, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        core = Path(scratch) / "core"
        spec = {"mode": "live", "arguments": arguments, "gcore": str(core), "changes": changes}
        if mode == cases.PROCESS:
            with processes.ready_program(path, arguments) as pid:
                return of_command_line(pid)
        if mode == cases.CORE:
            if processes.kernel_core_problem():
                pytest.skip(processes.kernel_core_problem())
            return of_command_line(processes.kernel_core(path, arguments, Path(scratch)))
        if mode == cases.LIVE:
            del spec["gcore"]
            return processes.run_gdb("why.py", spec, [str(path)], environment).result
        processes.run_gdb("why.py", spec, [str(path)])
        return processes.run_gdb("why.py", {"mode": "core"}, [str(path), str(core)]).result


def of_command_line(target: object) -> Dict[str, Any]:
    """Return the same as GDB's commands say."""
    found = snapshots.reported(target)
    for name in ("why", "locks"):
        found[name + "_text"] = {"text": snapshots.say(name, target)}
    return found


def numbers(said: Dict[str, Any], threads: List[int]) -> Tuple[int, ...]:
    """Numbers in the outer team."""
    rows = {row["gdb"]: row for row in said["threads"]["threads"]}
    found = []
    for thread in threads:
        row = rows[thread]
        found.append(row["thread_num"] if row["level"] == 1 else _INNER)
    return tuple(sorted(found))


@pytest.mark.parametrize("kind,variant,mode", HANGS)
def test_cause_of_a_hang(kind: str, variant: str, mode: str) -> None:
    on_llvm = variant.startswith("clang")
    cause = (on_llvm and LLVM.get(kind)) or CAUSES[kind]
    said = ask(variant, "hangs", [kind], mode)
    findings = said["why"]["findings"]
    of_rule = [finding for finding in findings if finding["rule"] == cause.rule]
    found = pick(kind, cause, said, of_rule)
    assert found is not None, said["why_text"]["text"]
    # A program that records knows the owners.
    is_certain = cause.certain or (cause.rule == "deadlock" and bool(setup.PRELOAD))
    assert found["certain"] == is_certain or kind == "self_lock"
    # Nothing worse is claimed than what there is.
    allowed = {cause.rule}
    assert {f["rule"] for f in findings} & RULES_OF_HANGS <= allowed, said["why_text"]["text"]
    assert found["text"] in said["why_text"]["text"]
    if kind == "barrier_spin":
        assert "spins on go_on" in said["why_text"]["text"]
    if kind == "all_spin":
        assert found["text"].endswith(" spin until another thread changes go_on")
        waiters = [row for row in said["threads"]["threads"] if row["gdb"] in found["waiters"]]
        at = build.line_of("hangs", "spins")
        assert {row["location"]["line"] for row in waiters} <= {at, at + 1}


def pick(
    kind: str, cause: Cause, said: Dict[str, Any], findings: List[Dict[str, Any]]
) -> Optional[Dict[str, Any]]:
    """The finding that tells of the cause."""
    for finding in findings:
        locks = {edge["lock"] for edge in finding["chain"]} | {finding["lock"]}
        if kind in ANY:
            if len(finding["waiters"]) == len(cause.waiters) and locks >= set(cause.locks):
                return finding
        elif numbers(said, finding["waiters"]) == cause.waiters and locks >= set(cause.locks):
            if numbers(said, finding["waits_for"]) == cause.others:
                return finding
    return None


def candidates(said: Dict[str, Any]) -> Dict[str, Tuple[Tuple[int, ...], FrozenSet[str]]]:
    """Who perhaps holds each lock, and how that is known."""
    return {
        lock["symbol"]: (
            numbers(said, [one["thread"] for one in lock["candidates"]]),
            frozenset(one["known_by"] for one in lock["candidates"]),
        )
        for lock in said["locks"]["locks"]
    }


@pytest.mark.parametrize("variant", ("O2", "clang"))
def test_locks_and_their_owners(variant: str) -> None:
    said = ask(variant, "hangs", ["nest_at_barrier"], cases.LIVE)
    (lock,) = said["locks"]["locks"]
    assert (lock["kind"], lock["symbol"]) == ("nest_lock", "nested")
    assert (lock["held"], lock["known_by"]) == (True, "recorded")
    assert numbers(said, [lock["owner"]]) == (1,)
    assert numbers(said, lock["waiters"]) == (2,)
    said = ask(variant, "hangs", ["lock_pair"], cases.LIVE)
    assert candidates(said) == {
        "first": ((1,), frozenset({"code"})),
        "second": ((2,), frozenset({"code"})),
    }


def test_owners_that_are_not_known() -> None:
    """It is told what is known of them, and how."""
    said = ask("O2", "hangs", ["lock_ended"], cases.LIVE)
    (lock,) = said["locks"]["locks"]
    assert (lock["held"], lock["owner"], lock["known_by"]) == (True, None, None)
    assert (lock["reason"], lock["candidates"]) == ("the runtime records no owner", [])
    said = ask("O2", "hangs", ["nest_ended"], cases.LIVE)
    (lock,) = said["locks"]["locks"]
    assert lock["reason"].startswith("its recorded owner is a task that no thread runs (")
    (found,) = [one for one in said["why"]["findings"] if one["lock"] == "nested"]
    assert not found["certain"]


# A lock of LLVM's runtime that is a word: its kind, then its owner's gtid plus one. What is written
# there, whether the owner is said to have ended, and what is said of it.
OVERWRITTEN = {
    "a thread that may have ended": (
        "set var *(unsigned *) &first = 3 | (31 + 1) << 8",
        True,
        "its recorded owner, gtid 31, does not exist (",
    ),
    "no thread at all": (
        "set var *(unsigned *) &first = 3 | (0x7ffff + 1) << 8",
        False,
        "it is damaged: its recorded owner, gtid 524287, never existed",
    ),
}


@pytest.mark.parametrize("owner", OVERWRITTEN)
def test_owner_that_was_overwritten(owner: str) -> None:
    """Nothing that is said of it is certain."""
    change, ended, told = OVERWRITTEN[owner]
    said = ask(
        "clang", "hangs", ["lock_at_barrier"], cases.LIVE, [change], {"KMP_LOCK_KIND": "tas"}
    )
    (lock,) = said["locks"]["locks"]
    assert (lock["symbol"], lock["held"], lock["owner"]) == ("first", True, None)
    assert lock["owner_ended"] == ended and lock["reason"].startswith(told)
    found = [one for one in said["why"]["findings"] if one["lock"] == "first"]
    assert [one["rule"] for one in found] == ["owner_ended" if ended else "lock"]
    assert not found[0]["certain"] and numbers(said, found[0]["waiters"]) == (2,)
    assert told[1:] in " ".join(said["why_text"]["text"].split())


def test_a_deadlock_without_symbols() -> None:
    """Where functions begin, their unwind tables tell."""
    said = ask("stripped", "hung", [], cases.GCORE)
    found = [one for one in said["why"]["findings"] if one["rule"] == "deadlock"]
    assert [numbers(said, one["waiters"]) for one in found] == [(3, 5)]
    assert not found[0]["certain"]
    assert {known for _, known in candidates(said).values()} == {frozenset({"code"})}


@pytest.mark.parametrize("variant", ("O2", "clang"))
def test_nothing_waits(variant: str) -> None:
    said = ask(variant, "icvs", [], cases.LIVE)
    assert said["why"]["findings"] == []
    assert said["why_text"]["text"] == "No thread was found waiting for another.\n"
    assert said["locks_text"]["text"] == "No thread was found waiting for a lock.\n"


# For hours: GDB ends them, however busy the machine is.
@pytest.mark.parametrize(
    "program, arguments",
    [("stress", ["1", "14000"]), ("team_edges", ["14000"])],
    ids=["stress", "team_edges"],
)
@pytest.mark.parametrize("variant", ("O2", "clang"))
def test_no_alarm_in_programs_that_run_well(
    variant: str, program: str, arguments: List[str]
) -> None:
    try:
        path = setup.program(program, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    spec = {"mode": "stops", "stops": 25, "arguments": arguments}
    said = processes.run_gdb("why.py", spec, [str(path)]).result
    assert len(said["failures"]) <= cases.FAILURES.get((program, variant), 0), said["failures"]
    assert len(said["stops"]) == 25
    for stop in said["stops"]:
        assert "findings" in stop, stop
        rules = {finding["rule"] for finding in stop["findings"]}
        assert not rules & RULES_OF_HANGS, stop
