# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg record -o`: traces of programs that end, or go on, in many ways."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OMPDBG = ROOT / "build" / "ompdbg"
PRINT = ROOT / "build" / "testsuite" / "recorder" / "print_trace"
COMPILERS = ("gcc", "clang")
SECONDS = 60
TASK_CREATE, TASK_BEGIN, ACQUIRED, RELEASED, LOCK_INIT, LOCK_DESTROY = 7, 8, 18, 19, 20, 21
CREATE_BEGIN, CREATE_END, FINISH_END = 64, 65, 66
LIBGOMP = 1
UNENDED, EXIT = 0, 1
SLACK = 1_000_000  # ns, if the system's clock is being adjusted
BEGINNING = 1024  # bytes of a file with all that is written first


class Trace:
    """What print_trace says of a file."""

    def __init__(self, path: Path, *words: str) -> None:
        printed = subprocess.run(
            [str(PRINT), str(path), *words], stdout=subprocess.PIPE, text=True, check=False
        )
        assert printed.returncode == 0, printed.stdout
        self.counts: Dict[int, int] = {}
        self.threads: List[Dict[str, str]] = []
        self.modules: List[Dict[str, str]] = []
        self.events: List[Tuple[int, int, int, int]] = []  # thread, kind, detail, time
        self.info: Dict[str, int] = {}
        self.texts: Dict[str, str] = {}
        for line in printed.stdout.splitlines():
            word, _, rest = line.partition(" ")
            fields = dict(re.findall(r"(\w+)=(\S*)", rest))
            if word == "count":
                kind = int(fields["kind"])
                self.counts[kind] = self.counts.get(kind, 0) + int(fields["number"])
            elif word == "event":
                thread, kind = int(fields["thread"]), int(fields["kind"])
                self.events.append((thread, kind, int(fields["detail"]), int(fields["time"])))
            elif word == "thread":
                self.threads.append(fields)
            elif word == "module":
                self.modules.append(fields)
            elif word == "info":
                self.info = {name: int(value) for name, value in fields.items()}
            else:
                self.texts[word] = rest
        info = self.info
        assert info["events"] == info["read"]
        assert info["damaged"] == 0

    def is_whole(self, locks: int) -> None:
        """Check that nothing is missing, and how often locks were taken."""
        info = self.info
        assert info["lost_events"] == info["lost_threads"] == info["lost_tasks"] == 0
        assert (self.info["end"], self.texts["note"]) == (EXIT, "-")
        assert self.counts.get(ACQUIRED, 0) == self.counts.get(RELEASED, 0) == locks


