# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libompd-tr2.so exports is what the document of 2016 has, and it imports no more than
libompd.so but a few functions that only compute. Usage: tr2_interface.py LIBRARY INTERFACE.DEF"""

import re
import sys
from pathlib import Path

import purity

MAY_IMPORT = purity.MAY_IMPORT | {"memchr", "strrchr", "strtol", "__strtol_internal"}


def main(library: str, interface: str) -> int:
    text = Path(interface).read_text(encoding="utf-8")
    wanted = set(re.findall(r'^FUNCTION\("[\d.]+", (\w+)', text, re.MULTILINE))
    exported = {row[-1] for row in purity.lines("nm", "-D", "--defined-only", library)}
    undefined = purity.lines("nm", "-D", "--undefined-only", library)
    imported = {row[-1].partition("@")[0] for row in undefined if row[-2] == "U"}
    problems = [f"does not export {name}" for name in sorted(wanted - exported)]
    problems += [f"exports {name}" for name in sorted(exported - wanted)]
    problems += [f"imports {name}" for name in sorted(imported - MAY_IMPORT)]
    print("\n".join(problems) or f"{len(wanted)} functions")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
