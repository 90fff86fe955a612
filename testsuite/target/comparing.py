# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks `ompdbg` and the plug-in for GDB the same of the same stop, and compares the documents."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, Sequence, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))

from harness import processes, setup  # noqa: E402

BUILD = setup.LOADER.parent
OMPDBG = BUILD / "ompdbg"
PRINTER = BUILD / "testsuite" / "target" / "printer" / "print-services"

# What each debugger numbers its own way (docs/json.md): frames, by a member that has them.
OWN = {"construct": "level", "variable": "frame"}
_FRAME = re.compile(r"\bframe \d+")

# The words of a command for `ompdbg`, and the command of GDB.
COMMANDS: Dict[str, Tuple[Sequence[str], str]] = {
    "threads": (["threads"], "omp threads -json"),
    "tasks": (["tasks"], "omp tasks -json"),
    "counts": (["tasks", "--by-function"], "omp tasks -by-function -json"),
    "stacks": (["bt"], "omp bt -all -json"),
    "regions": (["regions"], "omp regions -json"),
    "icvs": (["icvs"], "omp icvs -all -json"),
    "env": (["env"], "omp env -json"),
    "locks": (["locks"], "omp locks -json"),
    "why": (["why"], "omp why -json"),
    "status": (["status"], "omp status -json"),
}


def in_gdb(arguments: Sequence[str], **task: Any) -> Dict[str, Any]:
    """What the commands say in GDB."""
    commands = {name: words for name, (_, words) in COMMANDS.items()}
    found: Dict[str, Any] = processes.run_gdb(
        "documents.py", dict(task, commands=commands), arguments, debug_files=True
    ).result
    return found


def ask(*words: object) -> Tuple[int, str, str]:
    """Runs a command line: exit status, output, and what is said of errors."""
    done = subprocess.run(
        [str(OMPDBG), *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def without_debugger(target: str) -> Dict[str, Any]:
    """What `ompdbg` says."""
    found = {}
    for name, (words, _) in COMMANDS.items():
        status, out, err = ask(*words, target, "--json")
        found[name] = json.loads(out) if out else {"error": err}
        assert status in (0, 1) or not out
    return found


def differences(ours: Any, gdbs: Any, path: str = "") -> Iterator[str]:
    """Where two documents differ."""
    if isinstance(ours, dict) and isinstance(gdbs, dict):
        own = [name for member, name in OWN.items() if member in gdbs]
        for key in sorted({*ours, *gdbs}.difference(own)):
            if key not in ours or key not in gdbs:
                yield f"{path}.{key}: only {'ours' if key in ours else 'GDB'} has it"
            else:
                yield from differences(ours[key], gdbs[key], f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(gdbs, list):
        if len(ours) != len(gdbs):
            yield f"{path}: {len(ours)} elements, GDB has {len(gdbs)}"
        for index, pair in enumerate(zip(ours, gdbs)):
            yield from differences(*pair, f"{path}[{index}]")
    elif isinstance(ours, str) and isinstance(gdbs, str):
        if _FRAME.sub("frame", ours) != _FRAME.sub("frame", gdbs):
            yield f"{path}: {ours!r}, GDB has {gdbs!r}"
    elif ours != gdbs:
        yield f"{path}: {ours!r}, GDB has {gdbs!r}"
