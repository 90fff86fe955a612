# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is installed: in a folder that has neither Python nor GDB, and wherever it was moved to."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterable, List

import pytest
from conftest import OMPDBG
from harness import processes, setup

FINE, FOUND, NOT_WRITTEN = 0, 1, 5
COMMANDS = {"threads": FINE, "why": FOUND, "bt": FINE, "status": FINE}


def libraries(program: Path) -> List[Path]:
    """What the loader loads for a program, and the loader."""
    told = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
    words = [word for line in told.stdout.splitlines() for word in line.split()]
    return [Path(word) for word in words if word.startswith("/")]


def put(folder: Path, paths: Iterable[Path]) -> None:
    """Copy files to where they are in the system's folder, by each of their names."""
    for path in [one for path in paths for one in (path, path.resolve())]:
        target = folder / str(path).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy(path, target)


@pytest.fixture(name="installed", scope="module")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what is installed, at its place below it."""
    if os.environ.get("OMPDBG_TEST_SUITE"):
        pytest.skip("what was built in another release is installed by that one's meson")
    folder = tmp_path_factory.mktemp("installed")
    build = str(OMPDBG.parent)
    command = ["meson", "install", "-C", build, "--no-rebuild", "--destdir", str(folder)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return folder


@pytest.fixture(name="folder", scope="module")
def _folder(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if os.getuid() != 0:
        pytest.skip("only root can change the root folder")
    tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, text=True, check=False)
    if tried.returncode:  # in a folder that chroot() has made the root, for one
        pytest.skip(tried.stderr.strip())
    folder = tmp_path_factory.mktemp("bare")
    program = setup.program("hung", "O2")
    (command,) = installed.glob("**/bin/ompdbg")
    (library,) = installed.glob("**/ompdbg/libompd.so")
    for path in (command, library):
        place = folder / path.relative_to(installed)
        place.parent.mkdir(parents=True)
        shutil.copy(path, place)
    put(folder, [program, *libraries(command), *libraries(library), *libraries(program)])
    for name in ("proc", "dev", "tmp", "out"):
        (folder / name).mkdir(exist_ok=True)  # the checkout may lie in one
    assert not list(folder.rglob("*python*"))
    return folder


def run(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    """What it does there, with /proc and /dev."""
    script = (
        'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'
    )
    (program,) = folder.glob("**/bin/ompdbg")
    place = "/" + str(program.relative_to(folder))
    command = ["unshare", "-m", "sh", "-c", script, str(folder), place, *map(str, words)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=processes.environment(),
    )


def check(folder: Path, target: object) -> None:
    """Every command answers, but those that make pages."""
    for command, status in COMMANDS.items():
        done = run(folder, command, target)
        assert (done.returncode, done.stderr) == (status, ""), command
        assert done.stdout
    done = run(folder, "report", target, "--json")
    report: Dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == FOUND and len(report["threads"]) == 9
    done = run(folder, "report", target, "--html", "/out/page.html", "--json", "/out/report.json")
    assert done.returncode == NOT_WRITTEN
    assert done.stderr.endswith(
        "/usr/bin/python3, which makes pages, cannot be started: No such file or directory.\n"
    )
    assert [path.name for path in (folder / "out").iterdir()] == ["report.json"]


def test_core_file(folder: Path, tmp_path: Path) -> None:
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    core = Path(processes.kernel_core(setup.program("hung", "O2"), (), tmp_path))
    shutil.move(str(core), folder / "core")
    check(folder, "/core")


def test_process(folder: Path, hung: int) -> None:
    check(folder, hung)


def test_moved(installed: Path, hung: int, tmp_path: Path) -> None:
    """It finds its library and what makes pages from its own place."""
    (program,) = installed.glob("**/bin/ompdbg")
    page = tmp_path / "page.html"
    command = [str(program), "report", str(hung), "--html", str(page)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (FOUND, "")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
