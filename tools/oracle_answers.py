# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB, which is attached to a fixture program: what its own OpenMP routines answer in
each thread. Leaves JSON in the file that ORACLE_ANSWERS names: struct oracle by LWP."""

import json
import os
from typing import Any

import gdb


def converted(value: gdb.Value) -> Any:
    """A structure, array or number as Python has it."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return {field.name: converted(value[field]) for field in kind.fields()}
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        return [converted(value[index]) for index in range(low, high + 1)]
    return int(value)


def main() -> None:
    """Asks each thread while no other runs."""
    gdb.execute("set scheduler-locking on")
    found = {}
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        gdb.execute("call (void) oracle_fill(&oracle_slot)", to_string=True)
        found[thread.ptid[1]] = converted(gdb.parse_and_eval("oracle_slot"))
    with open(os.environ["ORACLE_ANSWERS"], "w", encoding="utf-8") as file:
        json.dump(found, file)


main()
