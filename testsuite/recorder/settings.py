# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of the recorder: settings.py PROGRAM PRELOADED..."""

import os
import subprocess
import sys
from typing import Dict, List, Tuple

BLOCK = 48 * 1024  # a thread's, with a ring of 4 KiB
ALL = "recorded 4 dropped 0 tasks recorded"


def run(words: List[str], **settings: str) -> Tuple[str, str]:
    """Run the program; return its output and what else it wrote."""
    environment: Dict[str, str] = {
        name: value
        for name, value in os.environ.items()
        if name not in ("OMPDBG_RECORD", "OMP_TOOL", "OMP_TOOL_LIBRARIES")
    }
    environment.update(settings, LD_PRELOAD=":".join(words[1:]))
    done = subprocess.run(
        words[:1],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        check=True,
        timeout=60,
    )
    return done.stdout, done.stderr


def check(words: List[str], runtime: int) -> None:
    """Check settings that are right, and settings that are not."""
    tail = f"runtime {runtime}\n"
    good = {
        "": f"events 8192 {ALL}",
        "ring=4K": f"events 128 {ALL}",
        "ring=4096,": f"events 128 {ALL}",
        "budget=1G,ring=1M": f"events 32768 {ALL}",
        f"ring=4K,budget={BLOCK * 2 + 8192}": "events 128 recorded 2 dropped 2 tasks",
        f"ring=4K,budget={BLOCK * 4}": "events 128 recorded 4 dropped 0 tasks dropped",
        "budget=0": "events 8192 recorded 0 dropped 4 tasks recorded",
    }
    for setting, expected in good.items():
        output, errors = run(words, OMPDBG_RECORD=setting)
        assert errors == "", (setting, errors)
        assert output.startswith(expected) and output.endswith(tail), (setting, output)
    bad = ["ring", "ring=", "ring=5K", "ring=2K", "ring=4T", "ring=4KB", "budget=-1", "rings=4K"]
    bad += ["budget=99999999999999999999", "=", "ring=2G", "x" * 10000, "\x1b[31mred\n\n"]
    for setting in bad:
        output, errors = run(words, OMPDBG_RECORD=setting)
        assert output == f"events 8192 {ALL} {tail}", (setting, output)
        assert errors.count("\n") == 1 and len(errors) <= 80, (setting, errors)
        assert errors.startswith('ompdbg: invalid OMPDBG_RECORD setting "'), errors
        assert errors[:-1].isprintable(), (setting, errors)
    output, errors = run(words, OMPDBG_RECORD="ring=x,ring=4K,nonsense")
    assert output.startswith("events 128 ") and errors.count("\n") == 2, errors
    # Another tool that the user names goes first, and so does the wish for none.
    for name, value in (("OMP_TOOL", "disabled"), ("OMP_TOOL_LIBRARIES", "/nonexistent/tool.so")):
        output, errors = run(words, **{name: value})
        assert output == "off\n", (name, output)


if __name__ == "__main__":
    check(sys.argv[2:], int(sys.argv[1]))
