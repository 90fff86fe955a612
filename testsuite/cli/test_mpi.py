# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg run` for each rank under Open MPI: one rank differs, the others wait for it in MPI."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import unquote

import pytest
from conftest import OMPDBG
from harness import processes
from test_html import parsed

RANKS, ODD, THREADS = 4, 2, 4
PROGRAM = Path(__file__).resolve().parent / "programs" / "hybrid.c"
MARK = "OMPDBG_TEST_MARK"
FOUND, TIMED_OUT = 1, 124


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, where Open MPI is installed."""
    version = shutil.which("mpirun") and subprocess.run(
        ["mpirun", "--version"], capture_output=True, text=True, check=False
    )
    if not version or "Open MPI" not in version.stdout or not shutil.which("mpicc"):
        pytest.skip("Open MPI is not installed")
    target = tmp_path_factory.mktemp("programs") / "hybrid"
    command = ["mpicc", "-g", "-O1", "-fopenmp", str(PROGRAM), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def launch(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run all ranks, each below an `ompdbg run` of its own, as docs/ci.md has it."""
    own = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run(
        [
            *("mpirun", "--mca", "odls_base_sigkill_timeout", "20"),
            *("--oversubscribe", "-n", str(RANKS)),
            *(str(OMPDBG), "run", "--on-term", "--report", "reports"),
            *map(str, words),
        ],
        cwd=folder,
        env=processes.environment({**own, MARK: str(folder)}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def left_over(folder: Path) -> List[str]:
    """Return the processes that belong to a run, and go on."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={folder}".encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except OSError:
            pass  # it has ended, or is another user's
    return found


def merged(folder: Path) -> "Dict[str, Any]":
    """Return one picture of all reports, and check that its page leads to those of all ranks."""
    reports = sorted(str(path) for path in (folder / "reports").glob("*.json"))
    assert len(reports) == RANKS
    page = folder / "all.html"
    command = [str(OMPDBG), "merge", *reports, "--html", str(page), "--json", "all.json"]
    assert subprocess.run(command, cwd=folder, check=False).returncode == FOUND
    structure = parsed(page.read_text(encoding="utf-8"))
    links = {unquote(one["href"] or "") for one in structure.of_class("tile")}
    assert len(links) == RANKS
    assert all(os.path.isfile(folder / link) for link in links)
    document: Dict[str, Any] = json.loads((folder / "all.json").read_text(encoding="utf-8"))
    return document


def check_others(group: "Dict[str, Any]") -> None:
    """Nothing is wrong with those that wait in MPI: what they wait for is not in the process."""
    assert [one["rank"] for one in group["processes"]] == ["0", "1", "3"]
    assert (group["severity"], group["findings"]) == ("none", [])
    idle = [one["count"] for one in group["threads"] if one["does"] == "idle in pool"]
    assert idle == [THREADS - 1]
    assert any(re.match(r"main at hybrid\.c:\d+$", one["where"]) for one in group["threads"])


def test_deadlock(hybrid: Path, tmp_path: Path) -> None:
    done = launch(tmp_path, "--timeout", 8, "--", hybrid, "deadlock", ODD)
    assert (done.returncode, left_over(tmp_path)) == (TIMED_OUT, [])
    for rank in range(RANKS):
        assert re.search(
            rf"^ompdbg run: rank {rank}: report: reports/.*\.html$", done.stderr, re.M
        )
    odd, others = merged(tmp_path)["groups"]
    assert [one["rank"] for one in odd["processes"]] == [str(ODD)]
    assert odd["severity"] == "stuck"
    assert odd["findings"][0] == "Deadlock: 2 threads wait for one another"
    assert {"lock left", "lock right"} <= {one["does"] for one in odd["threads"]}
    check_others(others)


def test_crash(hybrid: Path, tmp_path: Path) -> None:
    """The launcher asks the other ranks to end: they report, too."""
    done = launch(tmp_path, "--timeout", 120, "--", hybrid, "crash", ODD)
    assert done.returncode and not left_over(tmp_path)  # mpirun chooses whose status it takes
    odd, others = merged(tmp_path)["groups"]
    assert [one["rank"] for one in odd["processes"]] == [str(ODD)]
    assert re.match(r"SIGSEGV in thread \d+ .*: compute at hybrid\.c:", odd["crash"])
    assert others["cause"] == "asked to end by SIGTERM"
    check_others(others)
