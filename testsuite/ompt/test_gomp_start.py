# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How libompt-gomp.so finds a tool, libgomp and its callers' libgomp; and that it stays out of the way
of LLVM's runtime. Threads that come and go, and fork."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
LIBRARY = ROOT / "build" / "ompt" / "gomp" / "libompt-gomp.so"
NAME, OTHER_NAME = b"libgomp.so.1", b"libgmpx.so.1"


def build(folder: Path, *arguments: str, compiler: str = "gcc") -> Path:
    """Compile a file of programs/."""
    source = next(word for word in arguments if word.endswith(".c"))
    result = folder / Path(source).with_suffix(".so" if "-shared" in arguments else "").name
    command = [compiler, "-O1", "-fPIC", "-I", str(ROOT / "include" / "ompt"), "-o", str(result)]
    words = [str(PROGRAMS / word) if word == source else word for word in arguments]
    subprocess.run([*command, *words, "-ldl", "-lpthread"], check=True)
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tool, a plug-in, the same for a second libgomp, and the programs."""
    made = tmp_path_factory.mktemp("start")
    build(made, "-shared", "gomp_tool.c")
    plugin = build(made, "-shared", "-fopenmp", "gomp_plugin.c")
    build(made, "gomp_host.c")
    build(made, "-fopenmp", "gomp_life.c")
    found = subprocess.run(
        ["gcc", "-print-file-name=libgomp.so.1"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    libgomp = Path(found).resolve().read_bytes()
    (made / OTHER_NAME.decode()).write_bytes(libgomp.replace(NAME + b"\0", OTHER_NAME + b"\0"))
    other = plugin.read_bytes().replace(NAME + b"\0", OTHER_NAME + b"\0")
    (made / "other_plugin.so").write_bytes(other)
    unknown = libgomp.replace(b"\0GOMP_taskyield\0", b"\0GOMP_taskyard_\0")
    (made / "unknown").mkdir()
    (made / "unknown" / NAME.decode()).write_bytes(unknown)
    return made


def run(folder: Path, *command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a program with the library, if variables do not say otherwise."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "LD_"))}
    env = dict(kept, LD_PRELOAD=str(LIBRARY), LD_LIBRARY_PATH=str(folder))
    env.update(variables)
    return subprocess.run(
        command,
        cwd=str(folder),
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
    )


def told(output: str) -> List[Dict[str, int]]:
    """What the tool wrote, of each process in which it ended."""
    lines = [line for line in output.splitlines() if line.startswith("pid=")]
    return [{k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", line)} for line in lines]


def test_scopes_of_their_own(folder: Path) -> None:
    """Each plug-in works with its own libgomp; the tool hears of the first."""
    plugins = ["./gomp_plugin.so", "./other_plugin.so"]
    for order in (plugins, plugins[::-1]):
        for tool in ("", "./gomp_tool.so"):
            done = run(folder, "./gomp_host", *order, OMP_TOOL_LIBRARIES=tool)
            assert (done.returncode, done.stdout) == (0, "4\n4\n"), done.stderr
        [numbers] = told(done.stderr)
        assert (numbers["regions"], numbers["implicit"], numbers["tasks"]) == (1, 2, 2)


def test_many_places(folder: Path, tmp_path: Path) -> None:
    """The libgomp of a library is looked for once, however many of its places call it."""
    library = build(tmp_path, "-shared", "-fopenmp", "many_places.c")
    host = build(tmp_path, "-DHOST", "-D_GNU_SOURCE", "-rdynamic", "many_places.c")
    done = run(folder, str(host), str(library), OMP_TOOL_LIBRARIES=str(folder / "gomp_tool.so"))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "closed 0")


def test_threads_come_and_go(folder: Path) -> None:
    done = run(folder, "./gomp_life", OMP_TOOL_LIBRARIES="./gomp_tool.so")
    assert (done.returncode, done.stdout) == (0, "272 0\n"), done.stderr
    child, parent = told(done.stderr)
    assert child["pid"] != parent["pid"]
    assert child["regions"] - child["region_ends"] == 0
    assert (parent["initial"], parent["regions"], parent["region_ends"]) == (5, 8, 8)
    assert parent["implicit"] == 4 * 3 + 2 + 4 + 256
    assert parent["barriers"] == parent["barrier_ends"] == 256
    # Nobody waits for the workers of threads that have ended, and for those of the nested regions.
    assert 0 <= parent["implicit"] - parent["implicit_ends"] <= 4 * 2 + 2
    assert 0 <= parent["initial"] + parent["workers"] - parent["thread_ends"] <= 4 * 2 + 2


@pytest.mark.parametrize(
    "variables",
    [{}, {"OMP_TOOL_LIBRARIES": "./gomp_tool.so", "OMP_TOOL": "disabled"}]
    + [{"OMP_TOOL_LIBRARIES": "./none.so:./gomp_tool.so", "TEST_DECLINE": "1"}],
)
def test_no_tool(folder: Path, variables: Dict[str, str]) -> None:
    done = run(folder, "./gomp_life", **variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "272 0\n", "")


def test_verbose_log(folder: Path) -> None:
    libraries = "./none.so:./gomp_tool.so"
    variables = {"OMP_TOOL_VERBOSE_INIT": "log", "OMP_TOOL_LIBRARIES": libraries}
    variables["LD_LIBRARY_PATH"] = str(folder / "unknown")
    done = run(folder, "./gomp_life", **variables)
    assert (done.returncode, done.stdout) == (0, "272 0\n"), done.stderr
    log = (folder / "log").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("libompt-gomp: ") for line in log)
    unknown = [line for line in log if "unknown" in line]
    assert unknown == ["libompt-gomp: GOMP_taskyard_: unknown to libompt-gomp, passed to libgomp"]
    assert any("none.so" in line for line in log)
    assert log[-1] == "libompt-gomp: the tool has started"


def test_llvm_runtime_is_left_alone(folder: Path) -> None:
    """A tool is started once, by LLVM's runtime itself."""
    if shutil.which("clang") is None:
        pytest.skip("no clang")
    scratch = folder / "llvm"
    scratch.mkdir()
    build(scratch, "-fopenmp", "gomp_life.c", compiler="clang")
    tool = str(folder / "gomp_tool.so")
    plain = run(scratch, "./gomp_life", LD_PRELOAD="", OMP_TOOL_LIBRARIES=tool)
    done = run(scratch, "./gomp_life", OMP_TOOL_LIBRARIES=tool)
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert len(told(done.stderr)) == len(told(plain.stderr)) > 0
    assert told(done.stderr)[-1]["regions"] == told(plain.stderr)[-1]["regions"] == 8
