# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension inside GDB, on a live process: breakpoints stay hidden, Ctrl-C works."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import _ompd
from fake import Fake

pytestmark = pytest.mark.skipif(not shutil.which("gdb"), reason="there is no gdb")

PRELUDE = """
import sys
sys.path[:0] = {folders!r}
import gdb, os, subprocess
import _ompd
from fake import Fake, FakeServices, ICV_READ, PAGE
class Services(FakeServices):
    def read_memory(self, address, size):
        self.log.append((address, size))
        return gdb.selected_inferior().read_memory(address, size)
    def direct_pid(self):
        return self.pid
fake = Fake({library!r})
services = Services()
space = _ompd.Library({library!r}).open(services)
def value(expression):
    return int(gdb.parse_and_eval(expression)) & (1 << 64) - 1
def read(*ranges):
    fake.reads(*ranges)
    return space.icv(ICV_READ)
"""

BREAKPOINTS = """
gdb.execute("set breakpoint always-inserted on")
gdb.execute("starti", to_string=True)
inferior = gdb.selected_inferior()
pc, sp = value("(long)$pc"), value("(long)$sp")
code = [byte[0] for byte in inferior.read_memory(pc, 16)]
stack = sum(byte[0] for byte in inferior.read_memory(sp & -4096, 4096))
gdb.Breakpoint("*%d" % (pc + 3), internal=True)
with open("/proc/%d/mem" % inferior.pid, "rb", buffering=0) as memory:
    memory.seek(pc + 3)
    assert memory.read(1) == b"\\xcc", "the breakpoint is in the process"
for pid in (0, inferior.pid):
    services.pid = pid
    space.invalidate()
    space.reset_stats()
    assert read((pc, 16)) == sum(code)
    assert read((sp & -4096, 4096)) == stack
    read(((sp & -4096) - 4096, 8))
    print("direct", space.stats()["direct"])
gdb.execute("kill")
"""

INTERRUPT = """
fake.tasks(1 << 40)
killer = subprocess.Popen(["sh", "-c", "sleep 0.5; kill -INT %d" % os.getpid()])
try:
    space.tasks().by_function()
except KeyboardInterrupt:
    print("interrupted")
killer.wait()
"""


def run_gdb(tmp_path: Path, fake: Fake, body: str) -> str:
    script = tmp_path / "script.py"
    folders = [os.path.dirname(str(_ompd.__file__)), os.path.dirname(__file__)]
    script.write_text(PRELUDE.format(folders=folders, library=str(fake.path)) + body)
    command = ["gdb", "-nx", "-batch", "-x", str(script), "--args", "sleep", "100"]
    result = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        timeout=600,
    )
    return result.stdout


def test_breakpoints_are_hidden(tmp_path: Path, fake: Fake) -> None:
    output = run_gdb(tmp_path, fake, BREAKPOINTS)
    numbers = [line for line in output.splitlines() if line.startswith("direct")]
    assert numbers == ["direct 0", "direct 2"], output


def test_interrupt(tmp_path: Path, fake: Fake) -> None:
    assert "interrupted" in run_gdb(tmp_path, fake, INTERRUPT)
