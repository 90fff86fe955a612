# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a program with what is read besides debug information: long names, symbols in .gnu_debugdata, and
links to debug files, which are not there.

    named_victim.py COMPILER SOURCE OUTPUT
"""

import lzma
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List

LENGTH = 10_000  # of a name


def main(words: List[str]) -> None:
    """Make it: linked statically, it is looked at in no time."""
    compiler, source, output = words
    long_name = "a" * LENGTH
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, symbols, stripped = (str(folder / one) for one in ("plain", "symbols", "stripped"))
        named = [f"-Dinnermost={long_name}", f"-Wl,--defsym=b{long_name}=main"]
        subprocess.run([compiler, "-O2", "-g", "-static", *named, source, "-o", plain], check=True)
        keep = ["objcopy", "--only-keep-debug", "--strip-debug", plain, symbols]
        subprocess.run(keep, check=True)
        strip = ["strip", "--strip-all", "--keep-section=.debug_*", plain, "-o", stripped]
        subprocess.run(strip, check=True)
        (folder / "data").write_bytes(lzma.compress(Path(symbols).read_bytes(), preset=0))
        (folder / "alternate").write_bytes(b"alternate.debug\0" + bytes(range(20)))
        (folder / "link").write_bytes(b"link.debug\0\0" + bytes(4))
        sections = {"debugdata": "data", "debugaltlink": "alternate", "debuglink": "link"}
        added = [f"--add-section=.gnu_{one}={folder / file}" for one, file in sections.items()]
        subprocess.run(["objcopy", *added, stripped, output], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
