# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was recorded is what the program says of itself: who took what when and where, who waits
since when, who created which task; in a process, in its core file, and in GDB."""

import json
from typing import Any, Dict, List

import jsonschema
import pytest
from conftest import ROOT, Look, Recorded, ask, gdb, run
from ompdbg.report.html.page import page

TAKINGS, TASKS = 100, 2


def test_owners_are_facts(recorded: Recorded, look: Look) -> None:
    """Who holds the lock and the critical construct, since when, and where that was taken."""
    locks = {one["kind"]: one for one in look.report["locks"]}
    assert set(locks) == {"lock", "critical"}
    for kind, lock in locks.items():
        told = recorded.told[kind][0]
        assert (lock["owner"], lock["held"]) == (look.numbers[told.lwp], True)
        assert look.is_between(lock["recorded"], told), (lock, told, look.started)
        location = lock["recorded"]["location"]
        assert location["line"] == recorded.line(f"takes the {kind}")
        waiters = {look.numbers[one.lwp] for one in recorded.told[f"{kind}_wait"]}
        assert set(lock["waiters"]) == waiters
    assert int(locks["lock"]["address"], 16) == recorded.told["lock"][0].address
    assert locks["lock"]["known_by"] == "history"


def test_the_diagnosis_tells_owners(recorded: Recorded, look: Look) -> None:
    """In the headline, with the place; and it is certain."""
    findings = look.report["findings"]
    told = {one["lock"]: one for one in findings if one["rule"] == "lock"}
    for kind, name in (("lock", "held"), ("critical", "table")):
        line = recorded.line(f"takes the {kind}")
        owner = look.numbers[recorded.told[kind][0].lwp]
        text = told[name]["text"]
        assert f", held by thread {owner} " in text
        assert text.endswith(f", taken at takings.c:{line}")
        assert told[name]["certain"]


def test_an_owner_is_said_once(recorded: Recorded) -> None:
    """The rows below the headline don't repeat it."""
    lines = run("why", recorded.core).stdout.splitlines()
    for title in ("lock held", "critical table"):
        (begin,) = [i for i, line in enumerate(lines) if f" for {title}, held by thread " in line]
        (row,) = [line for line in lines[begin + 1 : begin + 3] if f"  {title}  " in line]
        assert "held by" not in row


def test_waits_have_begun(recorded: Recorded, look: Look) -> None:
    """Since when each thread waits, and where."""
    waits = {one["lwp"]: one["recorded"]["wait"] for one in look.report["threads"]}
    for kind in ("lock", "critical"):
        for told in recorded.told[f"{kind}_wait"]:
            assert look.is_between(waits[told.lwp], told)
            assert waits[told.lwp]["location"]["line"] == recorded.line(f"waits for the {kind}")
    at_barrier = [one for one in recorded.told["barrier"] if waits[one.lwp] is not None]
    assert len(at_barrier) == len(recorded.told["barrier"]) - TASKS  # the others run them
    assert all(look.is_between(waits[one.lwp], one) for one in at_barrier)
    assert waits[recorded.told["lock"][0].lwp] is None


def test_tasks_have_creators(recorded: Recorded, look: Look) -> None:
    """Each with the time of its own creation. The threads at the barrier run some of them."""
    tasks = [one for one in look.report["tasks"]["listed"] if one["kind"] == "explicit"]
    made = sorted((one["recorded"] for one in tasks), key=lambda one: int(one["time"]))
    assert len(made) == TASKS
    for record, told in zip(made, recorded.told["task"]):
        assert look.is_between(record, told)
        assert record["creator"] == look.numbers[told.lwp]
        # Of a call that creates a task GCC may have the line of the statement before.
        assert recorded.line("creates") - record["location"]["line"] in (0, 1)
        assert record["begun"]["time"] >= record["time"]


def test_regions_have_begun(recorded: Recorded, look: Look) -> None:
    """After the program says that it is about to begin it, and before threads came to its barrier."""
    region = look.report["regions"][0]
    assert look.is_between(region["recorded"], recorded.told["main"][0])
    for one in region["recorded"]["arrived"]:
        assert one["time"] >= region["recorded"]["time"]


def test_all_takings_are_events(recorded: Recorded, look: Look) -> None:
    """Neither one more nor one less; each is released before the next."""
    told = recorded.told["lock"][0]
    events = look.events
    times = [one["time"] for one in events]
    assert times == sorted(times)
    own = [
        one["kind"]
        for one in events
        if one["what"] == "lock"
        and int(one["address"], 16) == told.address
        and one["thread"] == look.numbers[told.lwp]
        and one["kind"] in ("acquired", "released")
    ]
    assert own == ["acquired", "released"] * TAKINGS + ["acquired"]
    assert sum(one["kind"] == "task_create" for one in events) == TASKS


