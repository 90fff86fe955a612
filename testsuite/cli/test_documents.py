# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command lines that the documents print do what the documents say.

Each is run as it is printed, in the order of its document, in a folder that has what it speaks of: a
program that crashes, its core file, tests for CTest, pytest and make. One that is not listed here fails:
new ones must be tried, too. Sessions in GDB are run by testsuite/gdb/test_guide.py, and what README.md
says of the installation by tools/bare-machine."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Dict, Iterator, List, NamedTuple, Tuple

import pytest
from conftest import OMPDBG, ROOT
from harness import processes, setup

CRASH = Path(__file__).resolve().parent / "programs" / "crash.c"
DOCUMENTS = ("README.md", "docs/ci.md", "docs/guide.md", "docs/profile.md", "docs/man/ompdbg.1.in")


class Expected(NamedTuple):
    """What a command line must do."""

    status: int
    output: str = ""  # a regular expression of what it prints
    files: Tuple[str, ...] = ()  # patterns of files that it must leave
    elsewhere: str = ""  # why it is not run here


_REPORTS = (
    "ompdbg-report/solver-*.html",
    "ompdbg-report/solver-*.json",
    "ompdbg-report/solver-*.txt",
)
_CLUSTER = "tried by hand: needs many nodes"
_KEPT = "tried by hand: needs systemd-coredump"
_MERGED = Expected(1, "", ("all.html",))

EXPECTED: Dict[str, Expected] = {
    # README.md
    "ompdbg why core": Expected(1, "SIGSEGV"),
    "ompdbg report core --html report.html": Expected(1, "", ("report.html",)),
    "ompdbg run --timeout 600 -- ctest": Expected(8, "solver", _REPORTS),
    "ompdbg record -- ./program": Expected(0),
    "ompdbg record -o run.trace -- ./program; ompdbg profile run.trace": Expected(
        0, "work at crash.c:", ("run.trace",)
    ),
    "ompdbg merge reports/*.json": Expected(1, "2 processes"),
    # docs/ci.md
    "ompdbg run --timeout 1200 -- ctest --output-on-failure": Expected(8, "solver", _REPORTS),
    "ompdbg run --timeout 60": Expected(0, "", ("b/ompdbg-report/test_solver-*.html",)),
    "ompdbg run --timeout 1200 -- python3 -m pytest": Expected(1, "1 failed", _REPORTS),
    "ompdbg run --timeout 60 --report reports -- ./$<": Expected(
        2, r"Error 139", ("reports/solver-*.html",)
    ),
    "ompdbg run --timeout 1200 --on-hang --print -- ctest --test-dir build": Expected(
        8, "SIGSEGV", _REPORTS
    ),
    "ompdbg why --coredump": Expected(1, elsewhere=_KEPT),
    "ompdbg report --coredump solver --html report.html": Expected(1, elsewhere=_KEPT),
    "ompdbg report /var/lib/systemd/coredump/core.solver.*.zst --html report.html": Expected(
        1, elsewhere=_KEPT
    ),
    "ompdbg run --timeout 900 --report reports -- mpirun -n 8 ./solver": Expected(
        139, elsewhere="test_mpi.py runs ranks under Open MPI"
    ),
    "mpirun --mca odls_base_sigkill_timeout 60 -n 64 ompdbg run --timeout 900 --on-term "
    "--report reports -- ./solver": Expected(139, elsewhere=_CLUSTER),
    "ompdbg merge reports/*.json --html all.html": _MERGED,
    "mpiexec -disable-auto-cleanup -n 64 ompdbg run --timeout 900 --report reports "
    "-- ./solver": Expected(139, elsewhere=_CLUSTER),
    "srun --kill-on-bad-exit=0 --signal=TERM@120 ompdbg run --timeout 900 --on-term "
    "--report reports -- ./solver": Expected(139, elsewhere=_CLUSTER),
    'for pid in $(pgrep -x solver); do ompdbg report "$pid" --json '
    '"reports/$(hostname)-$pid.json"; done': Expected(0),  # no such process here
    # docs/guide.md
    "ompdbg record -o FILE -- ./program": Expected(0, "", ("FILE",)),
    # docs/profile.md
    "ompdbg record -o fib.trace -- ./fib 24": Expected(0, "", ("fib.trace",)),
    "ompdbg profile fib.trace": Expected(0, "work at crash.c:"),
    # docs/man/ompdbg.1.in
    "ompdbg record -o program.trace -- ./program": Expected(0, "", ("program.trace",)),
    "ompdbg profile program.trace": Expected(0, "work at crash.c:"),
    "ompdbg merge ompdbg-report/*.json": Expected(1, "SIGSEGV"),
}


def blocks_of(document: str) -> List[str]:
    """The indented blocks of a document, without the indentation."""
    text = (ROOT / document).read_text(encoding="utf-8")
    if document.endswith(".in"):
        text = text.replace("\\-", "-").partition(".SH EXAMPLES\n")[2]
        text = re.sub("(?m)^(?=ompdbg)", "    ", text)
    found = re.findall(r"(?:^(?:    |\t).*\n|^\n(?=    ))+", text, re.M)
    return [re.sub("(?m)^    ", "", block) for block in found]


