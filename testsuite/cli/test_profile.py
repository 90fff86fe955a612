# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg profile`: figures of real runs against what the programs count themselves, places, and what is
made of traces that are damaged."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import jsonschema
import pytest
from conftest import OMPDBG, ROOT, CommandLine
from harness import processes

PROGRAMS = ROOT / "testsuite" / "cli" / "programs"
SOURCE = PROGRAMS / "profiled.c"
SCHEMA = json.loads((ROOT / "docs" / "ompdbg.schema.json").read_text(encoding="utf-8"))
LANES = ("work", "barrier_wait", "task_wait", "lock_wait", "runtime", "idle")
PHASES = ("creation", "pool", "execution", "suspension", "completion")
UNREADABLE, WRONG_USAGE = 3, 2
FIB = 12


def compiled(compiler: str, folder: Path, *flags: str) -> Path:
    """The program."""
    program = folder / "profiled"
    words = [compiler, "-g", "-O1", "-fopenmp", *flags, str(SOURCE), "-o", str(program)]
    subprocess.run(words, check=True)
    return program


def recorded(program: Path, *words: object) -> Tuple[Path, Dict[str, int]]:
    """The trace of a run, and what the program counted."""
    trace = program.parent / "run.trace"
    command = [str(OMPDBG), "record", "-o", str(trace), "--", str(program), *map(str, words)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
        env=processes.environment(),
    )
    assert done.stderr == ""
    counts: Dict[str, int] = json.loads(done.stdout)
    return trace, counts


@pytest.fixture(name="run", scope="module", params=["gcc", "clang"])
def a_run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Tuple[Path, Dict[str, int]]:
    """A run of the program of either compiler."""
    program = compiled(request.param, tmp_path_factory.mktemp(request.param))
    return recorded(program, FIB)


