# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg task`, and for which tasks blocked ones wait."""

import json
import re
import struct
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import build  # from fixtures/
import jsonschema
import pytest
from harness import own_programs, processes, setup

PROGRAMS = Path(__file__).resolve().parent / "programs"
SCHEMA = json.loads((setup.ROOT / "docs" / "ompdbg.schema.json").read_text(encoding="utf-8"))
USAGE = 2
OMPT = setup.ROOT / "build" / "ompt"
RECORDED = f"{OMPT}/gomp/libompt-gomp.so:{OMPT}/recorder/libompdbg-recorder.so"


@pytest.fixture(scope="module", params=["O2", "clang"])
def depend(request: pytest.FixtureRequest) -> Iterator[Tuple[int, str]]:
    """Tasks that wait for one another, as the header of fixtures/src/tasks.c says."""
    with processes.ready_program(setup.program("tasks", request.param), ("depend",)) as pid:
        yield pid, request.param


def _explicit(ompdbg: Any, target: object) -> Dict[int, Dict[str, Any]]:
    tasks = ompdbg.json("tasks", target)["tasks"]
    return {task["number"]: task for task in tasks if task["kind"] == "explicit"}


def test_waits_for(ompdbg: Any, depend: Tuple[int, str]) -> None:
    pid, variant = depend
    tasks = _explicit(ompdbg, pid)
    marks = ("writer", "reader", "updater", "first-step", "step", "second-writer", "independent")
    lines = {build.line_of("tasks", mark): mark for mark in marks}
    name = {number: lines[task["function"]["line"]] for number, task in tasks.items()}
    found = Counter(
        (name[number], tuple(sorted(name[other] for other in task["waits_for"])))
        for number, task in tasks.items()
    )
    # libgomp makes the updater wait for the writer, too, after which the readers come anyway.
    readers = ("reader", "reader")
    updater = ("updater", readers if variant == "clang" else (*readers, "writer"))
    assert found == {
        ("writer", ()): 1,
        ("second-writer", ()): 1,
        ("independent", ()): 1,
        ("reader", ("writer",)): 2,
        updater: 1,
        ("first-step", ("second-writer",)): 1,
        ("step", ("first-step",)): 1,
        ("step", ("step",)): 2,
    }


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_chain_of_many_tasks(ompdbg: Any, tmp_path: Path, compiler: str) -> None:
    number, program = 2500, tmp_path / "chain"
    command = [compiler, "-g", "-fopenmp", str(PROGRAMS / "chain.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    with processes.ready_program(program, (str(number),)) as pid:
        tasks = _explicit(ompdbg, pid)
    (last,) = set(tasks) - {other for task in tasks.values() for other in task["waits_for"]}
    met = [last]
    while tasks[met[-1]]["waits_for"]:
        (before,) = tasks[met[-1]]["waits_for"]
        met.append(before)
    assert len(met) == len(set(met)) == number
    assert {tasks[one]["status"] for one in met[:-1]} == {"blocked"}
    assert tasks[met[-1]]["status"] in ("running", "started")


def test_one_task(ompdbg: Any, depend: Tuple[int, str]) -> None:
    tasks = _explicit(ompdbg, depend[0])
    for number, task in tasks.items():
        document = ompdbg.json("task", f"#{number}", depend[0])
        jsonschema.validate(document, SCHEMA)
        one = document["task"]
        dependers = [tasks[n]["id"] for n in tasks if number in tasks[n]["waits_for"]]
        assert sorted(one.pop("dependers")) == sorted(dependers)
        assert one.pop("children") == []
        # Variables of a task that runs are those of its frame: lists leave them out.
        assert {**one, "values": task["values"]} == task
        said = ompdbg.run("task", number, depend[0]).stdout.splitlines()
        assert said[0].startswith(
            f"#{number} task of depend at tasks.c:{task['function']['line']}"
        )
        rows = {line[2:15].rstrip(): line[15:] for line in said[1:]}
        assert rows["Status"] == task["status"]
        waits = ", ".join(f"#{other}" for other in task["waits_for"])
        assert rows.get("Waits for", "") == waits
        assert ("Executed by" in rows) is (task["status"] == "running")


def test_children(ompdbg: Any) -> None:
    with processes.ready_program(setup.program("tasks", "O2"), ("nested",)) as pid:
        tasks = _explicit(ompdbg, pid)
        parents = {task["id"]: number for number, task in tasks.items()}
        expected: Dict[int, List[int]] = {number: [] for number in tasks}
        for number, task in tasks.items():
            if task["parent"] in parents:
                expected[parents[task["parent"]]].append(number)
        found = {n: ompdbg.json("task", n, pid)["task"]["children"] for n in tasks}
        assert found == expected and any(expected.values())
        some = next(n for n, children in expected.items() if children)
        said = ompdbg.run("task", some, pid).stdout
        assert "  Children     " + ", ".join(f"#{n}" for n in expected[some]) in said
        child = ompdbg.run("task", expected[some][0], pid).stdout
        assert f"  Parent       #{some} task of " in child


def _core(pid: int, folder: Path) -> Path:
    """Write a core file of a program that pauses."""
    processes.await_pause(pid)
    command = ["gcore", "-o", str(folder / "core"), str(pid)]
    subprocess.run(command, check=True, timeout=60, capture_output=True)
    return folder / f"core.{pid}"


def _by_system(ompdbg: Any, target: object) -> Dict[int, Dict[str, Any]]:
    """Explicit tasks, with the system's numbers of threads: GDB writes threads into a core file in an order
    of its own."""
    threads = {one["gdb"]: one["lwp"] for one in ompdbg.json("threads", target)["threads"]}
    tasks = _explicit(ompdbg, target)
    return {n: {**one, "thread": threads.get(one["thread"])} for n, one in tasks.items()}


def test_numbers_of_a_core_are_those_of_its_process(
    ompdbg: Any, depend: Tuple[int, str], tmp_path: Path
) -> None:
    live = _by_system(ompdbg, depend[0])
    core = _by_system(ompdbg, _core(depend[0], tmp_path))
    assert core == live and len(live) > 1


def _dependers(ompdbg: Any, target: object) -> Dict[int, Any]:
    """Of each task, those that wait for it, in the report; all documents must say the same."""
    report = ompdbg.json("report", target)
    jsonschema.validate(report, SCHEMA)
    listed = {task["number"]: task for task in report["tasks"]["listed"] if task["number"]}
    for number, task in listed.items():
        assert ompdbg.json("task", number, target)["task"]["dependers"] == task["dependers"]
    return {number: task["dependers"] for number, task in listed.items()}


def test_dependers_in_reports(ompdbg: Any, depend: Tuple[int, str], tmp_path: Path) -> None:
    """Also of tasks of which LLVM's runtime has forgotten all depend clauses."""
    tasks = _explicit(ompdbg, depend[0])
    expected = {
        number: sorted(one["id"] for one in tasks.values() if number in one["waits_for"])
        for number in tasks
    }
    forgotten = [number for number in tasks if expected[number] and not tasks[number]["depends"]]
    assert bool(forgotten) == (depend[1] == "clang")
    for target in (depend[0], _core(depend[0], tmp_path)):
        found = {number: sorted(ids) for number, ids in _dependers(ompdbg, target).items()}
        assert found == expected


def test_dependers_that_cannot_be_read(ompdbg: Any, tmp_path: Path) -> None:
    """They are not said to be none."""
    with processes.ready_program(setup.program("tasks", "O2"), ("depend",)) as pid:
        core = _core(pid, tmp_path)
    found = _dependers(ompdbg, core)
    number = max(found, key=lambda one: len(found[one]))
    vector = struct.pack(f"<{len(found[number])}Q", *(int(one, 16) for one in found[number]))
    memory = core.read_bytes()
    assert memory.count(vector) == 1
    count = memory.index(vector) - 16  # before the room, which is before the elements
    assert struct.unpack_from("<Q", memory, count) == (len(found[number]),)
    with core.open("r+b") as file:
        file.seek(count)
        file.write(struct.pack("<Q", 1 << 40))
    unreadable = [one for one, ids in _dependers(ompdbg, core).items() if ids is None]
    assert unreadable == [number]
    assert "\n  Awaited by   ?\n" in ompdbg.run("task", number, core).stdout


@pytest.mark.parametrize("family", ["gcc", "clang"])
@pytest.mark.parametrize("waiters", [1, 2])
def test_awaited_tasks(ompdbg: Any, waiters: int, family: str, tmp_path: Path) -> None:
    """Waits for tasks that are alike are one finding; of a few it is told who waits for whom."""
    program = own_programs.compiled(
        str(PROGRAMS / "awaited.c"), tmp_path / "program", family=family
    )
    with processes.ready_program(program, (str(waiters),)) as pid:
        tasks = _explicit(ompdbg, pid)
        threads = ompdbg.json("threads", pid)["threads"]
        findings = ompdbg.json("why", pid, status=1)["findings"]
        text = ompdbg.run("why", pid).stdout
    waiting = sorted(one["gdb"] for one in threads if one["does"] == "taskwait")
    running = {one["id"]: one["thread"] for one in tasks.values() if one["status"] == "running"}
    assert (len(waiting), len(running)) == (waiters, 2 * waiters)
    (found,) = [one for one in findings if one["rule"] == "task"]
    assert (sorted(found["waiters"]), found["task"]) == (waiting, None)
    assert {edge["task"]: edge["waits_for"] for edge in found["chain"]} == running
    assert sorted(found["waits_for"]) == sorted(running.values())
    between = "-" if waiting[-1] == waiting[0] + 1 else ", "
    who = (
        f"Thread {waiting[0]} waits"
        if waiters == 1
        else f"Threads {between.join(map(str, waiting))} wait"
    )
    assert found["text"].startswith(f"{who} for {2 * waiters} tasks that threads ")
    rows = re.findall(r"^  threads? .*  taskwait(.*?)  ", text.partition("Region ")[0], re.M)
    # The code of a region's other threads jumped to the runtime: their place has other words.
    assert len(rows) == min(waiters, 2), text
    assert all(row.startswith(", for threads ") is (waiters == 1) for row in rows), text


def test_wrong_numbers(ompdbg: Any, depend: Tuple[int, str]) -> None:
    last = len(_explicit(ompdbg, depend[0]))
    done = ompdbg.run("task", last + 1, depend[0])
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr == f"ompdbg task: no task #{last + 1} (the last one is #{last}).\n"
    for word in ("0", "x", "-1"):
        done = ompdbg.run("task", "--", word, depend[0])
        assert done.returncode == USAGE and len(done.stderr.splitlines()) == 1
    assert "missing number of a task" in ompdbg.run("task").stderr


def _libomp_for_gcc(folder: Path) -> Dict[str, str]:
    """An environment in which code of GCC's runs on LLVM's runtime."""
    command = ["clang", "-print-file-name=libomp.so.5"]
    runtime = subprocess.check_output(command, universal_newlines=True, timeout=60).strip()
    (folder / "libgomp.so.1").symlink_to(runtime)
    return {"LD_LIBRARY_PATH": str(folder)}


@pytest.mark.parametrize("built", ["gcc -O0", "gcc -O2", "clang -O0"])
def test_names_of_dependences(ompdbg: Any, tmp_path: Path, built: str) -> None:
    """Behind a pointer, an element is named only if a variable has its number."""
    program = tmp_path / "depends"
    command = [*built.split(), "-g", "-fopenmp", str(PROGRAMS / "depends.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    with processes.ready_program(program, ()) as pid:
        live = _explicit(ompdbg, pid)
        processes.await_pause(pid)
        command = ["gcore", "-o", str(tmp_path / "core"), str(pid)]
        subprocess.run(command, check=True, timeout=60, capture_output=True)
        core = _explicit(ompdbg, tmp_path / f"core.{pid}")
    chain = ["flag", "local[3]", "*heap", "*blocks[2]", None, "list->pair[1]", "own.value"]
    for tasks in (live, core):
        named = {
            tuple(sorted((one["kind"], one["symbol"]) for one in task["depends"]))
            for task in tasks.values()
        }
        # LLVM's runtime forgets what a later task names again: of each pair, "out" stays last.
        expected = {(("in", a), ("out", b)) for a, b in zip(chain, chain[1:])}
        assert named - {(("out", "flag"),)} <= expected | {(("in", "local[3]"),)}, built
        if built.startswith("gcc"):
            assert named == expected | {(("out", "flag"),)}
        else:
            assert {symbol for one in named for _, symbol in one} == set(chain)


@pytest.mark.parametrize(
    ("built", "on"),
    [
        ("gcc -O0", "libgomp"),
        ("gcc -O2", "libgomp"),
        ("gcc -O0", "recorded"),
        ("gcc -O2", "recorded"),
        ("gcc -O2", "libomp"),
        ("clang -O0", "libomp"),
    ],
)
def test_values_of_tasks_that_wait(ompdbg: Any, tmp_path: Path, built: str, on: str) -> None:
    """Of Clang's tasks, the copies without optimisation: debug information names no others."""
    is_clang = built.startswith("clang")
    program = tmp_path / "given"
    command = [*built.split(), "-g", "-fopenmp", str(PROGRAMS / "given.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    environment = {"LD_PRELOAD": RECORDED} if on == "recorded" else {}
    if on == "libomp" and not is_clang:
        environment = _libomp_for_gcc(tmp_path)
    with processes.ready_program(program, (), environment) as pid:
        tasks = _explicit(ompdbg, pid)
        texts = [ompdbg.run("task", number, pid).stdout for number in tasks]
        tree = ompdbg.run("tasks", pid).stdout
        processes.await_pause(pid)
        command = ["gcore", "-o", str(tmp_path / "core"), str(pid)]
        subprocess.run(command, check=True, timeout=60, capture_output=True)
        core = _explicit(ompdbg, tmp_path / f"core.{pid}")
    assert [core[n]["values"] for n in core] == [tasks[n]["values"] for n in core]
    given = [
        {(one["name"], one["shared"]): one["value"] for one in task["values"]}
        for task in tasks.values()
    ]
    waiting = [one for one in given if one]
    assert sorted(one.pop(("n", False)) for one in waiting) == ["0", "1", "2"]
    for one in waiting:
        assert one.pop(("name", False)).endswith(' "abc"')
        shared = {} if is_clang else {("written", True): "1.5"}
        assert one == {("corner", False): "{x = 3, y = 4}", **shared}
    running = [task for task in tasks.values() if task["status"] == "running"]
    assert [task["values"] for task in running] == [[]] and len(given) == len(waiting) + 1
    shared_rows = sum("  Shared       written = 1.5\n" in text for text in texts)
    assert shared_rows == (0 if is_clang else len(waiting))
    assert sum("  Value        n = 2\n" in text for text in texts) == 1
    assert ("shared written = 1.5" in tree) is not is_clang
    assert tree.index("corner = {") < tree.index("name = 0x")  # addresses come last
    blocked = [line for line in tree.splitlines() if ", blocked" in line]
    # What it waits for stands before what may be cut at the end of the line.
    assert len(blocked) == len(waiting)
    assert all(", blocked, waits for #" in line for line in blocked)
