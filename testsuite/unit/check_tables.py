#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The committed layout tables equal the debug information of the builds in $OMPDBG_GOMP_BUILDS.

That folder is one that `tools/gen-gomp-layout fetch` and `build` filled: it holds
*-VERSION/.libs/libgomp.so.1.0.0. Without it the test is skipped (77, as meson has it).
"""

import difflib
import os
import subprocess
import sys
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parents[2]
SKIP = 77


def without_versions(text: str) -> List[str]:
    """The lines of a table file, but for those that list the sources it was made from."""
    return [line for line in text.splitlines(keepends=True) if not line.startswith("//     ")]


def main() -> int:
    """Exit code of the test."""
    folder = os.environ.get("OMPDBG_GOMP_BUILDS", "")
    libraries = sorted(Path(folder).glob("*/.libs/libgomp.so.1.0.0")) if folder else []
    if not libraries:
        print("skipped: OMPDBG_GOMP_BUILDS names no folder with builds of libgomp")
        return SKIP
    command = [str(ROOT / "tools" / "gen-gomp-layout"), "tables", *map(str, libraries)]
    fresh = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    committed = (ROOT / "libompd" / "layout" / "gomp_tables.c").read_text(encoding="ascii")
    old, new = without_versions(committed), without_versions(fresh)
    sys.stdout.writelines(difflib.unified_diff(old, new, "committed", "fresh"))
    return 0 if old == new else 1


sys.exit(main())