def lines_of(block: str) -> List[str]:
    """The lines of a block that run ompdbg, continued ones whole, without comments."""
    text = re.sub(r"\\\n\s*", "", block)
    before = r"(?:for .*|mpirun .*|mpiexec .*|srun .*)?"
    found = re.findall(rf"(?m)^.*?(?<![\w/.-])({before}ompdbg [a-z].*)$", text)
    return [re.sub(r"\s+# .*", "", line).strip() for line in found]


def printed() -> Iterator[Tuple[str, str, str, str]]:
    """The document, the line, its block, and a name, of each line."""
    for document in DOCUMENTS:
        number = 0
        for block in blocks_of(document):
            for line in lines_of(block):
                number += 1
                yield document, line, block, f"{Path(document).stem}-{number}"


PRINTED = list(printed())


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`program`, which ends well, and `solver`, which crashes, with its core file and two reports."""
    folder = tmp_path_factory.mktemp("documents")
    gcc = ["gcc", "-g", "-O1", "-fopenmp", str(CRASH)]
    subprocess.run([*gcc, "-o", str(folder / "program")], check=True)
    subprocess.run([*gcc, '-DDEFAULT="segv"', "-o", str(folder / "solver")], check=True)
    commands = ["-ex", "run", "-ex", f"generate-core-file {folder / 'core'}"]
    subprocess.run(
        [setup.GDB, "-nx", "-batch", *commands, str(folder / "solver")],
        check=True,
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env=processes.environment(),
    )
    return folder


def made_scene(folder: Path, programs: Path) -> Path:
    """Fill the folder in which the lines of a document are run."""
    for name, copy in (
        ("program", "program"),
        ("program", "fib"),
        ("program", "mesh"),
        ("solver", "solver"),
    ):
        shutil.copy(programs / name, folder / copy)
    (folder / "core").symlink_to(programs / "core")
    tests = f'add_test(solver "{folder}/solver")\nadd_test(mesh "{folder}/mesh")\n'
    for place in (folder, folder / "build"):
        place.mkdir(exist_ok=True)
        (place / "CTestTestfile.cmake").write_text(tests, encoding="utf-8")
    (folder / "test_solver.py").write_text(
        "import subprocess\n\ndef test():\n    subprocess.run(['./solver'], check=True)\n",
        encoding="utf-8",
    )
    (folder / "reports").mkdir()
    for name in ("a", "b"):
        words = [str(OMPDBG), "report", "core", "--json", f"reports/{name}.json"]
        subprocess.run(words, cwd=folder, check=False, env=processes.environment())
    return folder


@pytest.fixture(scope="module")
def scenes(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a document."""
    made: Dict[str, Path] = {}

    def scene(document: str) -> Path:
        if document not in made:
            made[document] = made_scene(tmp_path_factory.mktemp("scene"), programs)
        return made[document]

    return scene


def command_of(line: str, block: str, scene: Path) -> str:
    """What the user of a line types: `make` and `cmake` where it stands in their files."""
    if "add_test(" in block:
        shutil.copy(CRASH, scene / "crash.c")
        (scene / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(solver C)\nenable_testing()\n"
            "find_package(OpenMP)\nadd_executable(test_solver crash.c)\n"
            'target_compile_definitions(test_solver PRIVATE DEFAULT="segv")\n'
            "target_link_libraries(test_solver OpenMP::OpenMP_C)\n" + block,
            encoding="utf-8",
        )
        return "cmake -B b && cmake --build b && ! ctest --test-dir b"
    if "$<" in line:
        (scene / "Makefile").write_text(block, encoding="utf-8")
        return "make check"
    return line


@pytest.mark.xdist_group("documents")
@pytest.mark.parametrize(
    "document, line, block", [one[:3] for one in PRINTED], ids=[one[3] for one in PRINTED]
)
def test_command_line(document: str, line: str, block: str, scenes: Callable[[str], Path]) -> None:
    assert line in EXPECTED, "a new line: say in EXPECTED what it must do"
    expected = EXPECTED[line]
    if expected.elsewhere:
        pytest.skip(expected.elsewhere)
    scene = scenes(document)
    environment = processes.environment()
    environment["PATH"] = f"{OMPDBG.parent}:/usr/bin:{environment['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-c", command_of(line, block, scene)],
        cwd=scene,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == expected.status, done.stdout
    assert re.search(expected.output, done.stdout), done.stdout
    for pattern in expected.files:
        assert list(scene.glob(pattern)), (pattern, done.stdout)
        for path in scene.glob(pattern):
            assert path.stat().st_size


def test_every_expectation_is_printed() -> None:
    assert set(EXPECTED) == {line for _, line, _, _ in PRINTED}