def _without_ages(events: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Each look at a process is another stop."""
    return [{name: value for name, value in one.items() if name != "age"} for one in events]


def test_last_and_thread(look: Look) -> None:
    """The latest events are the end of all; those of a thread are all that are its."""
    latest = ask("history", look.name, "--last", 7)["events"]
    assert _without_ages(latest) == _without_ages(look.events[-7:])
    number = look.events[0]["thread"]
    own = [one for one in look.events if one["thread"] == number]
    found = ask("history", look.name, "--all", "--thread", number)["events"]
    assert _without_ages(found) == _without_ages(own)


def test_text_folds_what_repeats(recorded: Recorded) -> None:
    """A hundred takings are two lines."""
    done = run("history", recorded.pid, "--all")
    lines = done.stdout.splitlines()
    assert sum(f"lock held, {TAKINGS} times in " in one for one in lines) == 2
    assert sum("released lock held" in one for one in lines) == 1
    assert "Before stop" in done.stdout.splitlines()[0]


def test_a_core_file_has_no_stop(recorded: Recorded) -> None:
    """Which is said; other times are those of the calendar."""
    done = run("history", recorded.core)
    assert "Before end" in done.stdout.splitlines()[0]
    assert "It is unknown when the program stopped." in done.stdout
    assert " UTC" in run("why", recorded.core).stdout


def test_gdb_says_the_same(recorded: Recorded) -> None:
    """Whole documents of a core file."""
    names = ("history -all", "locks", "threads", "tasks", "regions")
    shown = gdb(
        *(f"omp {name} -json" for name in names),
        arguments=[str(recorded.program), str(recorded.core)],
    )
    documents = [json.loads(part) for part in _documents(shown)]
    assert len(documents) == len(names)
    schema = json.loads((ROOT / "docs/ompdbg.schema.json").read_text(encoding="utf-8"))
    for name, document in zip(names, documents):
        jsonschema.validate(document, schema)
        other = ask(*name.replace(" -", " --").split(), recorded.core)
        if name == "threads":
            _forget_selection(document, other)
        assert document == other


def _documents(text: str) -> List[str]:
    begin = '{"schema"'
    return [begin + part.rsplit("\n", 1)[0] for part in text.split(begin)[1:]]


def _forget_selection(*documents: Dict[str, Any]) -> None:
    for document in documents:
        for thread in document["threads"]:
            del thread["selected"]


def test_gdb_knows_when_it_stopped_the_program(recorded: Recorded) -> None:
    """Attached before the plug-in was there it can't; but at a stop that it has seen."""
    unseen = gdb("omp history", "omp history 99", arguments=["-p", str(recorded.pid)])
    assert "It is unknown when the program stopped." in unseen
    assert 'omp history: no thread "99".' in unseen
    seen = gdb(f"attach {recorded.pid}", "omp history -last 3", "omp why")
    assert "Before stop" in seen
    assert ", held by thread " in seen
    assert " for " in seen


def test_the_report_has_a_picture(look: Look) -> None:
    """A lane for each thread, and a line from each wait to where the owner took the lock."""
    text = "\n".join(page(look.report))
    begin = text.index('<figure class="moments">')
    picture = text[begin : text.index("</figure>", begin)]
    assert picture.count('class="name"') == len(look.report["threads"])
    waiters = sum(len(lock["waiters"]) for lock in look.report["locks"])
    assert picture.count('<g class="link">') == waiters
    held = [lock for lock in look.report["locks"] if "recorded" in lock]
    assert picture.count('<g class="holds lock">') >= len(held)
    assert "NaN" not in picture


# ---- Recordings that cannot be read -------------------------------------------------------------

REFUSED = {
    "magic": "it is damaged",
    "version": "version 99 is unknown (expected version 2)",
    "event_size": "it is damaged",
    "thread_size": "it is damaged",
    "ring": "it is damaged",
    "no_ring": "it is damaged",
    "threads": "it is damaged",
}
LEFT_OUT = ("circle", "pointer", "ring_pointer", "holds", "levels", "tasks")


@pytest.mark.parametrize("how", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_line(stand_in: Any, how: str) -> None:
    """All else works as without."""
    with stand_in(how) as pid:
        done = run("history", pid)
        assert done.stderr == f"ompdbg history: cannot read the recording: {REFUSED[how]}.\n"
        assert (done.stdout, done.returncode) == ("", 3)
        assert f"the recording: {REFUSED[how]}" in run("status", pid).stdout
        threads = ask("threads", pid)["threads"]
        assert len(threads) == 2
        assert not any("recorded" in one for one in threads)


@pytest.mark.parametrize("how", LEFT_OUT)
def test_damaged_parts_are_left_out(stand_in: Any, how: str) -> None:
    """In bounded time; the rest is shown."""
    with stand_in(how) as pid:
        for command in ("history", "threads", "locks", "tasks", "regions", "why", "status"):
            done = run(command, pid)
            assert (done.stderr, done.returncode) == ("", command == "why"), (command, done)
        text = run("history", pid, "--all").stdout
        is_whole = "got iteration 11, 12 times" in text
        assert is_whole == (how in ("circle", "holds", "levels", "tasks"))


def test_any_kind_and_number_can_be_written(stand_in: Any) -> None:
    """Also what no recorder writes."""
    with stand_in("kinds") as pid:
        assert run("history", pid, "--all").returncode == 0
        assert all(isinstance(one["text"], str) for one in ask("history", pid, "--all")["events"])


def test_a_ring_that_is_full_says_so(stand_in: Any) -> None:
    """A slot may be half written; a head beyond all has the rest of the ring."""
    with stand_in("head") as pid:
        text = run("history", pid, "--all").stdout
        assert "Older events are gone" in text
        assert len(ask("history", pid, "--all")["events"]) == 15
    with stand_in("whole") as pid:
        assert len(ask("history", pid, "--all")["events"]) == 12


def test_without_a_clock_there_are_no_times(stand_in: Any) -> None:
    """But what happened is shown."""
    with stand_in("clock") as pid:
        assert "got iteration 11, 12 times" in run("history", pid).stdout
        event = ask("history", pid)["events"][0]
        assert (event["time"], event["age"]) == (None, None)


def test_no_time_is_finer_than_the_clock(stand_in: Any) -> None:
    """Whole nanoseconds are the finest."""
    with stand_in("quick") as pid:
        assert "took lock 0x8 after 0 ns" in run("history", pid, "--all").stdout


def test_a_program_without_a_recording(stand_in: Any) -> None:
    """One line says what to do."""
    with stand_in("begins") as pid:
        done = run("history", pid)
        expected = 'nothing was recorded (start the program with "ompdbg record")'
        assert done.stderr == f"ompdbg history: {expected}.\n"
