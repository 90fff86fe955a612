# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of damaged_memory: one file in the tree, a folder of files for libFuzzer.

    damaged_inputs.py unpack FOLDER      write each input to a file there
    damaged_inputs.py pack FOLDER        replace the inputs in the tree by those
    damaged_inputs.py add FILE...        add inputs, such as findings
"""

import hashlib
import sys
from pathlib import Path
from typing import Iterable, List

INPUTS = Path(__file__).resolve().parent / "damaged_memory.inputs"
HEAD = """# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Inputs of damaged_memory that reach different code, one a line in hexadecimal. libFuzzer found them.
"""


def _read() -> List[bytes]:
    lines = INPUTS.read_text(encoding="ascii").splitlines()
    return [bytes.fromhex(line) for line in lines if not line.startswith("#")]


def _write(inputs: Iterable[bytes]) -> None:
    rows = sorted({data.hex() for data in inputs if data})
    INPUTS.write_text(HEAD + "".join(row + "\n" for row in rows), encoding="ascii")


def main(action: str, *paths: str) -> None:
    """Do what the arguments say."""
    if action == "unpack":
        folder = Path(paths[0])
        folder.mkdir(parents=True, exist_ok=True)
        for data in _read():
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
    elif action == "pack":
        _write(path.read_bytes() for path in Path(paths[0]).iterdir())
    elif action == "add":
        _write(_read() + [Path(path).read_bytes() for path in paths])
    else:
        sys.exit("damaged_inputs.py: unknown action: " + action)


if __name__ == "__main__":
    main(*sys.argv[1:])
