# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts GDB and fixture programs, and ends them: nothing that was started here outlives its use.

GDB runs a script of inside/ in batch mode. The script finds what it has to do in a JSON file, and
leaves its answer in another. A GDB that takes too long is killed, with its program, and that is a
failure.
"""

import json
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from harness import counts, setup

# Only what hangs comes to these limits, on a busy machine too.
GDB_SECONDS = 600
READY_SECONDS = 300

# Output of GDB that tells of a mistake in ours, or in GDB.
_FORBIDDEN = ("Traceback (most recent call last)", "Python Exception", "internal-error")


class Failed(AssertionError):
    """GDB did not do what its script says."""


@dataclass(frozen=True)
class Finished:
    """A GDB that ended by itself."""

    result: Any  # what the script has left
    output: str  # standard output and error of GDB and of its program


def environment(changes: Optional[Mapping[str, str]] = None) -> Dict[str, str]:
    """The environment of GDB and of programs: nothing that changes OpenMP, no other Python."""
    names = ("OMP_", "GOMP_", "KMP_", "FIXTURE_", "PYTHON", "LD_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(names)}
    kept.update(LC_ALL="C.UTF-8", DEBUGINFOD_URLS="", OMPDBG_TEST_OMPD=str(setup.OMPD_MODULE))
    kept.update(changes or {})
    return kept


def program_environment(changes: Optional[Mapping[str, str]] = None) -> Dict[str, str]:
    """The environment of a program."""
    preloaded = {"LD_PRELOAD": setup.PRELOAD} if setup.PRELOAD else {}
    return environment({**preloaded, **(changes or {})})


def _kill(process: "subprocess.Popen[Any]") -> None:
    """Ends a process that was started here, with the others of its process group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_gdb(
    script: str,
    spec: Mapping[str, Any],
    arguments: Sequence[str],
    variables: Optional[Mapping[str, str]] = None,
    seconds: float = GDB_SECONDS,
    clean: bool = True,
    debug_files: bool = False,
) -> Finished:
    """Runs inside/SCRIPT in GDB with the program, and the core file if any, of `arguments`.

    clean: output that tells of a mistake is a failure. debug_files: GDB looks for the debug information
    of the C library and others, which takes half of its time.
    """
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as scratch:
        task, answer, log = (Path(scratch) / name for name in ("task", "answer", "log"))
        task.write_text(json.dumps(dict(spec, loader=str(setup.LOADER))), encoding="utf-8")
        counts.numbers["gdb"] += 1
        command = [setup.GDB, "-nx", "-q", "-batch", "-iex", "set auto-load off"]
        if not debug_files:
            command += ["-iex", "set debug-file-directory"]
        if setup.PRELOAD:
            command += ["-iex", "set environment LD_PRELOAD " + setup.PRELOAD]
        command += ["-x", str(setup.INSIDE / script), *arguments]
        changes = {"OMPDBG_TASK": str(task), "OMPDBG_ANSWER": str(answer)}
        changes.update(variables or {})
        with log.open("wb") as sink:
            process = subprocess.Popen(
                command,
                cwd=scratch,
                env=environment(changes),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            late = False
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                late = True
            finally:
                _kill(process)
        output = log.read_text(encoding="utf-8", errors="replace")
        told = "\n".join(["", " ".join(command), "[...]", *_lines(output)[-_FEW:]])
        if late:
            raise Failed("GDB hangs: no end after {:.0f} s{}".format(seconds, told))
        if not answer.exists():
            raise Failed("GDB left no answer (exit status {}){}".format(process.returncode, told))
        if clean:
            assert_clean(output)
        return Finished(json.loads(answer.read_text(encoding="utf-8")), output)


# A log of many tests has room for few lines of each.
_FEW, _WIDTH = 25, 200


def _lines(output: str) -> List[str]:
    return [line[:_WIDTH] for line in output.splitlines() if line.strip()]


def assert_clean(output: str) -> None:
    """No traceback, no internal error."""
    for sign in _FORBIDDEN:
        if sign in output:
            after = _lines(output[output.index(sign) :])[:_FEW]
            raise Failed("{!r} in GDB's output:\n{}".format(sign, "\n".join(after)))


@contextmanager
def ready_program(
    program: Path, arguments: Sequence[str], changes: Optional[Mapping[str, str]] = None
) -> Iterator[int]:
    """A fixture program outside of GDB that has come to its state: its process id. `changes` of
    its environment."""
    process = subprocess.Popen(
        [str(program), *arguments],
        env=program_environment(changes),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _await_ready(process)
        await_pause(process.pid)
        yield process.pid
    finally:
        _kill(process)
        if process.stdout is not None:
            process.stdout.close()


def _await_ready(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdout is not None
    end = time.monotonic() + READY_SECONDS
    seen = b""
    while b"READY\n" not in seen:
        readable, _, _ = select.select([process.stdout], [], [], max(end - time.monotonic(), 0))
        more = os.read(process.stdout.fileno(), 4096) if readable else b""
        if not more:
            raise Failed("the program did not get ready: {!r}".format(seen))
        seen += more


_PAUSE = "34 "  # the number of the system call


def await_pause(pid: int, seconds: float = READY_SECONDS) -> None:
    """Waits until the thread that was ready has come to the pause in which it stays."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        calls = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/syscall")]
        if any(call.startswith(_PAUSE) for call in calls):
            return
        time.sleep(0.01)
    raise Failed("no thread pauses")


def kernel_core_problem() -> str:
    """Why the kernel writes no core files into the working folder; empty if it does."""
    pattern = Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8").strip()
    if pattern.startswith("|") or "/" in pattern:
        return "the kernel's core files go elsewhere (core_pattern is {})".format(pattern)
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if hard != resource.RLIM_INFINITY and hard < 1 << 32:
        return "core files are limited to {} bytes".format(hard)
    return ""


def allow_core() -> None:
    """Let a process that is about to begin leave a core file, however large."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def kernel_core(
    program: Path, arguments: Sequence[str], directory: Path, number: int = signal.SIGABRT
) -> Path:
    """Lets a fixture program abort in its state, or another one end by a signal of its own; the core
    file that the kernel wrote."""

    process = subprocess.Popen(
        [str(program), *arguments],
        cwd=str(directory),
        env=program_environment({"FIXTURE_ABORT": "1"}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=allow_core,
    )
    try:
        process.wait(READY_SECONDS)
    except subprocess.TimeoutExpired as late:
        raise Failed("the program did not end") from late
    finally:
        _kill(process)
    found: List[Path] = sorted(directory.glob("*core*"))
    if process.returncode != -number or len(found) != 1:
        raise Failed("status {}, core files {}".format(process.returncode, found))
    return found[0]
