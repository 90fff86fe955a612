# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of damaged_trace that libFuzzer found: one file in the tree, a folder of files for it.

    damaged_traces.py unpack FOLDER    write each input to a file there
    damaged_traces.py pack FOLDER      replace the inputs in the tree by those
    damaged_traces.py join FILE        write all into a file: for each its size, four bytes, and itself
"""

import hashlib
import lzma
import sys
from pathlib import Path
from typing import Iterator

INPUTS = Path(__file__).resolve().parent / "damaged_trace.inputs.xz"
SIZE = 4  # bytes of a size


def _inputs(joined: bytes) -> Iterator[bytes]:
    while joined:
        end = SIZE + int.from_bytes(joined[:SIZE], "little")
        yield joined[SIZE:end]
        joined = joined[end:]


def main(action: str, path: str) -> None:
    """Do what the arguments say."""
    place = Path(path)
    if action == "join":
        place.write_bytes(lzma.decompress(INPUTS.read_bytes()))
    elif action == "unpack":
        place.mkdir(parents=True, exist_ok=True)
        for data in _inputs(lzma.decompress(INPUTS.read_bytes())):
            (place / hashlib.sha1(data).hexdigest()).write_bytes(data)
    elif action == "pack":
        inputs = sorted(file.read_bytes() for file in place.iterdir())
        joined = b"".join(len(data).to_bytes(SIZE, "little") + data for data in inputs)
        INPUTS.write_bytes(lzma.compress(joined))
    else:
        sys.exit("damaged_traces.py: unknown action: " + action)


if __name__ == "__main__":
    main(*sys.argv[1:])
