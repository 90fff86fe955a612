# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of waits where code of the program left no frame, was inlined, or called the system from
headers: nothing that is not so."""

import re
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, Set

import build  # from fixtures/
import pytest
from conftest import OMPDBG
from harness import own_programs, processes, rest, terminal

PROGRAMS = Path(__file__).resolve().parent / "programs"
BOTH = pytest.mark.parametrize("family", ("gcc", "clang"))


def compiled(name: str, family: str, folder: Path, debug: str = "-g", level: str = "-O2") -> str:
    """Compile a program."""
    options = (level, debug, "-fopenmp")
    try:
        return str(
            own_programs.compiled(str(PROGRAMS / name), folder / "program", options, family)
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))


@contextmanager
def hanging(
    name: str, family: str, threads: int, folder: Path, debug: str = "-g"
) -> Iterator[int]:
    """Compile a program, and run it until all of its threads rest."""
    with rest.hanging([compiled(name, family, folder, debug)], threads, folder) as process:
        yield process.pid


def line_of(name: str, mark: str) -> int:
    """Find the line of a source file that has a mark."""
    lines = (PROGRAMS / name).read_text().splitlines()
    (number,) = [at for at, line in enumerate(lines, 1) if line.endswith(f"// LINE: {mark}")]
    return number


@BOTH
def test_tasks_at_the_end_of_a_region(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """A thread that runs one there has come to the barrier: one of four has not."""
    with hanging("late_tasks.c", family, 4, tmp_path) as pid:
        text = ompdbg.run("why", pid).stdout
        locks = terminal.printed([OMPDBG, "locks", pid], 44)
    # However narrow the terminal, the table says who perhaps holds it, and who waits.
    assert re.search(r"^critical \S+ +perhaps \d +\d[,-]\d", locks, re.M), locks
    counts = re.search(r"Region 1: (\d) of 4 threads \w+ reached a barrier, 1 has not", text)
    assert counts, text
    assert family == "clang" or counts.group(1) == "3"
    assert ("wait for it\n" in text) == ("that it holds itself\n" in text), text


@BOTH
def test_region_that_was_opened_last(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """Its primary thread has come to the end of the region."""
    with hanging("own_threads.cpp", family, 4, tmp_path) as pid:
        text = ompdbg.run("why", pid).stdout
        threads = ompdbg.json("threads", pid)["threads"]
    assert "Region 1: 2 of 3 threads have reached a barrier, 1 has not" in text, text
    primary = [one["wait"] for one in threads if one["thread_num"] == 0 and one["team"]]
    assert "barrier_parallel" in [wait["kind"] for wait in primary if wait], threads


@BOTH
def test_functions_that_set_a_lock(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """Of functions that are inlined in one another, the one is named that has set the lock."""
    named: Dict[str, str] = {}
    with hanging("inlined.c", family, 3, tmp_path) as pid:
        for lock in ompdbg.json("locks", pid)["locks"]:
            (candidate,) = lock["candidates"]
            named[lock["symbol"]] = candidate["location"]["function"]
    assert named == {"first": "main", "second": "main", "sum": "add_twice"}


@BOTH
def test_headers_of_libraries(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """A thread is where the program's own file called them; the system's functions have their names."""
    with hanging("headers.cpp", family, 5, tmp_path) as pid:
        rows = ompdbg.run("threads", pid).stdout
        regions = ompdbg.run("regions", pid).stdout
    for mark in ("one", "other", "future"):
        place = rf" work at headers\.cpp:{line_of('headers.cpp', mark)}\b"
        assert len(re.findall(place, rows)) == len(re.findall(place, regions)) == 1, (mark, rows)
    assert "sleeps in __cxa_guard_acquire " in rows
    assert re.search(r"sleeps in std::\w+::_M_futex_wait_until +implicit", rows), rows


@BOTH
def test_function_that_jumps(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """A function of the system has the name by which the program calls it, if it left no frame."""
    with hanging("condition.cpp", family, 2, tmp_path) as pid:
        rows = ompdbg.run("threads", pid).stdout
    assert rows.count("sleeps in std::condition_variable::wait  ") == 2, rows


def test_tasks_that_stay_queued(ompdbg: Any, tmp_path: Path) -> None:
    """The deadlock that keeps all threads from them shows these threads, and nothing does so again."""
    with hanging("kept_queued.c", "gcc", 2, tmp_path) as pid:
        text = ompdbg.run("why", pid).stdout
        findings = ompdbg.json("why", pid, status=1)["findings"]
    assert [one["rule"] for one in findings] == ["deadlock", "queued"]
    assert text.count("insert at kept_queued.c") == text.count("mutex table") == 1, text
    told = re.search(
        r"^(\d+) tasks of region 1 are queued, and all of its threads sleep ", text, re.M
    )
    assert told and int(told[1]) > 100 == len(findings[1]["chain"]), text


@BOTH
def test_code_without_a_name(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """Without -g, Clang's name of a construct's code does not say of which function it is: tables and
    stacks say the same."""
    with hanging("abandoned.c", family, 2, tmp_path, "-g0") as pid:
        stacks = ompdbg.run("bt", pid).stdout
        threads = ompdbg.json("threads", pid)["threads"]
        text = "".join(ompdbg.run(name, pid).stdout for name in ("why", "threads", "regions"))
    assert stacks.count("parallel region of main\n") == 1
    assert {thread["location"]["function"] for thread in threads} == {"main"}
    assert "??" not in text and "0x" not in text, text


@BOTH
def test_locks_of_the_same_name(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """However narrow the terminal, tables tell them apart. Long names of functions keep what is last."""
    with hanging("alike.cpp", family, 2, tmp_path) as pid:
        stacks = ompdbg.run("bt", "--thread=1", pid).stdout
        why = " ".join(ompdbg.run("why", pid).stdout.split())
        values = ompdbg.run("print", "name", pid).stdout
        for columns in (60, 80, 120):
            text = terminal.printed([OMPDBG, "locks", "--color=never", pid], columns)
            locks = re.findall(r"^lock (\S+.*?)  ", text, re.M)
            assert len(set(locks)) == 2 and "w..." not in text, text
            text = terminal.printed([OMPDBG, "threads", "--color=never", pid], columns)
            assert len(set(re.findall(r" lock (\S+.*?)  ", text))) == 2, text
    # That of the one's lambda expression has a long name.
    assert max(map(len, values.splitlines())) < 100 and "Book::with<" in values, values
    called = (
        r"Book::move\(\.\.\.\)::\{lambda\(\.\.\.\)#1\}::operator\(\)|Book::move::\$_0::operator"
    )
    assert re.search(called, stacks), stacks
    assert re.search(r"Book::with<.{0,30}> at alike\.cpp:\d+ \(frame \d+\) may have", why), why


@BOTH
def test_a_thread_that_left_its_region(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """It runs nothing, and need not have been left behind by fork()."""
    with hanging("left.c", family, 3, tmp_path) as pid:
        why = " ".join(ompdbg.run("why", pid).stdout.split())
        tasks = ompdbg.run("tasks", pid).stdout.splitlines()
        document = ompdbg.json("tasks", pid)["tasks"]
    assert "Region 1: 1 of its 4 threads does not exist" in why, why
    assert "it has ended in the region, or fork() left it in the parent process" in why, why
    assert "  implicit task of a thread that does not exist (2/4)" in tasks, tasks
    (left,) = [one for one in document if one["kind"] == "implicit" and one["thread"] is None]
    assert (left["thread_num"], left["status"]) == (2, "unknown")


@BOTH
def test_owner_of_a_reduction(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """The thread that combines its values has the lock of reductions."""
    with hanging("combining.c", family, 4, tmp_path) as pid:
        threads = {one["thread_num"]: one["gdb"] for one in ompdbg.json("threads", pid)["threads"]}
        (lock,) = ompdbg.json("locks", pid)["locks"]
    assert lock["kind"] == ("atomic" if family == "gcc" else "critical")
    assert lock["waiters"] == sorted(threads[number] for number in (0, 1, 3))
    (candidate,) = lock["candidates"]
    assert (candidate["thread"], candidate["known_by"]) == (threads[2], "code")


@BOTH
def test_several_dependences_on_a_task(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """It is named once. An event's handle is a number, not the limit of its type."""
    with hanging("detached.c", family, 2, tmp_path) as pid:
        text = ompdbg.run("tasks", pid).stdout
        tasks = ompdbg.json("tasks", pid)["tasks"]
        (waiting,) = [task for task in tasks if task["status"] == "blocked"]
        values = ompdbg.json("task", waiting["number"], pid)["task"]["values"]
    (detached,) = [task for task in tasks if task["status"] == "detached"]
    assert waiting["waits_for"] == [detached["number"]]
    assert f"blocked, waits for #{detached['number']}, detachable" in text
    event = (tmp_path / "event").read_text()
    assert {one["name"]: one["value"] for one in values}.get("sent", event) == event
    assert any(one["name"] == "sent" for one in values) == (family == "gcc")


