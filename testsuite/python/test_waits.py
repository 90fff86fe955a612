# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conclusions about what a thread does."""

from typing import Any, Optional

import _ompd
import pytest
from ompdbg import waits
from ompdbg.services import SymbolAt

LOCK = _ompd.WaitSite(5, 0x041, 0x900, "omp_set_lock")
BARRIER = _ompd.WaitSite(1, 0x014, 0x900, "GOMP_barrier")
CRITICAL = _ompd.WaitSite(4, 0x042, 0x900, "GOMP_critical_start")
PARALLEL = _ompd.WaitSite(14, 0x101, 0x900, "GOMP_parallel")
CREATES = _ompd.WaitSite(15, 0x101, 0x900, "GOMP_task")
OTHER = _ompd.WaitSite(0, 0x101, 0x900, "GOMP_critical_end")
ON_BARRIER = _ompd.WaitSite(1, 0x010)
ON_TASKWAIT = _ompd.WaitSite(9, 0x020)
ON_POOL = _ompd.WaitSite(19, 0x100)
ON_RUNTIME_LOCK = _ompd.WaitSite(21, 0x101)
MINE = SymbolAt("mylock", 0, None)


def conclude(in_runtime: bool = True, level: int = 1, **found: Any) -> waits.Verdict:
    return waits.conclude(waits.Evidence(in_runtime, level, **found))


def told(verdict: waits.Verdict) -> "tuple[Optional[int], Optional[str]]":
    return verdict.state, verdict.wait.title if verdict.wait is not None else None


def test_user_code_works() -> None:
    assert told(conclude(False, 0)) == (0x000, None)
    assert told(conclude(False, 2)) == (0x001, None)


def test_lock_with_its_symbol() -> None:
    verdict = conclude(call=LOCK, futex=0x5008, futex_symbol=SymbolAt("locks", 8, None))
    assert told(verdict) == (0x041, "lock 0x5008")
    verdict = conclude(
        call=LOCK, futex=0x5008, futex_symbol=SymbolAt("locks", 8, None), is_users=True
    )
    assert told(verdict) == (0x041, "lock locks+8")
    assert verdict.wait == waits.Wait("lock", "lock locks+8", "omp_set_lock", 0x5008, "locks+8")


def test_lock_within_a_variable() -> None:
    verdict = conclude(
        call=LOCK,
        futex=0x5008,
        futex_symbol=SymbolAt("locks", 8, None),
        variable="locks[2]",
        is_users=True,
    )
    assert told(verdict) == (0x041, "lock locks[2]")
    assert verdict.wait is not None and verdict.wait.symbol == "locks[2]"


def test_spinning_lock_has_no_address() -> None:
    assert conclude(call=LOCK).wait == waits.Wait("lock", "lock", "omp_set_lock", None, None)


def test_named_and_unnamed_critical() -> None:
    name = SymbolAt(".gomp_critical_user_Table", 0, None)
    named = conclude(call=CRITICAL, futex=0x5000, futex_symbol=name, is_users=True)
    assert told(named) == (0x042, "critical Table")
    assert named.wait is not None and named.wait.symbol == "Table"
    unnamed = conclude(call=CRITICAL, futex=0x9990, futex_site=_ompd.WaitSite(4, 0x042))
    assert told(unnamed) == (0x042, "critical")


@pytest.mark.parametrize("suffix", [".var", "[var]"])
def test_critical_of_clang(suffix: str) -> None:
    found: Any = {"call": CRITICAL, "futex": 0x5000, "is_users": True}
    name = SymbolAt(".gomp_critical_user_Table" + suffix, 0, None)
    assert told(conclude(futex_symbol=name, **found)) == (0x042, "critical Table")
    unnamed = conclude(futex_symbol=SymbolAt("gomp_critical_user_" + suffix, 0, None), **found)
    assert unnamed.wait == waits.Wait("critical", "critical", CRITICAL.function, 0x5000, None)


