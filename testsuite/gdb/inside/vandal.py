# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs inside GDB: overwrites single words of the runtime's structures, asks the commands, and
puts the word back. What is written is drawn from a seed."""

import random
import struct
from typing import Any, Dict, List

import common
import gdb
import ompd_services

# From each structure on, this much may be overwritten: more than any of them is long.
_REACH = 0x300
_TASK_REACH = 0xC0
_WORD = 8
# What is above tells regions of one team apart.
_ADDRESS = (1 << 47) - 1
# In turn; all of them in some rounds.
_COMMANDS = (
    "omp tasks -json",
    "omp bt -all -json",
    "omp tasks",
    "omp tasks -by-function",
    "omp status",
    "omp bt",
    "omp tasks -queued",
)


def _structures() -> Dict[int, int]:
    """Addresses of the runtime's structures, with how far to reach from there."""
    threads = common.say_json("omp threads -json")
    tasks = common.say_json("omp tasks -json")["tasks"]
    found = {int(team["id"], 16) & _ADDRESS: _REACH for team in threads["teams"]}
    for task in tasks:
        ident = int(task["id"], 16) & _ADDRESS
        if task["kind"] != "initial":
            found[ident] = _TASK_REACH
        if task["taskgroup"]:
            found[int(task["taskgroup"], 16)] = 0x40
    space = ompd_services.own_library()
    for thread in common.threads():
        handle = ompd_services.handle(space, thread)
        if handle is not None:
            found[handle.id] = 0xA0
    space.close()
    return found


def _values(draw: random.Random, own: int, structures: List[int]) -> List[int]:
    return [
        0,
        1,
        own,
        own + 1,
        draw.choice(structures),
        draw.choice(structures) + _WORD,
        0x4141414141414141,
        0x7FFFFFFFF000,
        (1 << 64) - 1,
        1 << 31,
        draw.getrandbits(64),
    ]


def _word_at(address: int) -> bytes:
    memory: bytes = gdb.selected_inferior().read_memory(address, _WORD).tobytes()
    return memory


def ravage(seed: int, rounds: int) -> Dict[str, Any]:
    """What the commands said in each round; texts that are fine are left out."""
    draw = random.Random(seed)
    inferior: Any = gdb.selected_inferior()
    reach = _structures()
    structures = sorted(reach)
    count = len(inferior.threads())
    before = common.say("omp threads -json")
    found: List[Dict[str, Any]] = []
    for number in range(rounds):
        base = draw.choice(structures)
        address = base + draw.randrange(reach[base] // _WORD) * _WORD
        kept = _word_at(address)
        value = draw.choice(_values(draw, base, structures))
        inferior.write_memory(address, struct.pack("<Q", value))
        commands = _COMMANDS if number % 20 == 0 else (_COMMANDS[number % len(_COMMANDS)],)
        said = [dict(common.say(command), command=command) for command in commands]
        table = common.say_json("omp threads -json")
        inferior.write_memory(address, kept)
        told = {"what": "{:#x}+{:#x}={:#x}".format(base, address - base, value)}
        errors = [one for one in said if "error" in one]
        rows = len(table["threads"]) if "threads" in table else -1
        found.append(dict(told, errors=errors, rows=rows, table=table.get("error")))
    after = common.say("omp threads -json")
    return {"threads": count, "rounds": found, "same": before == after, "commands": len(_COMMANDS)}
