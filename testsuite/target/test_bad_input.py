# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is no target, or only a part of one: one clear line, the documented exit status, and a
process that goes on as it was."""

import fcntl
import lzma
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path
from typing import Iterator, Tuple

import comparing
import pytest
from harness import processes, setup

HERE = Path(__file__).resolve().parent
OMPDBG = comparing.OMPDBG
FINE, FOUND, USAGE, UNREADABLE, NO_OPENMP = range(5)
PIPE = 4096  # bytes that wait for their reader
F_SETPIPE_SZ = 1031
NOBODY = 65534  # another user than that of the process

ask = comparing.ask


@pytest.fixture(scope="module")
def hung() -> Iterator[int]:
    """A program that stays as it is."""
    with processes.ready_program(setup.program("hung", "O2"), ()) as pid:
        yield pid


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A core file of it."""
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    folder = tmp_path_factory.mktemp("core")
    return processes.kernel_core(setup.program("hung", "O2"), (), folder)


def refused(done: Tuple[int, str, str], status: int, said: str) -> None:
    """One line that says why."""
    assert done[0] == status
    assert done[1] == ""
    assert len(done[2].splitlines()) == 1
    assert said in done[2]


# ---- Core files -----------------------------------------------------------------------------


def elf_header(machine: int, bits: int = 2, order: str = "<") -> bytes:
    """A core file's header without anything behind it."""
    ident = b"\x7fELF" + bytes([bits, 1 if order == "<" else 2, 1]) + bytes(9)
    rest = struct.pack(order + "HHIQQQIHHHHHH", 4, machine, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return ident + rest + bytes(56)


@pytest.mark.parametrize(
    "machine, bits, order", [(183, 2, "<"), (243, 2, "<"), (21, 2, ">"), (3, 1, "<")]
)
def test_core_of_another_architecture(machine: int, bits: int, order: str, tmp_path: Path) -> None:
    path = tmp_path / "core"
    path.write_bytes(elf_header(machine, bits, order))
    refused(ask("threads", path), UNREADABLE, f"(ELF machine {machine}; expected x86-64)")


def test_core_without_threads(tmp_path: Path) -> None:
    path = tmp_path / "core"
    path.write_bytes(elf_header(62))
    refused(ask("why", path), UNREADABLE, "truncated or damaged")


def test_core_truncated_at_any_point(core: Path, tmp_path: Path) -> None:
    size = core.stat().st_size
    numbers = random.Random(5)
    lengths = {int(size ** numbers.random()) for _ in range(40)}
    cut = tmp_path / "core"
    subprocess.run(["cp", "--sparse=always", str(core), str(cut)], check=True)
    for length in sorted(lengths, reverse=True):
        os.truncate(cut, length)
        status, out, err = ask("bt", cut)
        assert status in (FINE, UNREADABLE, NO_OPENMP), length
        assert "truncated" in err or "not a core file" in err or "is not there" in err
        assert "no libgomp" not in err and "coredump_filter" not in err
        if status:
            assert (out, len(err.splitlines())) == ("", 1)


def test_missing_and_other_binaries(tmp_path: Path) -> None:
    """They are told by their build ids."""
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    program = tmp_path / "program"
    shutil.copy(setup.program("hung", "O2"), program)
    build_id = build_id_of(program)
    found = processes.kernel_core(program, (), tmp_path)
    assert ask("threads", found)[2] == ""
    program.unlink()
    status, out, err = ask("threads", found)
    assert f"{program} (build id {build_id}) is not there" in err
    assert (status, bool(out)) == (FINE, True)
    shutil.copy(setup.program("nested", "O2"), program)
    status, out, err = ask("threads", found)
    assert f"has build id {build_id_of(program)}, but {build_id} was loaded" in err
    # What was put elsewhere is found there.
    status, out, err = ask("threads", found, "--exe", setup.program("hung", "O2"))
    assert (status, err) == (FINE, "")


def build_id_of(program: Path) -> str:
    """As readelf tells it."""
    notes = subprocess.run(
        ["readelf", "-n", str(program)],
        stdout=subprocess.PIPE,
        universal_newlines=True,
        check=True,
    )
    return notes.stdout.partition("Build ID: ")[2].split()[0]


# ---- Processes ------------------------------------------------------------------------------


def state_of(pid: int) -> str:
    """As the kernel tells it: R, S, T, t, Z."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def await_state(pid: int, wanted: str) -> None:
    """Waits for it; what happens after a detach takes its time."""
    end = time.monotonic() + 10
    while state_of(pid) not in wanted and time.monotonic() < end:
        time.sleep(0.01)
    assert state_of(pid) in wanted


def ask_as_nobody(pid: int) -> Tuple[int, str, str]:
    """The same by another user, who need not reach the folder of the tool."""
    tool = os.open(OMPDBG, os.O_RDONLY | os.O_CLOEXEC)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.execve(tool, ["ompdbg", "threads", str(pid)], dict(os.environ))
    os.close(writer)
    os.close(tool)
    with os.fdopen(reader) as answer:
        said = answer.read()
    return os.WEXITSTATUS(os.waitpid(child, 0)[1]), "", said


def test_process_of_32_bits(tmp_path: Path) -> None:
    code = b"\xb8\x1d\x00\x00\x00\xcd\x80\xeb\xf7"  # pause(), again and again
    place, begin = 0x8048000, 52 + 32
    size = begin + len(code)
    ident = b"\x7fELF\1\1\1" + bytes(9)
    header = struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, place + begin, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack("<IIIIIIII", 1, 0, place, place, size, size, 5, 0x1000)
    program = tmp_path / "program"
    program.write_bytes(ident + header + segment + code)
    program.chmod(0o755)
    try:
        process = subprocess.Popen([str(program)])
    except OSError as error:
        pytest.skip(f"the kernel runs no such program: {error}")
    with process:
        try:
            refused(ask("why", process.pid), UNREADABLE, "unsupported architecture")
        finally:
            process.kill()


def test_no_permission(hung: int) -> None:
    done = ask_as_nobody(hung) if os.geteuid() == 0 else ask("threads", 1)
    refused(done, UNREADABLE, "may not be attached to")
    assert state_of(hung) == "S"


def test_stopped_process_stays_stopped(hung: int) -> None:
    os.kill(hung, signal.SIGSTOP)
    try:
        await_state(hung, "T")
        assert ask("threads", hung)[0] == FINE
        await_state(hung, "T")
    finally:
        os.kill(hung, signal.SIGCONT)
    await_state(hung, "S")


def test_process_that_ends_while_it_is_read() -> None:
    """It is killed at any time from before the first to after the last look."""
    for delay in (0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3):
        with processes.ready_program(setup.program("nested", "O2"), ("3", "2", "4")) as pid:
            killer = subprocess.Popen(["sh", "-c", f"sleep {delay}; kill -9 {pid}"])
            status, out, err = ask("bt", pid)
            killer.wait(60)
        assert status in (FINE, FOUND, UNREADABLE, NO_OPENMP)
        if status in (UNREADABLE, NO_OPENMP):
            assert len(err.splitlines()) == 1


def test_interrupted_while_it_reads(hung: int) -> None:
    """However the tool ends, the process goes on."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGKILL):
        for delay in (0.08, 0.16):
            tool = subprocess.Popen(
                [str(OMPDBG), "bt", str(hung)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(delay)
            tool.send_signal(number)
            if number != signal.SIGTSTP:
                tool.wait(60)
            await_untraced(hung)
            tool.send_signal(signal.SIGCONT)
            tool.wait(60)


def await_untraced(pid: int) -> None:
    """Waits until a process goes on as it was."""
    await_state(pid, "S")
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    assert "TracerPid:\t0\n" in status


def test_reader_takes_its_time(hung: int) -> None:
    """The process goes on before anybody has read what is told of it, and if nobody does."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, F_SETPIPE_SZ, PIPE)
    tool = subprocess.Popen([str(OMPDBG), "bt", str(hung), "--json"], stdout=writer)
    os.close(writer)
    assert select.select([reader], [], [], 60)[0]
    await_untraced(hung)
    assert tool.poll() is None
    os.close(reader)
    assert tool.wait(60) == FINE


@pytest.mark.parametrize("rounds", [1000 if setup.FULL else 100])
def test_many_rounds_leave_a_program_unharmed(rounds: int, tmp_path: Path) -> None:
    """The program verifies what it computes, and that it sleeps as long as it asked to."""
    program = tmp_path / "steady"
    source = HERE / "programs" / "steady.c"
    subprocess.run(
        [setup.CC, "-O1", "-g", "-fopenmp", str(source), "-o", str(program)], check=True
    )
    with subprocess.Popen(
        [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "READY\n"
        for number in range(rounds):
            command = ("threads", "bt", "why", "tasks")[number % 4]
            assert ask(command, process.pid)[0] in (FINE, FOUND)
        process.stdin.close()
        told = process.stdout.readline()
        assert process.wait(60) == 0, told
    assert '"errors": 0' in told


# ---- Files that a program names ---------------------------------------------------------------


def changed(program: Path, target: Path, *options: str) -> Path:
    """Copy a program, with changes."""
    subprocess.run(["objcopy", *options, str(program), str(target)], check=True)
    return target


def has_lines(program: Path) -> bool:
    """Tell whether the lines of a running program are known."""
    with processes.ready_program(program, ()) as pid:
        status, out, _ = ask("bt", str(pid))
    assert status == FINE
    return "hung.c:" in out


def test_debug_link(tmp_path: Path) -> None:
    """A file is used that is the one, and no other; a FIFO is none."""
    plain = setup.program("hung", "O2")
    debug = changed(plain, tmp_path / "x.debug", "--only-keep-debug")
    options = ("--strip-debug", "--remove-section=.note.gnu.build-id")
    program = changed(plain, tmp_path / "x", *options, f"--add-gnu-debuglink={debug}")
    assert has_lines(program)
    whole = debug.read_bytes()
    debug.write_bytes(whole + b"\0")  # another checksum
    assert not has_lines(program)
    debug.unlink()
    os.mkfifo(debug)
    assert not has_lines(program)
    (tmp_path / ".debug").mkdir()
    (tmp_path / ".debug" / debug.name).write_bytes(whole)
    assert has_lines(program)


def test_alternate_link(tmp_path: Path) -> None:
    """The file of what several have in common is a FIFO, or none."""
    section, common = tmp_path / "section", tmp_path / "common"
    for name in ("common", str(common)):
        section.write_bytes(name.encode() + b"\0" + bytes(range(20)))
        option = f"--add-section=.gnu_debugaltlink={section}"
        program = changed(setup.program("hung", "O2"), tmp_path / "x", option)
        assert has_lines(program)
        os.mkfifo(common)
        assert has_lines(program)
        common.unlink()


def test_compressed_symbols(tmp_path: Path) -> None:
    """They are used unless they inflate beyond reason, or are compressed once more."""
    plain = setup.program("hung", "O2")
    symbols = changed(plain, tmp_path / "symbols", "--only-keep-debug", "--strip-debug")
    nested = changed(plain, tmp_path / "nested", "--only-keep-debug", "--compress-debug-sections")
    link = changed(plain, tmp_path / "plain.debug", "--only-keep-debug")
    whole = symbols.read_bytes()
    for content, is_used in (
        (lzma.compress(whole), True),
        (lzma.compress(whole + bytes(64 << 20)), False),
        (lzma.compress(whole, lzma.FORMAT_ALONE), False),
        (lzma.compress(whole)[:-100], False),
        (lzma.compress(nested.read_bytes()), False),
        (b"\xfd7zXZ\0" * 20, False),
    ):
        section = tmp_path / "section"
        section.write_bytes(content)
        options = ("--strip-all", f"--add-section=.gnu_debugdata={section}")
        program = changed(plain, tmp_path / "x", *options)
        with processes.ready_program(program, ()) as pid:
            status, out, err = ask("bt", str(pid))
        assert status == FINE and ("solve" in out) == is_used
        told = f"ompdbg: warning: {program}: compressed symbols are damaged or too large\n"
        assert err == ("" if is_used else told)
    # A debug file that is compressed as a whole is none.
    link.write_bytes(lzma.compress(link.read_bytes()))
    options = ("--strip-debug", "--remove-section=.note.gnu.build-id")
    assert not has_lines(changed(plain, tmp_path / "x", *options, f"--add-gnu-debuglink={link}"))


def test_compressed_sections(tmp_path: Path) -> None:
    """Lines are known unless sections inflate beyond reason, also in a debug file."""
    plain = setup.program("hung", "O2")
    zeros = tmp_path / "zeros"
    for size, is_used in ((1 << 20, True), (256 << 20, False)):
        with zeros.open("wb") as file:
            file.truncate(size)
        large = changed(plain, tmp_path / "large", f"--add-section=.debug_large={zeros}")
        program = changed(large, tmp_path / "x", "--compress-debug-sections")
        assert program.stat().st_size < 2 << 20
        with processes.ready_program(program, ()) as pid:
            status, out, err = ask("bt", str(pid))
        assert status == FINE and ("hung.c:" in out) == is_used
        told = f"ompdbg: warning: {program}: compressed symbols are damaged or too large\n"
        assert err == ("" if is_used else told)
        debug = changed(program, tmp_path / "x.debug", "--only-keep-debug")
        options = ("--strip-debug", "--remove-section=.note.gnu.build-id")
        linked = changed(plain, tmp_path / "linked", *options, f"--add-gnu-debuglink={debug}")
        assert has_lines(linked) == is_used
