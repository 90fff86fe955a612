#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The committed layout tables equal the debug information of builds of the runtimes.

    check_tables.py gomp    of libgomp, in the folder that $OMPDBG_GOMP_BUILDS names
    check_tables.py kmp     of LLVM's runtime, in the folder that $OMPDBG_KMP_BUILDS names

Such a folder is one that `tools/gen-gomp-layout` or `tools/gen-kmp-layout`, `fetch` and `build`,
filled. Without it the test is skipped (77, as meson has it).
"""

import difflib
import os
import subprocess
import sys
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parents[2]
SKIP = 77
LIBRARIES = {
    "gomp": "*/.libs/libgomp.so.1.0.0",
    "kmp": "build-*/openmp/runtime/src/libomp.so",
}


def without_versions(text: str) -> List[str]:
    """The lines of a table file, but for those that list the sources it was made from."""
    return [line for line in text.splitlines(keepends=True) if not line.startswith("//     ")]


def main(family: str) -> int:
    """Exit code of the test."""
    variable = f"OMPDBG_{family.upper()}_BUILDS"
    folder = os.environ.get(variable, "")
    libraries = sorted(Path(folder).glob(LIBRARIES[family])) if folder else []
    if not libraries:
        print(f"skipped: {variable} names no folder with builds of the runtime")
        return SKIP
    command = [str(ROOT / "tools" / f"gen-{family}-layout"), "tables", *map(str, libraries)]
    fresh = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    committed = (ROOT / "libompd" / "layout" / f"{family}_tables.c").read_text(encoding="ascii")
    old, new = without_versions(committed), without_versions(fresh)
    sys.stdout.writelines(difflib.unified_diff(old, new, "committed", "fresh"))
    return 0 if old == new else 1


sys.exit(main(sys.argv[1]))
