# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of functions and variables as a debugger writes them: with the namespaces, classes and
modules that they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional

from ompdbg.demangle import demangle, without_return_type
from ompdbg.target_services import dwarf

if TYPE_CHECKING:
    import _target
    from ompdbg.target_services.units import Unit

_CLASSES = (dwarf.TAG_STRUCTURE, dwarf.TAG_CLASS, dwarf.TAG_UNION)
_WITHOUT_NAME = {dwarf.TAG_NAMESPACE: "(anonymous namespace)"}
_POINTERS = {dwarf.TAG_POINTER: "*", dwarf.TAG_REFERENCE: "&", dwarf.TAG_RVALUE: "&&"}
_MAX_ORIGINS = 16


def function_name(unit: "Unit", die: "_target.Die") -> str:
    """A function's name, with its parameters where the linkage name has them."""
    linkage = dwarf.text(die, dwarf.AT_LINKAGE_NAME)
    told = demangle(linkage) if linkage is not None else None
    if told is not None:
        return without_return_type(told)
    if linkage is not None and not _has_scopes(unit):
        return linkage
    name = qualified_name(unit, die) or linkage or ""
    is_cxx = dwarf.number(unit.die, dwarf.AT_LANGUAGE) in dwarf.CXX
    return f"{name}{_parameters(unit, die)}" if is_cxx and "::" in name else name


def _parameters(unit: "Unit", die: "_target.Die") -> str:
    """As C++ writes them; nothing if one is of a type that is not written here."""
    found = []
    for child in _declared(die).children():
        if child.tag == dwarf.TAG_PARAMETER and not child.attribute(dwarf.AT_ARTIFICIAL):
            found.append(_type_name(unit, dwarf.entry(child, dwarf.AT_TYPE), 0))
    known = [name for name in found if name is not None]
    return f"({', '.join(known) or 'void'})" if len(known) == len(found) else ""


def _type_name(unit: "Unit", die: "Optional[_target.Die]", depth: int) -> Optional[str]:
    if die is None or depth == _MAX_ORIGINS:
        return None if die is not None else "void"
    end = _POINTERS.get(die.tag)
    if end is None and die.tag != dwarf.TAG_CONST:
        return qualified_name(unit, die) or None
    inner = _type_name(unit, dwarf.entry(die, dwarf.AT_TYPE), depth + 1)
    if inner is None:
        return None
    if end is None:
        return f"{inner}const" if inner.endswith("*") else f"const {inner}"
    return f"{inner}{end}" if inner.endswith(("*", "&")) else f"{inner} {end}"


def qualified_name(unit: "Unit", die: "_target.Die") -> str:
    """The name of a function or variable."""
    name = dwarf.text(die, dwarf.AT_NAME) or ""
    # Outlined functions have whole names; they only seem to lie within others.
    if "." in name or not _has_scopes(unit):
        return name
    is_fortran = dwarf.number(unit.die, dwarf.AT_LANGUAGE) in dwarf.FORTRAN
    # Of what is inlined, GDB does not tell in which function the source has it.
    with_host = is_fortran and die.tag == dwarf.TAG_SUBPROGRAM
    return "::".join([*_around(_declared(die), with_host), name])


def _has_scopes(unit: "Unit") -> bool:
    """Its language has namespaces, or modules."""
    return dwarf.number(unit.die, dwarf.AT_LANGUAGE) in (*dwarf.CXX, *dwarf.FORTRAN)


def _declared(die: "_target.Die") -> "_target.Die":
    """The entry that lies where the source has it."""
    for _ in range(_MAX_ORIGINS):
        for attribute in (dwarf.AT_ABSTRACT_ORIGIN, dwarf.AT_SPECIFICATION):
            origin = dwarf.own_entry(die, attribute)
            if origin is not None:
                die = origin
                break
        else:
            break
    return die


def _around(die: "_target.Die", with_host: bool) -> List[str]:
    found: List[str] = []
    for parent in die.parents():
        name: Optional[str] = dwarf.text(parent, dwarf.AT_NAME)
        if parent.tag in (dwarf.TAG_NAMESPACE, dwarf.TAG_MODULE, *_CLASSES):
            name = name or _WITHOUT_NAME.get(parent.tag)
            if name is None:
                continue
            found.insert(0, name)
        elif parent.tag == dwarf.TAG_SUBPROGRAM:
            # Of a function within another in Fortran, that one.
            if with_host and name is not None:
                found.insert(0, name)
            break
    return found
