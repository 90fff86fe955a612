#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the core under other names, so that libompd-tr2.so can use it beside its own interface.

    core.py header OUT OMPD.H OMPD_EXT.H
    core.py object OUT LIBRARY.a LD NM OBJCOPY

The interface of 2016 has the names of the later standard with other signatures: ompd_initialize,
ompd_rc_t, ompd_callbacks_t, ... A compiler can't see both, and a linker can't take both. So one
rule is applied to both sides of the core: what begins with `ompd_` begins with `core_`. `header`
applies it to the core's headers, `object` to the symbols of its objects, which are those of
libompd.so, not compiled again. Everything else of the core becomes local. The front's sources then
see two interfaces with different names, and every call between them is checked by the compiler.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Sequence


def renamed(text: str) -> str:
    """`text` with the rule applied to every name in it."""
    return re.sub(r"\b(_?)(ompd|OMPD)_", lambda m: m[1] + ("core_", "CORE_")[m[2].isupper()], text)


def make_header(out: str, sources: Sequence[str]) -> None:
    texts = [Path(source).read_text(encoding="utf-8") for source in sources]
    text = "\n".join(renamed(text) for text in texts)
    Path(out).write_text(re.sub(r'#include "ompd/.*"\n', "", text), encoding="utf-8")


def make_object(out: str, library: str, ld: str, nm: str, objcopy: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = str(Path(folder, "whole.o"))
        names = Path(folder, "names")
        kept = Path(folder, "kept")
        subprocess.run([ld, "-r", "--whole-archive", library, "-o", whole], check=True)
        listed = subprocess.run(
            [nm, "-g", "--defined-only", whole],
            check=True,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        )
        symbols = [line.split()[-1] for line in listed.stdout.splitlines()]
        ours = [name for name in symbols if name.startswith("ompd_")]
        names.write_text("".join(f"{name} {renamed(name)}\n" for name in ours), encoding="utf-8")
        kept.write_text("".join(f"{renamed(name)}\n" for name in ours), encoding="utf-8")
        options = [f"--redefine-syms={names}", f"--keep-global-symbols={kept}"]
        subprocess.run([objcopy, *options, whole, out], check=True)


if __name__ == "__main__":
    {"header": lambda out, *rest: make_header(out, rest), "object": make_object}[sys.argv[1]](
        *sys.argv[2:]
    )
