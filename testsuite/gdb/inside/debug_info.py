# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: what debug information says of structures of the library called "file_name".
Task: "questions", and perhaps a "variable", asked of all objects and of the library; "expected" is
the array in the library that holds what its compiler says."""

import os
import sys
from typing import Any, Dict, List, Optional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # noqa: E402


def layout(
    services: Any, kind: str, structure: str, field: Optional[str], file_name: str
) -> Optional[int]:
    """Offset of a field, size of it or of a structure, or the bits of a bit field; or None."""
    encoded = None if field is None else field.encode()
    found = services.layout(structure.encode(), encoded, file_name.encode())
    if found is None:
        return None
    offset, size, bit, bits = found
    if kind == "mask":
        return ((1 << bits) - 1) << bit if bits else None
    if bits:
        return None
    return size if kind == "size" else offset


def variable(services: Any, name: str, file_name: Optional[str]) -> Optional[int]:
    """Value of a variable, or None."""
    address = services.symbol_address(name, file_name and file_name.encode())
    return None if address is None else int.from_bytes(services.memory(address, 8), "little")


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("start", to_string=True)
    from ompdbg.gdb_services.debugger import GdbServices

    services = GdbServices(gdb.selected_inferior(), print)
    file_name = task["file_name"]
    found: Dict[str, List[Optional[int]]] = {}
    found["layout"] = [
        layout(services, one[0], one[1], one[2], file_name) for one in task["questions"]
    ]
    if "variable" in task:
        found["variable"] = [
            variable(services, task["variable"], where) for where in (None, file_name)
        ]
    expected = gdb.parse_and_eval(task["expected"])
    found["expected"] = [int(expected[i]) for i in range(expected.type.range()[1] + 1)]
    common.answer(found)


main()
