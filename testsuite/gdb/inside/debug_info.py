# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: what debug information answers to the names of variables that tell a layout.
Task: "names", asked of the library called "file_name" and of all objects; "expected" is the array
in the library that holds what its compiler says."""

import os
import sys
from typing import Any, Dict, List, Optional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402
import gdb  # type: ignore[import-not-found]  # noqa: E402


def ask(services: Any, name: str, file_name: Optional[str]) -> Optional[int]:
    """Value of a variable, or None."""
    address = services.symbol_address(name, file_name, None)
    if address is None:
        return None
    return int.from_bytes(services.read_memory(address, 8), "little")


def main() -> None:
    """The script."""
    task = common.task()
    common.prepare(task["loader"])
    gdb.execute("start", to_string=True)
    from ompdbg.gdb_services.debugger import GdbServices

    services = GdbServices(gdb.selected_inferior(), print)
    found: Dict[str, List[Optional[int]]] = {}
    for key, file_name in (("library", task["file_name"]), ("all", None)):
        found[key] = [ask(services, name, file_name) for name in task["names"]]
    expected = gdb.parse_and_eval(task["expected"])
    found["expected"] = [int(expected[i]) for i in range(expected.type.range()[1] + 1)]
    common.answer(found)


main()