@BOTH
def test_lock_of_code_that_jumped(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """The call that opened the region does not pass the lock: code is no lock."""
    with hanging("jumped_lock.c", family, 2, tmp_path) as pid:
        waits = [one["wait"] for one in ompdbg.json("threads", pid)["threads"]]
    address = (tmp_path / "address").read_text()
    assert {wait["kind"] for wait in waits} <= {"lock", "mutex"}
    assert all(wait["address"] in (None, address) and not wait["symbol"] for wait in waits)


@BOTH
@pytest.mark.parametrize("level", ("-O0", "-O2"))
def test_a_flag_that_is_read_by_a_pointer(
    ompdbg: Any, tmp_path: Path, level: str, family: str
) -> None:
    """The loop keeps what it read in its frame, to which the pointer does not lead. In another it does."""
    program = compiled("received.c", family, tmp_path, level=level)
    states = {}
    for way in ("", "own"):
        with processes.ready_program(Path(program), (way,)) as pid:
            time.sleep(0.1)
            threads = ompdbg.json("threads", pid)["threads"]
            text = ompdbg.run("why", pid)
        (states[way],) = [one["does"] for one in threads if one["thread_num"] == 1]
        assert text.returncode == (way == ""), text.stdout
    assert states[""].split(" on ")[0] == "spins" and states["own"] == "works", states


# What the owner of a lock does, then a thread without OpenMP, and how bad it is that others wait for the
# lock if nobody knows the owner. Any thread may end a spin, but only those of OpenMP have its locks.
UNOWNED = {
    ("works", "sleeps"): "waiting",
    ("sleeps", "works"): "held_up",
    ("sleeps", "sleeps"): "held_up",
    ("spins", "works"): "waiting",
    ("spins", "sleeps"): "held_up",
}


@BOTH
@pytest.mark.parametrize("holder, bystander", UNOWNED)
def test_lock_whose_owner_is_unknown(
    ompdbg: Any, tmp_path: Path, family: str, holder: str, bystander: str
) -> None:
    """Whoever may have it counts, for who waits for it, and for who waits for such a waiter."""
    severity = UNOWNED[holder, bystander]
    status = int(severity != "waiting")
    problem = processes.kernel_core_problem()
    program = rest.Hanging([compiled("unowned.c", family, tmp_path), holder, bystander], tmp_path)
    try:
        processes.await_pause(program.pid)
        reports = [ompdbg.json("report", program.pid, status=status)]
        if not problem:
            reports.append(ompdbg.json("report", program.core(), status=status))
    finally:
        program.end()
    for report in reports:
        numbers = {one["gdb"]: one["thread_num"] for one in report["threads"] if one["level"]}
        perhaps: Dict[int, Set[int]] = {}
        for lock in report["locks"]:
            (waiter,) = lock["waiters"]
            assert lock["owner"] is None
            perhaps[numbers[waiter]] = {numbers[one["thread"]] for one in lock["candidates"]}
        # Thread 0 has it, whose code does not show that with every compiler.
        assert perhaps in ({1: set(), 2: {1}}, {1: {0}, 2: {1}}), perhaps
        found = [one for one in report["findings"] if one["rule"] == "lock"]
        assert {numbers[one["waiters"][0]]: one["severity"] for one in found} == {
            1: severity,
            2: severity,
        }
        for one in found:
            is_unknown = not perhaps[numbers[one["waiters"][0]]]
            has_remedy = any('"ompdbg record"' in note for note in one["notes"])
            assert has_remedy == (is_unknown and status == 1), one
    if problem:
        pytest.skip(problem)


@BOTH
def test_tasks_that_are_suspended(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """They are left to be waited for, wherever they are."""
    with hanging("suspended.c", family, 3, tmp_path) as pid:
        text = ompdbg.run("why", pid).stdout
        threads = ompdbg.json("threads", pid)["threads"]
        findings = ompdbg.json("why", pid, status=1)["findings"]
    assert "is left to wait for" not in text, text
    # Their code may have left no frame.
    waits = {one["thread_num"]: one["wait"] for one in threads}
    assert {waits[1]["symbol"], waits[2]["symbol"]} == {"locks[0]", "locks[1]"}, waits
    first = [one["gdb"] for one in threads if one["thread_num"] == 0]
    (finding,) = [one for one in findings if one["waiters"] == first]
    assert finding["rule"] == "task", finding
    kinds = {edge["kind"] for edge in finding["chain"]}
    assert len(finding["chain"]) == 2 and kinds <= {"task", "suspended"}, finding
    assert "Thread 1 waits for 2 suspended tasks\n" in text, text


@BOTH
@pytest.mark.parametrize("level", ("-O0", "-O2"))
def test_lock_that_is_set_twice(ompdbg: Any, tmp_path: Path, level: str, family: str) -> None:
    """The thread that waits for it has set it: on no way can those at the barrier have done so."""
    program = compiled("set_twice.c", family, tmp_path, level=level)
    with rest.hanging([str(program)], 3, tmp_path) as process:
        threads = ompdbg.json("threads", process.pid)["threads"]
        (lock,) = ompdbg.json("locks", process.pid)["locks"]
        text = ompdbg.run("why", process.pid).stdout
    (waiter,) = [one["gdb"] for one in threads if one["thread_num"] == 1]
    assert lock["waiters"] == [waiter] == [one["thread"] for one in lock["candidates"]]
    assert f"deadlock: thread {waiter} waits for a lock that it holds itself\n" in text, text
    assert "(owner unknown)" not in text


@BOTH
def test_a_recording_weakens_nothing(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """An event that nobody fulfils holds up the threads at the barrier, too: a thread that is missing there
    was at none before, and has let none of them go."""
    try:
        program = own_programs.case("upload.c", tmp_path, ["-O2", "-g", "-fopenmp"], family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    for command in ([str(program)], [str(OMPDBG), "record", "--", str(program)]):
        with rest.hanging(command, 4, tmp_path) as process:
            findings = ompdbg.json("why", process.pid, status=1)["findings"]
        rules = {one["rule"]: one["severity"] for one in findings}
        assert rules["event"] == "held_up", findings


@BOTH
@pytest.mark.parametrize("size", (4, 16))
def test_primary_at_a_barrier(ompdbg: Any, tmp_path: Path, family: str, size: int) -> None:
    """LLVM's runtime counts the arrivals of workers only, and of those that gather others only when all of these
    have come: that the others have left the barrier before shows in the tasks that they would execute.
    """
    program = compiled("lost_event.c", family, tmp_path)
    command = ["env", "KMP_BLOCKTIME=infinite", str(program), str(size)]
    with rest.hanging(command, size, tmp_path) as process:
        findings = ompdbg.json("why", process.pid, status=1)["findings"]
    rules = {one["rule"]: one["severity"] for one in findings}
    assert rules["event"] == "held_up", findings


LEFT = {
    "jump": r"No function on any stack is within the construct: (perhaps )?longjmp\(\) or the like has left",
    "throw": "No function on any stack is seen to have set it and not unset it: perhaps an exception or ",
    "stay": "",
}


@BOTH
@pytest.mark.parametrize("level", ("-O0", "-O2"))
@pytest.mark.parametrize("way", LEFT)
def test_locks_that_were_left(
    ompdbg: Any, tmp_path: Path, way: str, level: str, family: str
) -> None:
    """By a jump or an exception; not of one whose owner is still in the construct. Waiters that spin may have
    just got the lock."""
    program = compiled("left_locks.cpp", family, tmp_path, level=level)
    problem = processes.kernel_core_problem()
    texts = []
    with rest.hanging([str(program), way], 4, tmp_path) as process:
        for is_core in (False,) if problem else (False, True):
            at = process.core() if is_core else process.pid
            texts.append(" ".join(ompdbg.run("why", at).stdout.split()))
    for text in texts:
        assert ("No function on" in text) == (way != "stay"), text
        assert re.search(LEFT[way], text), text
        if way == "jump":
            assert ("perhaps longjmp()" in text) == (family == "clang"), text
    if problem:
        pytest.skip(problem)


@BOTH
def test_left_lock_of_a_recorded_owner(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """It is in the construct no more, however the others wait."""
    options = ("-O0", "-g", "-fopenmp")
    source = str(PROGRAMS / "left_locks.cpp")
    try:
        program = own_programs.compiled(source, tmp_path / "program", options, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    command = [str(OMPDBG), "record", "--", str(program), "jump"]
    with rest.hanging(command, 4, tmp_path) as process:
        text = " ".join(ompdbg.run("why", process.pid).stdout.split())
        threads = ompdbg.json("threads", process.pid)["threads"]
    (owner,) = [one["gdb"] for one in threads if one["thread_num"] == 2]
    assert f"No function on the stack of thread {owner} is within the construct: longjmp()" in text


@BOTH
@pytest.mark.parametrize("level", ("-O0", "-O2"))
@pytest.mark.parametrize("way", ("points", "none"))
def test_cancellation_that_is_off(
    ompdbg: Any, tmp_path: Path, way: str, level: str, family: str
) -> None:
    """Threads that wait to be cancelled never are."""
    program = compiled("uncancelled.c", family, tmp_path, level=level)
    command = [str(program), *(["none"] if way == "none" else [])]
    with rest.hanging(command, 3, tmp_path) as process:
        text = ompdbg.run("why", process.pid).stdout
        threads = ompdbg.json("threads", process.pid)["threads"]
    low, high = sorted(one["gdb"] for one in threads if one["thread_num"] in (1, 2))
    told = f"The cancellation points in the loops of threads {low}{'-' if high == low + 1 else ','}{high} "
    assert (told + "do nothing: OMP_CANCELLATION=true" in " ".join(text.split())) == (
        way == "points"
    ), text
    assert way == "points" or "OMP_CANCELLATION" not in text


@BOTH
def test_iteration_that_holds_up_a_doacross(ompdbg: Any, tmp_path: Path, family: str) -> None:
    """Its thread is named as the only one that does not wait there."""
    with hanging("doacross.c", family, 4, tmp_path) as pid:
        text = ompdbg.run("why", pid).stdout
        threads = ompdbg.json("threads", pid)["threads"]
    (number,) = [one["gdb"] for one in threads if one["thread_num"] == 1]
    assert f" wait for an ordered region, perhaps for thread {number}:" in text, text


def test_waits_of_two_runtimes(ompdbg: Any, tmp_path: Path) -> None:
    """A thread holds the critical construct of one while it waits at a barrier of the other."""
    library = tmp_path / "libmixed.so"
    flags = ("-O1", "-g", "-fopenmp")
    link = ("-Wl,--no-as-needed", f"-L{tmp_path}", "-lmixed", f"-Wl,-rpath,{tmp_path}")
    try:
        own_programs.compiled(
            str(PROGRAMS / "mixed_library.c"), library, (*flags, "-fPIC", "-shared"), "clang"
        )
        program = own_programs.compiled(
            str(PROGRAMS / "mixed.c"), tmp_path / "mixed", (*flags, *link)
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    problem = processes.kernel_core_problem()
    with rest.hanging([str(program)], 4, tmp_path) as process:
        texts = [ompdbg.run("why", process.pid)]
        if not problem:
            texts.append(ompdbg.run("why", process.core()))
    for text in texts:
        assert text.returncode == 1
        words = " ".join(text.stdout.split())
        assert "regions of libgomp and libomp, which do not know of each other" in words, words
        assert "use one runtime in the whole program" in words
    if problem:
        pytest.skip(problem)


@BOTH
@pytest.mark.parametrize("cancellation", ("false", "true"))
def test_the_same_threads_have_come(
    ompdbg: Any, tmp_path: Path, family: str, cancellation: str
) -> None:
    """`why` and `regions` count the same. LLVM's runtime shows which threads were not let go only where no
    region can be cancelled."""
    problem = processes.kernel_core_problem()
    command = ["env", "KMP_BLOCKTIME=infinite", f"OMP_CANCELLATION={cancellation}"]
    program = rest.Hanging([*command, compiled("lost_event.c", family, tmp_path), "4"], tmp_path)
    said = []
    try:
        rest.await_rest(program.pid, 4)
        for is_core in (False,) if problem else (False, True):
            at = program.core() if is_core else program.pid
            texts = [ompdbg.run(name, at).stdout for name in ("why", "regions")]
            said.append((*texts, ompdbg.json("regions", at)["regions"][0]["progress"]))
    finally:
        program.end()
    for why, regions, progress in said:
        if family == "clang" and cancellation == "true":
            assert (progress["arrived"], progress["unsure"]) == (0, 3)
            assert "3 of 4 threads are at a barrier or have just left it\n" in why
            assert "barrier: 3 of 4 are there or have just left it\n" in regions
        else:
            assert (progress["arrived"], progress["unsure"]) == (3, 0)
            assert "3 of 4 threads have reached a barrier, 1 has not\n" in why
            assert "barrier: 3 of 4 have arrived\n" in regions
    if problem:
        pytest.skip(problem)


def test_two_calls_without_lines(ompdbg: Any, tmp_path: Path) -> None:
    """They may be of one construct, of which the compiler has made copies."""
    source = str(PROGRAMS / "two_calls.c")
    findings = {}
    for debug in ("-g0", "-g"):
        program = own_programs.compiled(
            source, tmp_path / debug, ("-O0", debug, "-fopenmp"), "gcc"
        )
        with rest.hanging([str(program)], 4, tmp_path) as process:
            findings[debug] = ompdbg.json("why", process.pid, status=1)["findings"][0]
    assert findings["-g"]["rule"] == "different_barriers"
    assert findings["-g0"]["rule"] == "barrier", findings["-g0"]


def test_function_of_the_c_library_that_is_interposed(
    ompdbg: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the runtime has called it, it is no code of the user's, who waits in the runtime."""
    monkeypatch.setenv("KMP_BLOCKTIME", "0")
    options = ("-O2", "-g", "-fopenmp", "-D_GNU_SOURCE", "-ldl")
    source = str(PROGRAMS / "interposed.c")
    try:
        program = own_programs.compiled(source, tmp_path / "program", options, "clang")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with rest.hanging([str(program)], 3, tmp_path) as process:
        threads = ompdbg.json("threads", process.pid)["threads"]
        tasks = ompdbg.json("tasks", process.pid)["tasks"]
        text = ompdbg.run("why", process.pid).stdout
    kinds = sorted(one["wait"]["kind"] if one["wait"] else one["activity"] for one in threads)
    assert kinds == ["asleep", "barrier", "barrier"], threads
    # Code that has jumped to the runtime has no place.
    places = {one["location"]["function"] for one in threads if one["location"]}
    assert places <= {"main", "pthread_cond_wait"}, threads
    assert {one["kind"] for one in tasks} <= {"initial", "implicit"}, tasks
    assert "Region 1: 2 of 3 threads have reached a barrier, 1 has not\n" in text, text


@pytest.mark.parametrize("regions", (False, True))
@pytest.mark.parametrize("number", (0, 1))
@pytest.mark.parametrize("spin", (False, True))
def test_rest_of_a_league(
    ompdbg: Any, tmp_path: Path, number: int, regions: bool, spin: bool
) -> None:
    """Initial threads of a league wait at its end for the one that goes on."""
    limits = ["KMP_TEAMS_THREAD_LIMIT=9", f"KMP_BLOCKTIME={'infinite' if spin else '0'}"]
    program = compiled("league_end.c", "clang", tmp_path)
    command = ["env", *limits, program, str(number)] + ["regions"] * regions
    with rest.hanging(command, 6 if regions else 3, tmp_path) as process:
        threads = ompdbg.json("threads", process.pid)["threads"]
        text = ompdbg.run("why", process.pid).stdout
    told = [one for one in threads if one["wait"] and one["wait"]["kind"] == "barrier_teams"]
    assert [one["state"] for one in told] == ["wait_barrier_teams"] * 2, threads
    assert not [one for one in threads if one["state"] is None], threads
    first = [one for one in told if one["lwp"] == process.pid]
    assert len(first) == number, threads  # the process's own thread is the league's first
    assert re.search(r"^Threads [\d, -]+ wait for the rest of a league$", text, re.M), text
