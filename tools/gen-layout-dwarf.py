# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run inside GDB by gen-gomp-layout and gen-kmp-layout: prints where DWARF puts each field.

The list to look up is read from the file named by $LAYOUT_FIELDS, one "structure field" per line
("-" for the structure itself). Each answer is one line, "layout structure field offset size", in
bytes; of a bit field it begins with "bits" and is in bits.
"""

import os
from typing import List, Optional

import gdb


def find_type(name: str) -> Optional[gdb.Type]:
    """The structure of that tag or typedef, or None."""
    for spelling in (name, "struct " + name, "union " + name):
        try:
            return gdb.lookup_type(spelling).strip_typedefs()
        except gdb.error:
            continue
    return None


def find_field(owner: gdb.Type, name: str, base: int = 0) -> Optional[List[object]]:
    """Kind, offset and size of a member, also of unnamed unions and structures in owner."""
    for field in owner.fields():
        if not hasattr(field, "bitpos"):
            continue  # a static member of a class
        if field.name == name:
            if field.bitsize:
                return ["bits", base + field.bitpos, field.bitsize]
            return ["layout", (base + field.bitpos) // 8, field.type.sizeof]
        inner_type = field.type.strip_typedefs()
        if not field.name and inner_type.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            inner = find_field(inner_type, name, base + field.bitpos)
            if inner is not None:
                return inner
    return None


def main() -> None:
    """Looks all of them up."""
    with open(os.environ["LAYOUT_FIELDS"], encoding="ascii") as wanted:
        names = [line.split() for line in wanted]
    for structure, field in names:
        owner = find_type(structure)
        if owner is None:
            continue
        if field == "-":
            print("layout", structure, "-", 0, owner.sizeof)
            continue
        place = find_field(owner, field)
        if place is not None:
            print(place[0], structure, field, *place[1:])


main()
