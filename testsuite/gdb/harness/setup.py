# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where things are, what of it the environment may change, and what is tested by default.

OMPDBG_GDB          the debugger (gdb)
OMPDBG_LOADER       the script that loads ompdbg (build/ompdbg-gdb.py)
OMPDBG_PROGRAM      the command line (build/ompdbg)
OMPDBG_TEST_OUT     where fixture programs are built (build/fixtures)
OMPDBG_TEST_CC      the C compiler for them (gcc)
OMPDBG_TEST_PRELOAD libraries that are preloaded into fixture programs (LD_PRELOAD), and not into GDB
OMPDBG_TEST_FULL    1: every state of every fixture in every variant and every mode
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
INSIDE = HERE / "inside"

sys.path.insert(0, str(ROOT / "fixtures"))

import build  # noqa: E402

GDB = os.environ.get("OMPDBG_GDB", "gdb")
LOADER = Path(os.environ.get("OMPDBG_LOADER", str(ROOT / "build" / "ompdbg-gdb.py")))
LIBRARY = LOADER.parent / "libompd" / "libompd.so"
# Where the module _ompd is, with which tests ask OMPD libraries.
OMPD_MODULE = Path(os.environ.get("OMPDBG_TEST_OMPD", str(ROOT / "build" / "testsuite" / "ompd")))
COMMAND_LINE = Path(os.environ.get("OMPDBG_PROGRAM") or LOADER.parent / "ompdbg")
OUT = Path(os.environ.get("OMPDBG_TEST_OUT", str(ROOT / "build" / "fixtures")))
CC = os.environ.get("OMPDBG_TEST_CC", "gcc")
PRELOAD = os.environ.get("OMPDBG_TEST_PRELOAD", "")
FULL = build.IS_FULL


def gdb_version() -> int:
    """13 of GDB 13.1."""
    done = subprocess.run([GDB, "--version"], stdout=subprocess.PIPE, check=True)
    match = re.search(r" (\d+)\.\d", done.stdout.decode().splitlines()[0])
    return int(match[1]) if match is not None else 0


def missing() -> str:
    """What is lacking for any test at all; empty if nothing is."""
    if shutil.which(GDB) is None:
        return "there is no " + GDB
    if not LOADER.exists():
        return "there is no {}: run ./dev build".format(LOADER)
    return ""


def plugin_problem(folder: Path, release: int) -> str:
    """Why LLVM's plug-in for GDB cannot be loaded: it wants a module that Python no longer has. Empty if
    it can."""
    if not any("import imp\n" in file.read_text("utf-8") for file in folder.glob("*.py")):
        return ""
    command = [GDB, "-nx", "-batch", "-ex", "python import imp"]
    done = subprocess.run(command, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    lacks = "; ".join(line for line in done.stderr.splitlines() if "No module" in line)
    return "the plug-in of LLVM {}: {}".format(release, lacks) if lacks else ""


def program(name: str, variant: str) -> Path:
    """A fixture program, built if need be. Raises build.Skipped where it can't be."""
    return build.build(name, variant, OUT, CC)
