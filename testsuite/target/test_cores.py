# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Core files of all kinds tell the same as the program that left them."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

import comparing
import pytest
from harness import processes, setup

import build  # from fixtures/

_FILTER = Path("/proc/self/coredump_filter")
ANONYMOUS_ONLY = "0x1"
HUGE = 16 << 30

pytestmark = pytest.mark.skipif(
    bool(processes.kernel_core_problem()), reason=processes.kernel_core_problem() or "none"
)


def hung_core(folder: Path, variant: str = "O2", mapped: str = "") -> Path:
    """A core file of a program with eight threads, of which three wait for locks. mapped: what
    the kernel dumps, if not the default."""
    before = _FILTER.read_text(encoding="utf-8")
    try:
        if mapped:
            _FILTER.write_text(mapped, encoding="utf-8")
        return processes.kernel_core(setup.program("hung", variant), (), folder)
    finally:
        _FILTER.write_text(f"0x{before.strip()}", encoding="utf-8")


def threads_of(core: Path, *options: object) -> List[Dict[str, Any]]:
    """What is told of it, without a warning."""
    status, out, err = comparing.ask("threads", core, "--json", *options)
    assert (status, err) == (0, "")
    found: List[Dict[str, Any]] = json.loads(out)["threads"]
    return found


def check(threads: List[Dict[str, Any]]) -> None:
    """It is the state of the program."""
    workers = [thread for thread in threads if thread["openmp"]]
    assert sorted(thread["thread_num"] for thread in workers) == list(range(8))
    kinds = sorted(thread["wait"]["kind"] for thread in workers if thread["wait"])
    assert kinds == ["barrier"] * (len(kinds) - 3) + ["lock"] * 3
    assert all(thread["location"]["line"] for thread in workers)


@pytest.mark.parametrize("variant", ["O2", "nopie", "static", "clang"])
@pytest.mark.parametrize("mapped", ["", ANONYMOUS_ONLY])
def test_what_the_kernel_dumps(variant: str, mapped: str, tmp_path: Path) -> None:
    try:
        check(threads_of(hung_core(tmp_path, variant, mapped)))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def test_without_memory(tmp_path: Path) -> None:
    status, out, err = comparing.ask("threads", hung_core(tmp_path, mapped="0x0"))
    assert (status, out, len(err.splitlines())) == (3, "", 1)
    assert "no memory of the program is in the core file" in err


def test_from_gcore(tmp_path: Path) -> None:
    core = tmp_path / "core"
    with processes.ready_program(setup.program("hung", "O2"), ()) as pid:
        command = [setup.GDB, "-q", "-nx", "-batch", "-p", str(pid), "-ex", f"gcore {core}"]
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    check(threads_of(core))


def test_compressed(tmp_path: Path) -> None:
    core = hung_core(tmp_path)
    done = 0
    for tool in ("zstd", "xz", "lz4", "gzip"):
        if shutil.which(tool) is None:
            continue
        done += 1
        packed = tmp_path / f"core.{tool}"
        with core.open("rb") as plain, packed.open("wb") as out:
            subprocess.run([tool, "-1", "-c"], stdin=plain, stdout=out, check=True)
        check(threads_of(packed))
        packed.write_bytes(packed.read_bytes()[:1000])
        assert comparing.ask("threads", packed)[0] in (3, 4)
    assert done


def test_files_below_a_sysroot(tmp_path: Path) -> None:
    """The program is not where it was, but all of its files are below another folder."""
    program = tmp_path / "gone" / "program"
    program.parent.mkdir()
    shutil.copy(setup.program("hung", "O2"), program)
    core = processes.kernel_core(program, (), tmp_path)
    image = tmp_path / "image"
    with core.open("rb") as file:  # its notes list what is mapped
        notes = file.read(1 << 16).decode("latin-1")
    for path in filter(os.path.isfile, set(re.findall(r"\0(/[^\0]+)", notes))):
        place = image / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    program.unlink()
    check(threads_of(core, "--sysroot", image))


def with_huge_mapping(core: Path) -> None:
    """Adds 16 GiB that hold nothing."""
    with core.open("r+b") as file:
        header = bytearray(file.read(64))
        (offset,) = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        file.seek(offset)
        table = file.read(size * count)
        end = -(-core.stat().st_size // 4096) * 4096
        start = 0x100000000000
        table += struct.pack("<IIQQQQQQ", 1, 6, end + 65536, start, 0, HUGE, HUGE, 4096)
        file.seek(end)
        file.write(table)
        file.truncate(end + 65536 + HUGE)
        struct.pack_into("<Q", header, 32, end)
        struct.pack_into("<H", header, 56, count + 1)
        file.seek(0)
        file.write(header)


def test_time_and_memory_do_not_depend_on_the_size(tmp_path: Path) -> None:
    core = hung_core(tmp_path)
    with_huge_mapping(core)
    assert core.stat().st_size > HUGE
    script = (
        "import resource, subprocess, sys; "
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    command = [sys.executable, "-c", script, str(comparing.OMPDBG), "bt", str(core)]
    begin = time.monotonic()
    said = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=True)
    status, megabytes = map(int, said.stdout.split())
    assert status == 0
    assert megabytes < 300
    assert time.monotonic() - begin < 20
    check(threads_of(core))


def test_many_threads(tmp_path: Path) -> None:
    core = processes.kernel_core(setup.program("many", "O2"), ("256",), tmp_path)
    numbers = [thread["thread_num"] for thread in threads_of(core) if thread["openmp"]]
    assert sorted(numbers) == list(range(256))