@pytest.fixture(scope="session", params=COMPILERS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, by each compiler."""
    compiler = str(request.param)
    folder = tmp_path_factory.mktemp(compiler)
    common = [compiler, "-O1", "-g", "-fopenmp", "-Wall", "-Werror", "-D_GNU_SOURCE"]
    sources = HERE / "programs"
    library = folder / "library.so"
    subprocess.run(
        [*common, "-fPIC", "-shared", str(sources / "library.c"), "-o", str(library)], check=True
    )
    target = folder / "lives"
    subprocess.run([*common, str(sources / "lives.c"), "-o", str(target), "-ldl"], check=True)
    return target


def run(
    program: Path, folder: Path, *words: object, status: int = 0, errors: str = "", **settings: str
) -> Tuple[Path, str]:
    """Run a program with a trace; return the file, and its output."""
    trace = folder / "trace"
    for path in folder.glob("trace*"):
        path.unlink()
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "KMP_LOCK_KIND": "tas", **settings}
    done = subprocess.run(
        [str(OMPDBG), "record", "-o", str(trace), "--", str(program), *map(str, words)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert re.fullmatch(errors, done.stderr), done.stderr
    return trace, done.stdout


def test_nothing_is_lost(program: Path, tmp_path: Path) -> None:
    """Rings have room for 128 events each; there are more than a million."""
    trace, _ = run(program, tmp_path, "work", 2, 170000, OMPDBG_RECORD="ring=4K")
    Trace(trace).is_whole(340000)


def test_many_threads(program: Path, tmp_path: Path) -> None:
    trace, _ = run(program, tmp_path, "work", 256, 100, OMPDBG_RECORD="ring=4K")
    whole = Trace(trace)
    whole.is_whole(25600)
    assert len(whole.threads) == 256


def test_threads_that_come_and_go(program: Path, tmp_path: Path) -> None:
    """There is memory for a few at a time."""
    settings = "ring=4K,budget=1M"
    trace, _ = run(program, tmp_path, "comings", 300, OMPDBG_RECORD=settings)
    whole = Trace(trace)
    whole.is_whole(3000)
    assert len(whole.threads) in (300, 301)  # LLVM's runtime knows the initial thread, too
    assert len({thread["number"] for thread in whole.threads}) == len(whole.threads)
    assert sum(thread["ended"] == "1" for thread in whole.threads) >= 300


def test_threads_without_room(program: Path, tmp_path: Path) -> None:
    trace, _ = run(program, tmp_path, "work", 8, 10, OMPDBG_RECORD="ring=4K,budget=150K")
    part = Trace(trace)
    assert 0 < len(part.threads) < 8
    assert part.info["lost_threads"] == 8 - len(part.threads)
    assert part.counts[ACQUIRED] == 10 * len(part.threads)


def test_the_initial_thread_ends_first(program: Path, tmp_path: Path) -> None:
    trace, output = run(program, tmp_path, "last_thread")
    assert output == "the initial thread ends\n"
    Trace(trace).is_whole(10)


def test_the_writer_takes_no_signals(program: Path, tmp_path: Path) -> None:
    Trace(run(program, tmp_path, "signals")[0]).is_whole(20)


def test_the_writer_has_the_programs_rights(program: Path, tmp_path: Path) -> None:
    """Also when these change, and after root has become another user for good."""
    if os.geteuid():
        pytest.skip("only root can give up rights")
    trace = Trace(run(program, tmp_path, "rights")[0])
    trace.is_whole(40)
    assert all(module["build_id"] for module in trace.modules if module["path"] == str(program))


@pytest.mark.parametrize("program", ["gcc"], indirect=True)
def test_under_valgrind(program: Path, tmp_path: Path) -> None:
    """It knows only such threads as the C library makes."""
    words = ["-q", "--tool=none", program, "last_thread"]
    trace, output = run(Path("/usr/bin/valgrind"), tmp_path, *words)
    assert output == "the initial thread ends\n"
    Trace(trace).is_whole(10)
    words[-1:] = ["work", 2, 1000]
    Trace(run(Path("/usr/bin/valgrind"), tmp_path, *words)[0]).is_whole(2000)


def test_creation_of_tasks(program: Path, tmp_path: Path) -> None:
    """On libgomp, when a thread enters the runtime for it, and is back."""
    trace, _ = run(program, tmp_path, "tasks")
    whole = Trace(trace, "events")
    whole.is_whole(0)
    created = [event for event in whole.events if event[1] == TASK_CREATE]
    assert len(created) == 95
    if whole.info["runtime"] != LIBGOMP:
        assert not whole.info["observes"]
        assert not {event[1] for event in whole.events} & {CREATE_BEGIN, CREATE_END, FINISH_END}
        return
    assert whole.info["observes"] == 1
    maker = created[0][0]
    assert {event[0] for event in created} == {maker}
    numbers: List[int] = []  # of tasks, by creation
    at_once, inside = 0, False
    before = 0
    for thread, kind, detail, _ in whole.events:
        if thread != maker:
            continue
        if kind == CREATE_BEGIN:
            assert not inside
            inside = True
            numbers.append(0)
        elif kind == TASK_CREATE:
            assert inside
            numbers[-1] += 1
        elif kind == CREATE_END:
            assert inside
            inside = False
            at_once += detail
            assert detail == (before == FINISH_END)
        elif kind == TASK_BEGIN and inside:
            assert 40 <= len(numbers) - 1 < 90
        before = kind
    assert numbers == [1] * 90 + [5]
    assert at_once == 50


def test_times(program: Path, tmp_path: Path) -> None:
    """They are those of the system's clock."""
    trace, output = run(program, tmp_path, "times")
    whole = Trace(trace, "events")
    found = [event[3] for event in whole.events if event[1] == LOCK_INIT][1:]
    expected = [tuple(map(int, line.split())) for line in output.splitlines()]
    assert len(found) == len(expected) == 50
    for time_found, (before, after) in zip(found, expected):
        moment = whole.info["start"] + time_found
        assert before - SLACK <= moment <= after + SLACK


def test_events_of_signal_handlers(program: Path, tmp_path: Path) -> None:
    """Those that interrupt the recorder are lost, and counted."""
    trace, output = run(program, tmp_path, "handlers")
    whole = Trace(trace)
    made, destroyed = whole.counts[LOCK_INIT] - 1, whole.counts[LOCK_DESTROY]
    handled = int(output.split()[1])
    assert made + destroyed + whole.info["lost_events"] == 2 * handled
    assert made > 0 and destroyed > 0
    assert whole.info["end"] == EXIT


def test_files_are_the_programs(program: Path, tmp_path: Path) -> None:
    Trace(run(program, tmp_path, "close_files")[0]).is_whole(2020)


def test_output_is_the_programs(program: Path, tmp_path: Path) -> None:
    """Its reader sees its end before the program's."""
    trace = tmp_path / "trace"
    command = [str(OMPDBG), "record", "-o", str(trace), "--", str(program), "close_output"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdout and running.stdin
        assert running.stdout.read() == b""
        running.stdin.close()
        assert running.wait(SECONDS) == 0
    Trace(trace).is_whole(20)


def test_a_file_that_cannot_grow(program: Path, tmp_path: Path) -> None:
    told = r"ompdbg: \S*/trace: cannot write the trace: File too large\n"
    trace = Trace(run(program, tmp_path, "limit_files", errors=told)[0])
    assert trace.texts["note"] == "not written to its end: File too large"
    assert trace.info["lost_events"] > 0
    assert 0 < trace.counts[ACQUIRED] < 200000


def test_forks(program: Path, tmp_path: Path) -> None:
    trace, output = run(program, tmp_path, "forks")
    children = re.findall(r"child (\d+)", output)
    Trace(trace).is_whole(200)
    for child in children[:2]:
        whole = Trace(tmp_path / ("trace." + child))
        whole.is_whole(150)
        assert whole.info["pid"] == int(child)
    assert len(list(tmp_path.glob("trace*"))) == 3  # one child did nothing


@pytest.mark.parametrize("program", ["gcc"], indirect=True)
def test_forks_in_the_midst_of_an_event(program: Path, tmp_path: Path) -> None:
    """LLVM's runtime cannot be forked there."""
    _, output = run(program, tmp_path, "forks_anywhere")
    for child in re.findall(r"child (\d+)", output):
        path = tmp_path / ("trace." + child)
        if not path.exists():
            continue  # it had no more to do
        own = Trace(path)
        assert (own.info["end"], own.info["lost_events"]) == (EXIT, 0)
        taken, released = own.counts.get(ACQUIRED, 0), own.counts.get(RELEASED, 0)
        assert taken <= released + 1 <= taken + 2 <= 102, (taken, released)


def test_exec(program: Path, tmp_path: Path) -> None:
    trace, _ = run(program, tmp_path, "exec")
    before = Trace(trace)
    assert before.counts[ACQUIRED] == 60 and before.info["end"] == UNENDED
    assert before.texts["command"] == f"{program} exec"
    after = Trace(tmp_path / f"trace.{before.info['pid']}")
    after.is_whole(140)
    assert after.texts["command"] == f"{program} work 2 70"
    assert after.texts["program"] == str(program)


def test_modules_that_come_and_go(program: Path, tmp_path: Path) -> None:
    library = program.with_name("library.so")
    trace, output = run(program, tmp_path, "open_library", library)
    whole = Trace(trace)
    whole.is_whole(24)
    addresses = [int(text, 16) for text in re.findall(r"library 0x(\w+)", output)]
    loaded = [module for module in whole.modules if module["path"] == str(library)]
    assert len(addresses) == len(loaded) == 2
    notes = subprocess.run(
        ["readelf", "-n", str(library)], stdout=subprocess.PIPE, text=True, check=True
    )
    for address, module in zip(addresses, loaded):
        start, end = (int(text, 16) for text in module["range"].split("-"))
        assert start <= address < end
        assert module["build_id"] in notes.stdout and module["build_id"]
        assert int(module["since"]) < int(module["until"]) < whole.info["duration"]
    assert whole.info["unknown_code"] == 0


def test_exit_inside_a_region(program: Path, tmp_path: Path) -> None:
    trace, _ = run(program, tmp_path, "exit_inside", status=5)
    Trace(trace).is_whole(20)


def test_abort(program: Path, tmp_path: Path) -> None:
    trace, _ = run(program, tmp_path, "abort", status=-signal.SIGABRT)
    whole = Trace(trace)
    assert whole.counts[ACQUIRED] == whole.counts[RELEASED] == 20
    assert whole.texts["note"].startswith("no end: ")


def test_kill(program: Path, tmp_path: Path) -> None:
    """What was written is there, also before: the trace of a program that runs can be read."""
    path = tmp_path / "trace"
    command = [str(OMPDBG), "record", "-o", str(path), "--", str(program), "wait"]
    with subprocess.Popen(command) as running:
        found = 0
        while found < 2000 and running.poll() is None:
            time.sleep(0.02)
            if path.exists() and path.stat().st_size > BEGINNING:
                found = Trace(path).counts.get(RELEASED, 0)
        running.kill()
    whole = Trace(path)
    assert running.returncode == -signal.SIGKILL
    assert whole.counts[ACQUIRED] == whole.counts[RELEASED] == 2000
    assert whole.texts["note"].startswith("no end: ")


@pytest.mark.parametrize("sanitizer", ("address", "thread"))
def test_sanitizers(sanitizer: str, tmp_path: Path) -> None:
    """They put functions of their own in front of the C library's."""
    program = tmp_path / "lives"
    command = ["gcc", "-fopenmp", "-D_GNU_SOURCE", "-fsanitize=" + sanitizer]
    command += [str(HERE / "programs" / "lives.c"), "-o", str(program), "-ldl"]
    if subprocess.run(command, stderr=subprocess.PIPE, check=False).returncode:
        pytest.skip(f"the compiler has no {sanitizer.title()}Sanitizer")
    trace, _ = run(program, tmp_path, "work", 1, 100)
    Trace(trace).is_whole(100)


def test_a_library_of_another_language(program: Path, tmp_path: Path) -> None:
    """The runtime comes with it, and only to it."""
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).run_region()"
    library = program.with_name("library.so")
    trace, _ = run(Path("/usr/bin/python3"), tmp_path, "-c", code, library)
    whole = Trace(trace)
    assert whole.counts[ACQUIRED] == 2 and whole.texts["note"] == "-"
    assert str(library) in {module["path"] for module in whole.modules}
    assert whole.info["unknown_code"] == 0


def test_what_is_replaced(program: Path, tmp_path: Path) -> None:
    """A trace is, and nothing else."""
    trace, _ = run(program, tmp_path, "work", 1, 10)
    command = [str(OMPDBG), "record", "-o", str(trace), "--", str(program), "work", "1", "20"]
    assert subprocess.run(command, check=False).returncode == 0
    Trace(trace).is_whole(20)
    trace.write_text("mine")
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 125 and "is not a trace" in done.stderr
    assert trace.read_text() == "mine"


def test_another_tool(program: Path, tmp_path: Path) -> None:
    """Who asks for a trace hears that there is none."""
    told = r"ompdbg: \S*/trace: no trace is written: OMP_TOOL_LIBRARIES is set\n"
    trace, _ = run(program, tmp_path, "work", 1, 10, errors=told, OMP_TOOL_LIBRARIES="/none.so")
    assert not trace.exists()


def test_ranks(program: Path, tmp_path: Path) -> None:
    """Those that record on their own have files of their own."""
    rank = {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}
    trace, _ = run(program, tmp_path, "work", 1, 10, status=0, errors="", **rank)
    assert not trace.exists()
    Trace(trace.with_name("trace.rank3")).is_whole(10)