def test_critical_without_a_call_is_known_by_its_variable() -> None:
    name = SymbolAt(".gomp_critical_user_Table", 0, None)
    verdict = conclude(futex=0x5000, futex_symbol=name, is_users=True)
    assert told(verdict) == (0x042, "critical Table")


def test_users_variable_without_a_call_is_a_lock() -> None:
    verdict = conclude(futex=0x5000, futex_symbol=MINE, is_users=True)
    assert told(verdict) == (0x041, "lock mylock")


def test_users_variable_without_a_name_may_be_of_a_critical_construct() -> None:
    verdict = conclude(futex=0x5000, is_users=True)
    assert told(verdict) == (0x040, "lock or critical 0x5000")


def test_dependences_are_told_from_a_taskwait_by_the_task() -> None:
    verdict = conclude(
        recorded=(0x020, 0), call=CREATES, futex=1, futex_site=ON_TASKWAIT, for_dependences=True
    )
    assert told(verdict) == (0x020, "dependences")
    assert verdict.wait is not None and verdict.wait.function == "GOMP_task"


def test_unknown_address_is_not_guessed() -> None:
    verdict = conclude(futex=0x7F0000)
    assert (verdict.state, verdict.wait) == (None, None)
    assert verdict.reason == "asleep on 0x7f0000, whose use is not known"


def test_call_and_futex_agree() -> None:
    assert told(conclude(call=BARRIER, futex=1, futex_site=ON_BARRIER)) == (0x014, "barrier")


def test_contradiction_is_reported() -> None:
    verdict = conclude(call=LOCK, futex=1, futex_site=ON_BARRIER)
    assert (verdict.state, verdict.wait) == (None, None)
    assert verdict.reason == "called omp_set_lock (lock), but sleeps on that of a barrier"


def test_runtime_lock_inside_a_call_that_waits() -> None:
    assert told(conclude(call=BARRIER, futex=1, futex_site=ON_RUNTIME_LOCK)) == (0x014, "barrier")
    found = told(conclude(call=CREATES, futex=1, futex_site=ON_RUNTIME_LOCK))
    assert found == (0x101, "runtime's lock")


@pytest.mark.parametrize("call", [PARALLEL, None])
def test_barrier_at_the_end_of_a_region(call: Any) -> None:
    after = conclude(call=call, futex=1, futex_site=ON_BARRIER, after_user_code=True)
    assert told(after) == (0x011, "end of region")
    within = conclude(call=call, futex=1, futex_site=ON_BARRIER)
    assert told(within) == (0x010, "barrier")


def test_futex_tells_within_a_call_that_does_not_wait() -> None:
    assert told(conclude(call=CREATES, futex=1, futex_site=ON_TASKWAIT)) == (0x020, "taskwait")


def test_other_calls_are_overhead() -> None:
    assert told(conclude(call=OTHER)) == (0x101, None)
    assert told(conclude(call=PARALLEL)) == (0x101, None)


def test_asleep_in_a_call_that_does_not_wait() -> None:
    verdict = conclude(call=PARALLEL, futex=0x77)
    assert verdict.state is None
    assert verdict.reason == "in GOMP_parallel, asleep on 0x77, whose use is not known"


def test_pool() -> None:
    assert told(conclude(futex=1, futex_site=ON_POOL)) == (0x100, "idle in pool")
    assert told(conclude(recorded=(0x100, 0))) == (0x100, "idle in pool")


def test_who_fetches_the_others_from_the_pool_is_not_idle() -> None:
    assert told(conclude(call=PARALLEL, futex=1, futex_site=ON_POOL)) == (0x101, None)


