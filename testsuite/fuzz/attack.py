#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attacks on the commands as a whole: they are killed, what they look at is killed, damaged, or elsewhere.

    testsuite/fuzz/attack.py [--rounds N] [--seed SEED] [KIND...]

    attach      a command looks at a process; one of them is killed, or ends
    run         `ompdbg run` gets a signal: nothing of its command is left, and no half of a file
    remote      GDB over gdbserver, also extended-remote; one of them is killed
    history     recordings in core files, with damage
    namespace   processes in namespaces of mounts that hide, exchange and block their files

After each round the process goes on as if nobody had looked, nothing is stopped or traced, and what ended
has ended as documented, in time. Each finding is one line, with the seed that shows it again, as far as
times allow. Exit status: 1 if there are any.
"""

import argparse
import mmap
import os
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Sequence, Tuple

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
OMPDBG, PLUGIN = BUILD / "ompdbg", BUILD / "ompdbg-gdb.py"
SOURCE = Path(__file__).resolve().parent / "programs/attacked.c"
VIEWS = ("threads", "bt", "bt --full", "why", "tasks", "report --json", "icvs", "status")
IN_GDB = ("omp threads", "omp bt -all", "omp why", "omp tasks", "omp bt -full", "bt")
STEPS = ("step", "omp step")  # which a thread that pauses never ends
DOCUMENTED = (0, 1, 3, 4, 5)  # exit statuses of a command that was used as it is meant
LATE = 60.0  # seconds, for what takes one
SOON = 0.6  # a signal comes within
MAGIC = b"ompdbgR"
FATAL = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MISTAKES = (
    "Traceback (most recent call last)",
    "Python Exception",
    "internal-error",
    "internal error",
)


class Found(Exception):
    """Something is not as it should be."""


def until(what: str, is_so: Callable[[], bool], seconds: float = LATE) -> None:
    """Wait for a state."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise Found(f"not {what} after {seconds:.0f} s")
        time.sleep(0.01)


# ---- The process that is looked at ----------------------------------------------------------


class Victim:
    """A process that goes on."""

    def __init__(self, running: "subprocess.Popen[bytes]") -> None:
        self.running = running
        self.pid = int(self._line().split()[1])

    def _line(self) -> bytes:
        assert self.running.stdout is not None
        if not select.select([self.running.stdout], [], [], LATE)[0]:
            raise Found("the program does not answer")
        return self.running.stdout.readline()

    def _worked(self) -> int:
        assert self.running.stdin is not None
        self.running.stdin.write(b"\n")
        self.running.stdin.flush()
        line = self._line()
        if not line.strip().isdigit():
            raise Found(f"the program has ended: {line!r}, {self.running.poll()}")
        return int(line)

    def is_free(self) -> bool:
        """Check that no thread is stopped or traced."""
        states = [one.read_text() for one in Path(f"/proc/{self.pid}/task").glob("*/status")]
        return all(
            "TracerPid:\t0\n" in one and "(stopped)" not in one and "(tracing stop)" not in one
            for one in states
        )

    def check(self) -> None:
        """Check that all of it goes on."""
        until("free", self.is_free)
        before = self._worked()
        until("working", lambda: self._worked() > before)