def line_of(word: str) -> int:
    """The line of the program with that word."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    (found,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"// {word}")]
    return found


def profiled(ompdbg: CommandLine, trace: Path, *words: object) -> Dict[str, Any]:
    """The profile of a trace."""
    done = ompdbg.run("profile", trace, "--json", "-", *words)
    assert (done.returncode, done.stderr) == (0, "")
    document: Dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(document, {**SCHEMA, "anyOf": [{"$ref": "#/$defs/profile"}]})
    return document


def at(document: Dict[str, Any], kind: str, word: str) -> List[Dict[str, Any]]:
    """The rows of a table that are about constructs of a kind near a line: GCC and Clang take another
    line of a region or loop for its place."""
    table = {"task": "tasks", "region": "regions", "loop": "loops", "taskwait": "waits"}[kind]
    found = []
    for row in document[table]:
        construct = document["constructs"][row["construct"]]
        place = construct["location"]
        if construct["kind"] == kind and place and abs(place["line"] - line_of(word)) <= 1:
            assert place["file"].endswith("profiled.c")
            found.append(row)
    return found


def made(n: int) -> int:
    """The number of tasks that fibonacci(n) makes."""
    return 0 if n < 2 else 2 + made(n - 1) + made(n - 2)


# ---- Figures -----------------------------------------------------------------------------------


def test_counts(ompdbg: CommandLine, run: Tuple[Path, Dict[str, int]]) -> None:
    trace, counts = run
    document = profiled(ompdbg, trace)
    assert counts["first"] + counts["second"] == made(FIB)
    for word, name in (("FIRST", "first"), ("SECOND", "second"), ("LINK", "links")):
        (row,) = at(document, "task", word)
        assert (row["instances"], row["ended"]) == (counts[name], counts[name])
        assert row["untied"] == (counts[name] if word == "SECOND" else 0)
    total = counts["first"] + counts["second"] + counts["links"]
    assert document["summary"]["tasks"] == total
    assert sum(thread["tasks"] for thread in document["threads"]) == total
    assert sum(row["instances"] for row in at(document, "region", "REGION")) == 1
    (wait,) = at(document, "taskwait", "TASKWAIT")
    assert wait["count"] == counts["first"]
    (loop,) = at(document, "loop", "LOOP")
    assert loop["iterations"] == counts["iterations"]
    if loop["chunks"]:  # LLVM's runtime tells of none
        assert loop["chunks"] == -(-counts["iterations"] // counts["chunk"])
        assert sum(one["iterations"] for one in loop["threads"]) == counts["iterations"]
    assert [(one["kind"], one["count"]) for one in sorted(document["locks"], key=str)] == [
        ("critical", counts["iterations"]),
        ("lock", counts["iterations"]),
    ]
    names = {one["kind"]: one["symbol"] for one in document["locks"]}
    assert names["lock"] == "lock"
    depends = sum(one["count"] for one in document["edges"] if one["kind"] == "depends")
    assert depends == counts["links"] - 1


def test_times_add_up(ompdbg: CommandLine, run: Tuple[Path, Dict[str, int]]) -> None:
    document = profiled(ompdbg, run[0])
    for thread in document["threads"]:
        assert sum(thread[lane] for lane in LANES) == thread["end"] - thread["begin"]
    for row in document["tasks"]:
        known = [row[phase] for phase in PHASES if row[phase]]
        assert row["life"]["known"] == row["instances"]
        assert sum(stat["sum"] for stat in known) == row["life"]["sum"]
    for task in document["tree"]["tasks"]:
        times = [task[phase] for phase in PHASES if task[phase] is not None]
        life = task["ended"] + (task["completion"] or 0) - task["created"]
        assert sum(times) == life
    path = sum(part["time"] for part in document["path"])
    assert path == document["summary"]["span"] <= document["summary"]["work"]
    # All of the chain, one after the other: its work is a lower bound of its region's span.
    (link,) = at(document, "task", "LINK")
    assert sum(row["span"] for row in document["regions"]) >= link["work"]
    line = document["timeline"]
    for row, thread in zip(line["rows"], document["threads"]):
        shown = [sum(part[4 + k] for part in row["slices"]) for k in range(len(LANES))]
        assert shown == [thread[lane] for lane in LANES]
        ends = [first + count for first, count, *_ in row["slices"]]
        assert all(a <= b[0] for a, b in zip(ends, row["slices"][1:]))
        assert ends[-1] <= line["buckets"]


@pytest.mark.parametrize("number", [2, 4, 8, 16])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_one_task(ompdbg: CommandLine, tmp_path: Path, compiler: str, number: int) -> None:
    """Below a task is what the recursion makes."""
    trace, counts = recorded(compiled(compiler, tmp_path), number)
    document = profiled(ompdbg, trace)
    assert counts["first"] + counts["second"] == made(number)
    tops = [task for task in document["tree"]["tasks"] if not task["parent"]]
    ids = [task["id"] for task in tops][:2]  # of fibonacci(n - 1) and fibonacci(n - 2)
    assert [task["below"] for task in tops[:2]] == [made(number - 1), made(number - 2)]
    for top, argument in zip(ids, (number - 1, number - 2)):
        task = profiled(ompdbg, trace, "--task", top)["task"]
        assert task["below"] == made(argument)
        assert task["children"] == len(task["child_ids"]) == (2 if argument >= 2 else 0)
        assert task["threads"]
    text = ompdbg.run("profile", trace, "--task", ids[0]).stdout
    assert f"tasks below {made(number - 1):>25,}" in text


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_tasks_that_are_executed_at_once(
    ompdbg: CommandLine, tmp_path: Path, compiler: str
) -> None:
    """Those for which their creator waits as the program says so are on its path, one after the other."""
    program, trace = tmp_path / "at_once", tmp_path / "trace"
    words = [compiler, "-g", "-O1", "-fopenmp", str(PROGRAMS / "at_once.c"), "-o", str(program)]
    subprocess.run(words, check=True)
    command = [str(OMPDBG), "record", "-o", str(trace), "--", str(program)]
    subprocess.run(command, check=True, env=processes.environment(), timeout=100)
    document = profiled(ompdbg, trace)
    on_path = {part["construct"]: part["tasks"] for part in document["path"]}
    found = {}
    for row in document["tasks"]:
        name = document["constructs"][row["construct"]]["location"]["function"]
        tasks = on_path.get(row["construct"], 0)
        found[name] = (row["instances"], row["undeferred"], tasks)
    assert found["by_clause"] == found["in_final_task"] == (20, 20, 20)
    instances, undeferred, tasks = found["too_many"]
    assert instances == 400 and undeferred > 0
    if compiler == "gcc":  # on one thread, LLVM's runtime tells the same of all tasks
        assert tasks <= 1


# ---- Outputs -----------------------------------------------------------------------------------


def test_text(ompdbg: CommandLine, run: Tuple[Path, Dict[str, int]], tmp_path: Path) -> None:
    trace, counts = run
    for words in ((), ("--full",), ("--tree",), ("--task", "1"), ("--top", "1")):
        done = ompdbg.run("profile", trace, "--text", tmp_path / "text", *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        text = (tmp_path / "text").read_text(encoding="utf-8")
        head = text.index("== ") if "== " in text else 0  # the name of the trace may be long
        assert max(map(len, text[head:].splitlines())) <= 80, text
    text = ompdbg.run("profile", trace).stdout
    row = rf"fibonacci at profiled.c:{line_of('FIRST')} +{counts['first']:,} "
    assert re.search(row, text), text
    # Chunks of the loop: their number and size, or not known; a single has none.
    chunks = -(-counts["iterations"] // counts["chunk"])
    known = f"{chunks} +1-{counts['chunk']}" if "loop, dynamic" in text else r"\? +\?"
    row = rf"^loop.* at profiled.c:\d+ +1 +{counts['iterations']} +{known} "
    assert re.search(row, text, re.M), text
    assert re.search(r"^single .*:\d+ +1 +1 +[\d.]+ \w+-", text, re.M), text
    missing = ompdbg.run("profile", trace, "--task", "99999999").stderr
    assert missing.endswith(": no task 99999999 (--tree shows the numbers).\n")
    tree = ompdbg.run("profile", trace, "--tree").stdout
    assert re.search(rf"^1  fibonacci at profiled.c:\d+, .*{made(FIB - 1):,} below$", tree, re.M)


def test_events_for_viewers(
    ompdbg: CommandLine, run: Tuple[Path, Dict[str, int]], tmp_path: Path
) -> None:
    document = profiled(ompdbg, run[0])
    assert ompdbg.run("profile", run[0], "--trace", tmp_path / "all").returncode == 0
    events = json.loads((tmp_path / "all").read_text())["traceEvents"]
    for thread in document["threads"]:
        own = [one for one in events if one["ph"] == "X" and one["tid"] == thread["thread"]]
        for lane in LANES[:-1]:  # what is idle is left empty
            time = sum(one["dur"] for one in own if one["cat"] == lane)
            assert time * 1000 == pytest.approx(thread[lane], abs=1)
        assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-3 for a, b in zip(own, own[1:]))
    # Not of the trace: what comes after the last event depends on the machine.
    middle = max(one["ts"] for one in events if one["ph"] == "X") / 2e6
    words = ("--from", f"{middle:.9f}", "--trace", tmp_path / "half")
    part = profiled(ompdbg, run[0], *words)["timeline"]
    assert abs(part["begin"] - middle * 1e9) < 10
    half = json.loads((tmp_path / "half").read_text())["traceEvents"]
    assert min(one["ts"] for one in half if one["ph"] == "X") >= middle * 1e6 - 1


# ---- Places ------------------------------------------------------------------------------------


def test_program_that_is_gone_or_another(ompdbg: CommandLine, tmp_path: Path) -> None:
    program = compiled("gcc", tmp_path)
    trace, counts = recorded(program, FIB)
    kept = shutil.copy2(program, tmp_path / "kept")
    program.unlink()
    for how in ("is not there", "has build id"):
        document = profiled(ompdbg, trace)
        (note,) = [one for one in document["trace"]["notes"] if str(program) in one]
        assert how in note
        assert document["summary"]["tasks"] == made(FIB) + counts["links"]
        places = [one["location"] for one in document["constructs"] if one["kind"] == "task"]
        assert all(place["address"] and not place["file"] for place in places)
        assert all(place["object"] == str(program) for place in places)
        assert " in profiled" in ompdbg.run("profile", trace).stdout
        compiled("gcc", tmp_path, "-O0")
    document = profiled(ompdbg, trace, "--exe", kept)
    assert document["trace"]["notes"] == []
    assert len(at(document, "task", "FIRST")) == 1


# ---- Bad input ---------------------------------------------------------------------------------


def test_damage(ompdbg: CommandLine, run: Tuple[Path, Dict[str, int]], tmp_path: Path) -> None:
    whole, cut = run[0].read_bytes(), tmp_path / "cut.trace"
    for size in (0, 7, 100, len(whole) // 3, len(whole) * 2 // 3, len(whole) - 1):
        cut.write_bytes(whole[:size])
        done = ompdbg.run("profile", cut, "--json", "-")
        assert done.returncode in (0, UNREADABLE)
        if done.returncode:
            assert len(done.stderr.splitlines()) == 1 and done.stdout == ""
            continue
        document = json.loads(done.stdout)
        for thread in document["threads"]:
            assert sum(thread[lane] for lane in LANES) == thread["end"] - thread["begin"]
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0x55
    cut.write_bytes(flipped)
    assert ompdbg.run("profile", cut).returncode == 0


def test_wrong_words(
    ompdbg: CommandLine, run: Tuple[Path, Dict[str, int]], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_text("no trace\n" * 100)
    for status, words in (
        (UNREADABLE, (other,)),
        (UNREADABLE, (tmp_path / "none",)),
        (UNREADABLE, (tmp_path,)),
        (UNREADABLE, (run[0], "--task", "99999999")),
        (WRONG_USAGE, ()),
        (WRONG_USAGE, (run[0], other)),
        (WRONG_USAGE, (run[0], "--tree", "--task", "1")),
        (WRONG_USAGE, (run[0], "--task", "0")),
        (WRONG_USAGE, (run[0], "--from", "2", "--to", "1")),
    ):
        done = ompdbg.run("profile", *words)
        assert (done.returncode, done.stdout) == (status, ""), done
        assert len(done.stderr.splitlines()) == 1


def test_no_tasks(ompdbg: CommandLine, tmp_path: Path) -> None:
    source, program, trace = tmp_path / "none.c", tmp_path / "none", tmp_path / "trace"
    source.write_text("int main(void)\n{\n#pragma omp parallel\n\t;\n}\n", encoding="ascii")
    subprocess.run(["gcc", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    command = [str(OMPDBG), "record", "-o", str(trace), "--", str(program)]
    subprocess.run(command, check=True, env=processes.environment(), timeout=100)
    assert ompdbg.run("profile", trace, "--tree").stdout.endswith(
        "\nNo explicit task was created.\n"
    )
    told = ompdbg.run("profile", trace, "--task", "1").stderr
    assert told == f"ompdbg profile: {trace}: no task 1 (no explicit task was created).\n"


@pytest.mark.parametrize("option", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_constructs_in_a_row(
    ompdbg: CommandLine, tmp_path: Path, compiler: str, option: str
) -> None:
    """Each has its own line, even where the compiler gives their calls the same one."""
    source, program, trace = PROGRAMS / "rows.c", tmp_path / "rows", tmp_path / "trace"
    words = [compiler, "-g", option, "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(words, check=True)
    command = [str(OMPDBG), "record", "-o", str(trace), "--", str(program)]
    subprocess.run(command, check=True, env=processes.environment(), timeout=100)
    document = profiled(ompdbg, trace)
    lines = source.read_text(encoding="utf-8").splitlines()
    regions, tasks = document["regions"], document["tasks"]
    single = [row for row in tasks if row["instances"] == 1]
    in_loop = [row for row in tasks if row["instances"] == 3]
    assert len(single) + len(in_loop) == len(tasks)
    assert {row["instances"] for row in regions} == {1}
    for kind, rows in (("region", regions), ("task", single), ("tasks", in_loop)):
        found = [document["constructs"][row["construct"]]["location"]["line"] for row in rows]
        wanted = [i for i, line in enumerate(lines, 1) if line.endswith(f"// {kind}")]
        assert len(found) == len(wanted)
        assert all(0 <= a - b <= 1 for a, b in zip(sorted(found), wanted)), found


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_times_are_those_of_the_program(
    ompdbg: CommandLine, tmp_path: Path, compiler: str
) -> None:
    """The program's own clock: bodies of tasks are in their execution, and what the runtime takes
    is within the constructs; of tasks that are executed in their construct, without the bodies."""
    program = tmp_path / "clocked"
    source = SOURCE.with_name("clocked.c")
    subprocess.run(
        [compiler, "-g", "-O1", "-fopenmp", str(source), "-o", str(program)], check=True
    )
    trace, own = recorded(program)
    document = profiled(ompdbg, trace)
    tasks = {one["undeferred"] == own["tasks"]: one for one in document["tasks"]}
    tasks_of = {"put_off": tasks[False], "at_once": tasks[True]}
    slack = 1.01  # of one clock to the other
    for name, one in tasks_of.items():
        known = [one[part]["sum"] for part in ("creation", "completion") if one[part] is not None]
        assert one["instances"] == own["tasks"]
        assert slack * one["execution"]["sum"] >= own[name]
        if name == "at_once":
            known.append(one["execution"]["sum"])
        assert sum(known) <= slack * own[f"around_{name}"]
        assert len(known) >= 2 or compiler == "clang"
    work, runtime = (sum(one[lane] for one in document["threads"]) for lane in ("work", "runtime"))
    assert slack * work >= own["put_off"] + own["at_once"]
    inside = own["around_put_off"] + own["around_at_once"] - own["at_once"] / slack
    assert runtime <= slack * (inside + own["entered_0"] + own["entered_1"])