def test_recorded_state_counts_most() -> None:
    verdict = conclude(recorded=(0x020, 0), call=BARRIER, futex=1, futex_site=ON_BARRIER)
    assert told(verdict) == (0x020, "taskwait")
    assert verdict.wait is not None and verdict.wait.function is None
    same = conclude(recorded=(0x014, 0), call=BARRIER)
    assert same.wait is not None and same.wait.function == "GOMP_barrier"
    assert told(conclude(False, recorded=(0x001, 0))) == (0x001, None)


def test_unknown_place() -> None:
    assert conclude().reason == "in the runtime, called from an unknown place"
    bare = conclude(in_no_users_code=True)
    assert bare.reason == "in the runtime, in none of the program's code"


def test_routine_that_does_not_wait() -> None:
    assert told(conclude(level=0, in_routine=True)) == (0x000, None)
    assert told(conclude(recorded=(0x001, 0), in_routine=True)) == (0x001, None)
    assert told(conclude(recorded=(0x101, 0), in_routine=True)) == (0x001, None)
    # What is recorded as a wait is one; so may be what a thread sleeps on.
    assert told(conclude(recorded=(0x020, 0), in_routine=True)) == (0x020, "taskwait")
    assert conclude(in_routine=True, futex=0x5008).state is None


@pytest.mark.parametrize("name", ["omp_get_thread_num", "omp_in_final_", "__kmpc_end_master"])
def test_names_of_routines(name: str) -> None:
    assert waits.is_routine(name)


@pytest.mark.parametrize("name", ["omp_set_lock", "omp_fulfill_event", "__kmpc_barrier", None])
def test_names_of_no_routines(name: Optional[str]) -> None:
    assert not waits.is_routine(name)


def test_thread_that_begins() -> None:
    for recorded in (None, (0x001, 0)):
        verdict = conclude(False, 1, recorded=recorded, is_outside=True)
        assert verdict.reason == "in none of the program's code: it begins, or ends"
    assert told(conclude(False, recorded=(0x100, 0), is_outside=True)) == (0x100, "idle in pool")


def test_every_kind_has_a_name() -> None:
    assert sorted(waits.KINDS) == list(range(25))
    assert len({kind.name for kind in waits.KINDS.values()}) == 25


def test_wait_is_recorded_but_a_signal_handler_runs() -> None:
    assert told(conclude(False, recorded=(0x010, 0), in_users_code=True)) == (0x001, None)
    assert told(conclude(False, 0, recorded=(0x020, 0), in_users_code=True)) == (0x000, None)
    # Without any frame there is nothing that speaks against it.
    assert told(conclude(False, recorded=(0x020, 0))) == (0x020, None)


def test_place_tells_more_than_a_general_record() -> None:
    workshare = _ompd.WaitSite(2, 0x012, 0x900, "GOMP_loop_end")
    assert told(conclude(recorded=(0x010, 0), call=workshare)) == (0x012, "end of worksharing")
    assert told(conclude(recorded=(0x015, 0), call=workshare)) == (0x015, "end of worksharing")
    # The fork barrier of LLVM's runtime, as its tool interface records it.
    after = conclude(recorded=(0x013, 0), call=PARALLEL, after_user_code=True)
    assert told(after) == (0x011, "end of region")
    assert after.wait is not None and after.wait.function == "GOMP_parallel"


def test_critical_construct_that_is_recorded_as_a_lock() -> None:
    assert told(conclude(recorded=(0x041, 0x7000), call=CRITICAL)) == (0x042, "critical")
    assert told(conclude(recorded=(0x042, 0x7000), call=LOCK)) == (0x041, "lock 0x7000")


def test_wait_that_is_not_recorded() -> None:
    assert told(conclude(recorded=(0x001, 0), call=CRITICAL)) == (0x042, "critical")
    assert told(conclude(recorded=(0x101, 0), call=CREATES)) == (0x101, None)
    # Overhead is what the runtime is in; work it cannot be.
    assert told(conclude(recorded=(0x101, 0))) == (0x101, None)
    assert conclude(recorded=(0x001, 0)).reason == "in the runtime, called from an unknown place"