@contextmanager
def victim(program: Path, *before: str, **how: object) -> Iterator[Victim]:
    """Start the program."""
    process = subprocess.Popen(  # type: ignore[call-overload]
        [*before, str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        **how,
    )
    try:
        yield Victim(process)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ended(
    words: Sequence[object], allowed: Sequence[int], seconds: float = LATE, **how: object
) -> str:
    """Run a command to its end; return what it says."""
    try:
        done = subprocess.run(  # type: ignore[call-overload]
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
            **how,
        )
    except subprocess.TimeoutExpired:
        raise Found(f"{' '.join(map(str, words))}: no end after {seconds:.0f} s") from None
    said: str = done.stdout.decode(errors="replace")
    if done.returncode not in allowed or any(one in said for one in MISTAKES):
        raise Found(f"{' '.join(map(str, words))}: status {done.returncode}: {said[-300:]!r}")
    return said


def waited(process: "subprocess.Popen[bytes]", name: str) -> int:
    """Wait for the end of a process."""
    try:
        return process.wait(LATE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise Found(f"{name}: no end after {LATE:.0f} s") from None


def quiet(words: Sequence[object], **how: object) -> "subprocess.Popen[bytes]":
    """Start a command in a session of its own."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(  # type: ignore[call-overload]
        [str(word) for word in words],
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        start_new_session=True,
        **how,
    )


# ---- Kinds of attacks -----------------------------------------------------------------------


def attach(chance: random.Random, program: Path, folder: Path) -> None:
    """Kill the command, or the process at which it looks."""
    view = chance.choice(VIEWS)
    with victim(program) as looked_at:
        command = quiet([OMPDBG, *view.split(), looked_at.pid], cwd=folder)
        time.sleep(chance.uniform(0, SOON))
        if chance.random() < 0.5:
            command.send_signal(chance.choice(FATAL))
            waited(command, view)
            looked_at.check()
            ended([OMPDBG, "threads", looked_at.pid], DOCUMENTED)
            looked_at.check()
        else:
            os.kill(looked_at.pid, chance.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV)))
            status = waited(command, view)
            if status not in DOCUMENTED:
                raise Found(f"{view} of a process that was killed: status {status}")


def run(chance: random.Random, program: Path, folder: Path) -> None:
    """Send a signal to `ompdbg run`, while its command runs or is looked at."""
    options = chance.choice(
        ((), ("--timeout=0.2",), ("--print", "--timeout=0.2"), ("--no-trace",))
    )
    words = [
        OMPDBG,
        "run",
        "--report=reports",
        *options,
        "--",
        program,
        *(["twice"] * chance.randrange(2)),
    ]
    mark = f"ATTACKED={folder}"
    command = subprocess.Popen(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, "ATTACKED": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(chance.uniform(0, 2 * SOON))
    # Whoever is killed can end nothing; the kernel ends what is traced, and the command itself.
    command.send_signal(chance.choice(FATAL[1:] if "--no-trace" in options else FATAL))
    if waited(command, "ompdbg run") == 2:
        raise Found("ompdbg run: wrong usage")
    is_gone = lambda: not any(mark in one for one in environments())  # noqa: E731
    until("without processes", is_gone)
    left = [
        one.name
        for one in folder.glob("reports/*")
        if one.suffix not in (".html", ".txt", ".json")
    ]
    if left:
        raise Found(f"left behind: {left}")


def environments() -> Iterator[str]:
    """The environments of all processes that have one."""
    for one in Path("/proc").glob("[0-9]*/environ"):
        try:
            yield one.read_text(errors="replace")
        except OSError:
            pass


def served(words: Sequence[str], log: Path) -> "Tuple[subprocess.Popen[bytes], int]":
    """Start a gdbserver; return the port that it has chosen."""
    with log.open("wb") as sink:
        serving = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, start_new_session=True
        )
    listening = re.compile(r"Listening on port (\d+)")
    until("serving", lambda: listening.search(log.read_text(errors="replace")) is not None)
    found = listening.search(log.read_text(errors="replace"))
    assert found is not None
    return serving, int(found[1])


def remote(chance: random.Random, program: Path, folder: Path) -> None:
    """GDB over gdbserver, of which one may be killed."""
    is_extended, is_attached = chance.random() < 0.5, chance.random() < 0.5
    with victim(program) as looked_at:
        server = ["gdbserver", "--once", "localhost:0"]
        if is_extended:
            server.insert(1, "--multi")
        elif is_attached:
            server += ["--attach", str(looked_at.pid)]
        else:
            server += [str(program)]
        serving, port = served(server, folder / "server")
        kind = "extended-remote" if is_extended else "remote"
        commands = [f"target {kind} localhost:{port}"]
        if is_extended and is_attached:
            commands += [f"attach {looked_at.pid}"]
        elif is_extended:
            commands += [f"set remote exec-file {program}", "break answer", "run"]
        elif not is_attached:
            commands += ["break answer", "continue"]
        commands += chance.choices(IN_GDB if is_attached else IN_GDB + STEPS, k=3)
        words = [
            "gdb",
            "-nx",
            "-batch",
            "-iex",
            "set auto-load off",
            "-iex",
            "set confirm off",
            "-iex",
            "set sysroot /",
        ]
        words += ["-x", str(PLUGIN), str(program)]
        for one in commands:
            words += ["-ex", one]
        log = folder / "log"
        with log.open("wb") as sink:
            asking = subprocess.Popen(
                words,
                cwd=folder,
                env={**os.environ, "DEBUGINFOD_URLS": ""},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
        fate = chance.randrange(3)
        time.sleep(chance.uniform(0, 5 * SOON))
        if fate == 0:
            serving.kill()
        elif fate == 1:
            asking.kill()
        status = waited(asking, "GDB")
        said = log.read_text(errors="replace")
        # GDB that has lost its server says so in many ways, or ends by a signal.
        mistakes = MISTAKES if fate == 2 else MISTAKES[:1]
        if (fate == 2 and status < 0) or any(one in said for one in mistakes):
            raise Found(f"GDB, status {status}: {said[-300:]!r}")
        if serving.poll() is None:
            os.killpg(serving.pid, signal.SIGKILL)
        serving.wait()
        looked_at.check()


def history(chance: random.Random, program: Path, folder: Path) -> None:
    """Damage to a recording."""
    core = folder / "core"
    kept = folder.parent / "recorded"
    if not kept.exists():
        preload = ":".join(
            str(BUILD / one)
            for one in ("ompt/gomp/libompt-gomp.so", "ompt/recorder/libompdbg-recorder.so")
        )
        with victim(program, env={**os.environ, "LD_PRELOAD": preload}) as looked_at:
            gdb = [
                "gdb",
                "-nx",
                "-batch",
                "-p",
                looked_at.pid,
                "-ex",
                f"generate-core-file {kept}",
            ]
            ended(gdb, (0,))
    shutil.copy(kept, core)
    with core.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        root = memory.find(MAGIC)
        if root < 0:
            raise Found("no recording is in the core file")
        # Its root, and what that leads to: addresses and small numbers.
        for _ in range(chance.randrange(1, 30)):
            near = chance.random() < 0.5
            at = (
                root + 8 * chance.randrange(1, 32)
                if near
                else chance.randrange(len(memory) // 8) * 8
            )
            value = chance.choice(
                (0, 1, 2**31, 2**63, 2**64 - 1, at, chance.getrandbits(64))
            )
            if at + 8 <= len(memory) and (near or memory[at : at + 8] != bytes(8)):
                memory[at : at + 8] = value.to_bytes(8, "little")
    for view in ("history", "why", "report --json"):
        ended([OMPDBG, *view.split(), core], DOCUMENTED)


def namespace(chance: random.Random, program: Path, folder: Path) -> None:
    """Files of a process that are not where it has them, or are something else."""
    if os.geteuid():
        raise Found("only root can mount (leave this kind out)")
    own = folder / "place"
    own.mkdir()
    moved = own / "attacked"
    shutil.copy(program, moved)
    libgomp = next(
        line.split()[2] for line in ended(["ldd", program], (0,)).splitlines() if "libgomp" in line
    )
    pipe, empty = folder / "pipe", folder / "empty"
    os.mkfifo(pipe)
    empty.write_bytes(b"")
    target = chance.choice((str(moved), libgomp))
    change = chance.choice(
        (
            f"mount -t tmpfs none {Path(target).parent}" if target == str(moved) else "true",
            f"mount --bind {pipe} {target}",
            f"mount --bind {empty} {target}",
            f"mount --bind /bin/true {target}",
            f"umount -l {own}",
        )
    )
    script = f"mount -t tmpfs none {own} && cp {program} {moved} && exec {moved}"
    entered = ("unshare", "--mount", "--propagation=private", "sh", "-c", script)
    with victim(program, *entered) as looked_at:
        enter = ["nsenter", "--mount", f"--target={looked_at.pid}", "sh", "-c", change]
        ended(enter, (0,))
        for view in chance.sample(VIEWS, 3):
            ended([OMPDBG, *view.split(), looked_at.pid], DOCUMENTED)
            looked_at.check()


KINDS: Dict[str, Callable[[random.Random, Path, Path], None]] = {
    one.__name__: one for one in (attach, run, remote, history, namespace)
}


def main(words: List[str]) -> int:
    """Return the exit status."""
    parser = argparse.ArgumentParser("attack.py")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    arguments = parser.parse_args(words)
    unknown = set(arguments.kinds) - set(KINDS)
    if unknown:
        parser.error(f"no such kind: {', '.join(sorted(unknown))} ({', '.join(KINDS)})")
    # Commands respect what is ignored, as in the background of a script.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    findings = 0
    with tempfile.TemporaryDirectory(prefix="ompdbg-attack-") as name:
        program = Path(name) / "attacked"
        subprocess.run(["gcc", "-g", "-O1", "-fopenmp", SOURCE, "-o", program], check=True)
        for kind in arguments.kinds or KINDS:
            for seed in range(arguments.seed, arguments.seed + arguments.rounds):
                folder = Path(name) / "round"
                folder.mkdir()
                try:
                    KINDS[kind](random.Random(seed), program, folder)
                except Found as found:
                    findings += 1
                    print(f"--rounds 1 --seed {seed} {kind}: {found}", flush=True)
                shutil.rmtree(folder)
            print(f"{kind}: {arguments.rounds} rounds", flush=True)
    print(f"{findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
