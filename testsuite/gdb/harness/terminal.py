# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GDB with a terminal, as its users have it."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from typing import List, Mapping, Optional, Sequence, Type

import build  # from fixtures/

from harness import processes, setup

PROMPT = b"(gdb) "
SECONDS = 600


class Terminal:
    """What is typed, and what GDB prints for it."""

    def __init__(
        self,
        arguments: Sequence[str],
        columns: int = 80,
        rows: int = 40,
        variables: Optional[Mapping[str, str]] = None,
    ) -> None:
        changes = {"TERM": "xterm", "INPUTRC": "/dev/null"}
        changes.update(variables or {})
        environment = processes.environment(changes)
        for name in ("COLUMNS", "LINES", "NO_COLOR"):
            environment.pop(name, None)
        command = [setup.GDB, "-nx", "-q", "-iex", "set auto-load off", *arguments]
        try:
            self._pid, self._file = pty.fork()
        except OSError as error:
            raise build.Skipped("no pseudo-terminal can be had: {}".format(error)) from error
        if self._pid == 0:
            size = struct.pack("HHHH", rows, columns, 0, 0)
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.execvpe(command[0], command, environment)
        self.read()
        for line in ("set confirm off", "set pagination off", "set breakpoint pending on"):
            self.type(line)
        self.type("source " + str(setup.LOADER))

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: object, trace: object) -> None:
        os.kill(self._pid, signal.SIGHUP)
        end = time.monotonic() + 10
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                os.kill(self._pid, signal.SIGKILL)
            time.sleep(0.02)
        os.close(self._file)

    def type(self, line: str, until: bytes = PROMPT) -> List[str]:
        """Types a line; the lines that GDB printed for it."""
        os.write(self._file, line.encode() + b"\n")
        text = self.read(until)
        processes.assert_clean(text)
        return text.split("\r\n")[1:-1]

    def read(self, until: bytes = PROMPT) -> str:
        """What was printed up to the next prompt."""
        seen = b""
        end = time.monotonic() + SECONDS
        while not seen.endswith(until):
            readable, _, _ = select.select([self._file], [], [], max(end - time.monotonic(), 0))
            if not readable:
                raise processes.Failed("no {!r} in {!r}".format(until, seen))
            seen += (
                os.read(self._file, 65536)
                .replace(b"\033[?2004h", b"")
                .replace(b"\033[?2004l\r", b"")
            )
        return seen.decode("utf-8", "replace")


def printed(
    command: Sequence[object], columns: int, variables: Optional[Mapping[str, str]] = None
) -> str:
    """What a program prints on a terminal of its own."""
    environment = processes.environment({"TERM": "xterm", **(variables or {})})
    environment.pop("COLUMNS", None)
    if "NO_COLOR" not in (variables or {}):
        environment.pop("NO_COLOR", None)
    words = [str(word) for word in command]
    pid, file = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        os.execvpe(words[0], words, environment)
    said = b""
    end = time.monotonic() + SECONDS
    try:
        while True:
            if not select.select([file], [], [], max(end - time.monotonic(), 0))[0]:
                os.kill(pid, signal.SIGKILL)
                raise processes.Failed("no end in {!r}".format(said))
            part = os.read(file, 1 << 16)
            if not part:
                break
            said += part
    except OSError:
        pass  # the program has ended
    os.close(file)
    os.waitpid(pid, 0)
    return said.decode().replace("\r\n", "\n")
