# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plug-in says in one line why it cannot be loaded."""

import subprocess

import pytest

from harness import setup

OLD = "gdb.Inferior, gdb.VERSION = type('Inferior', (), {}), '11.2'"
# What changes GDB or its Python before the plug-in is loaded, and what that says then.
REASONS = {
    OLD: "ompdbg needs GDB 12 or newer; this is GDB 11.2.",
    "import sys; sys.version_info = (3, 6, 9)": "ompdbg needs a GDB with Python 3.8 or newer; "
    "this one has Python 3.6.",
}


@pytest.mark.parametrize("before", list(REASONS))
def test_what_is_lacking_is_one_line(before: str) -> None:
    command = [setup.GDB, "-nx", "-q", "-batch", "-ex", "python " + before]
    command += ["-ex", "source {}".format(setup.LOADER), "-ex", "omp threads"]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    assert done.stdout.splitlines()[0] == REASONS[before]
    assert 'Undefined command: "omp' in done.stdout and len(done.stdout.splitlines()) == 2
