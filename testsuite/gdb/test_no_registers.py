# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread of a core file without its registers: GDB's thread library knows of it, the file's notes
do not. GDB writes such files of threads that are just being made."""

import re
import struct
from pathlib import Path

from harness import own_programs, processes

# In an ELF file of 64 bits.
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
PT_NOTE = 4
NT_PRSTATUS = 1
BEFORE = ["-iex", "set auto-load libthread-db on", "-iex", "set auto-load safe-path /"]
EVERY = "thread apply all bt"


def without_registers(core: Path) -> None:
    """Renames the note with the registers of the file's last thread."""
    content = bytearray(core.read_bytes())
    (table,) = struct.unpack_from("<Q", content, 32)
    (count,) = struct.unpack_from("<H", content, 56)
    found = []
    for number in range(count):
        kind, _, at, _, _, size, _, _ = PROGRAM_HEADER.unpack_from(
            content, table + number * PROGRAM_HEADER.size
        )
        end = at + size
        while kind == PT_NOTE and at < end:
            name, described, note = struct.unpack_from("<III", content, at)
            if note == NT_PRSTATUS:
                found.append(at)
            at += 12 + (name + 3 & ~3) + (described + 3 & ~3)
    assert len(found) == 2
    struct.pack_into("<I", content, found[-1] + 8, 0x7777)
    core.write_bytes(bytes(content))


def test_no_registers(tmp_path: Path) -> None:
    program = str(own_programs.compiled("captured.c", tmp_path / "captured"))
    core = tmp_path / "core"
    task = {"commands": ["generate-core-file " + str(core)], "stop": "inspect"}
    processes.run_gdb("session.py", task, [program])
    without_registers(core)
    commands = [EVERY, EVERY + " -no-filters", "omp threads", "omp bt -all"]
    said = processes.run_gdb(
        "session.py", {"commands": commands, "kill": False}, [*BEFORE, program, str(core)]
    ).result
    shown, plain, threads, stacks = [one["text"] for one in said]
    assert "#0  <unavailable> in ?? ()" in plain.splitlines()
    assert "#0  <unavailable> in ?? ()" in shown.splitlines()
    assert shown.count("Thread 0x") == 2 and " inspect (value=" in shown
    assert threads.splitlines()[-1] == "? thread 2: stack unknown"
    assert re.search(r"^-- thread 2 \([01]/2\), .* --\nno frame of the program$", stacks, re.M)
