# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes programs in C and C++ that take locks: each kind of lock, in each way.

A program has three functions for each pair: one takes two locks one after the other, and deadlocks with
others that take them in another order, or with itself; one takes a lock and keeps it; one waits for it.
"""

from pathlib import Path
from typing import List, NamedTuple, Sequence, Tuple


class Kind(NamedTuple):
    """A kind of lock, in the words of C; `{}` is its address."""

    name: str
    said: str  # by ompdbg, of the kind
    type: str
    init: str
    take: str
    give: str
    takes_again: bool = False  # who has it may take it again


class Way(NamedTuple):
    """How a function of the program takes a lock. `{n}` is the name of the kind."""

    name: str
    code: str  # before the functions; {t}: the type of the lock, {T}, {G}: taking and giving back `which`
    parameter: str  # of the functions, for one lock; {i} is its name there
    take: str
    give: str
    passed: str  # as argument; {i} is the number of the lock


KINDS = (
    Kind(
        "simple",
        "lock",
        "omp_lock_t",
        "omp_init_lock({})",
        "omp_set_lock({})",
        "omp_unset_lock({})",
    ),
    Kind(
        "nest",
        "nest_lock",
        "omp_nest_lock_t",
        "omp_init_nest_lock({})",
        "omp_set_nest_lock({})",
        "omp_unset_nest_lock({})",
        True,
    ),
    Kind(
        "tested",
        "lock",
        "omp_lock_t",
        "omp_init_lock({})",
        "while (!omp_test_lock({})) sched_yield()",
        "omp_unset_lock({})",
    ),
    Kind(
        "mutex",
        "pthread_mutex",
        "pthread_mutex_t",
        "pthread_mutex_init({}, NULL)",
        "pthread_mutex_lock({})",
        "pthread_mutex_unlock({})",
    ),
    Kind(
        "rwlock",
        "pthread_rwlock",
        "pthread_rwlock_t",
        "pthread_rwlock_init({}, NULL)",
        "pthread_rwlock_wrlock({})",
        "pthread_rwlock_unlock({})",
        True,  # the C library returns EDEADLK
    ),
    Kind(
        "spin",
        "pthread_spinlock",
        "pthread_spinlock_t",
        "pthread_spin_init({}, 0)",
        "pthread_spin_lock({})",
        "pthread_spin_unlock({})",
    ),
)

WAYS_OF_C = (
    Way("direct", "", "int {i}", "{T}", "{G}", "{i}"),
    Way(
        "helper",
        "static NOINLINE void {n}_helper_take({t} *which)\n"
        '{{\n\twork++;\n\t{T};\n\t__asm__ volatile("" ::: "memory");\n}}\n'
        "static NOINLINE void {n}_helper_give({t} *which)\n{{\n\t{G};\n\twork++;\n}}\n",
        "int {i}",
        "{n}_helper_take({l})",
        "{n}_helper_give({l})",
        "{i}",
    ),
    Way(
        "jump",
        "static NOINLINE void {n}_jump_take({t} *which)\n{{\n\t{T};\n}}\n"
        "static NOINLINE void {n}_jump_give({t} *which)\n{{\n\t{G};\n}}\n",
        "int {i}",
        "{n}_jump_take({l})",
        "{n}_jump_give({l})",
        "{i}",
    ),
    Way(
        "index",
        "static NOINLINE void {n}_index_take(int index)\n"
        "{{\n\t{t} *which = &{n}[index];\n\twork++;\n\t{T};\n\twork++;\n}}\n"
        "static NOINLINE void {n}_index_give(int index)\n"
        "{{\n\t{t} *which = &{n}[index];\n\t{G};\n}}\n",
        "int {i}",
        "{n}_index_take({i})",
        "{n}_index_give({i})",
        "{i}",
    ),
    Way(
        "member",
        "struct {n}_item {{\n\tlong number;\n\t{t} *lock;\n}};\n"
        "static struct {n}_item {n}_items[] = {{ {{ 0, &{n}[0] }}, {{ 1, &{n}[1] }}, "
        "{{ 2, &{n}[2] }} }};\n",
        "struct {n}_item *{i}",
        "{T}",
        "{G}",
        "&{n}_items[{i}]",
    ),
    Way(
        "pointer",
        "static void {n}_pointed_take({t} *which)\n{{\n\t{T};\n\twork++;\n}}\n"
        "static void (*volatile {n}_through)({t} *) = {n}_pointed_take;\n",
        "int {i}",
        "{n}_through({l})",
        "{G}",
        "{i}",
    ),
)

WAYS_OF_CXX = (
    Way(
        "guard",
        "class {n}_guard\n{{\n      public:\n\texplicit {n}_guard({t} *lock) : which(lock)\n\t{{\n"
        "\t\t{T};\n\t}}\n\t~{n}_guard()\n\t{{\n\t\t{G};\n\t}}\n\n      private:\n\t{t} *which;\n}};\n",
        "int {i}",
        "{n}_guard guard_of_{i}({l})",
        "",
        "{i}",
    ),
    Way(
        "accessor",
        "struct {n}_cell {{\n\t{t} *lock;\n}};\n"
        "class {n}_cells\n{{\n      public:\n\t{n}_cell &operator[](size_t index)\n\t{{\n"
        "\t\treturn cells_[index];\n\t}}\n\n      private:\n\tstd::vector<{n}_cell> cells_ = "
        "{{ {{ &{n}[0] }}, {{ &{n}[1] }}, {{ &{n}[2] }} }};\n}};\nstatic {n}_cells {n}_all;\n",
        "int {i}",
        "{T}",
        "{G}",
        "{i}",
    ),
    Way(
        "virtual",
        "class {n}_base\n{{\n      public:\n\tvirtual ~{n}_base() = default;\n"
        "\tvirtual void take() = 0;\n\tvirtual void give() = 0;\n}};\n"
        "class {n}_derived : public {n}_base\n{{\n      public:\n"
        "\texplicit {n}_derived({t} *lock) : which(lock)\n\t{{\n\t}}\n"
        "\tNOINLINE void take() override\n\t{{\n\t\t{T};\n\t}}\n"
        "\tNOINLINE void give() override\n\t{{\n\t\t{G};\n\t}}\n\n      private:\n\t{t} *which;\n}};\n"
        "static {n}_base *{n}_object(int index)\n{{\n"
        "\tstatic {n}_derived all[] = {{ {n}_derived(&{n}[0]), {n}_derived(&{n}[1]), "
        "{n}_derived(&{n}[2]) }};\n\n\treturn &all[index];\n}}\n",
        "{n}_base *{i}",
        "{i}->take()",
        "{i}->give()",
        "{n}_object({i})",
    ),
    Way(
        "lambda",
        "static NOINLINE void {n}_call(const std::function<void()> &what)\n"
        "{{\n\twork++;\n\twhat();\n\twork++;\n}}\n",
        "int {i}",
        "{n}_call([{i}] {{ {t} *which = &{n}[{i}]; {T}; }})",
        "{G}",
        "{i}",
    ),
)

# How a way writes the address of a lock where it takes it itself.
_ADDRESSES = {"member": "{i}->lock", "accessor": "{n}_all[(size_t){i}].lock"}

HELD, PAIR, RING, SELF = "held", "pair", "ring", "self"
DEADLOCKS = {PAIR: 2, RING: 3, SELF: 1}

_HEAD = """// Made by tables.py.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
"""
_HEAD_OF_CXX = "#include <functional>\n#include <vector>\n"

_FUNCTIONS = (Path(__file__).resolve().parent / "programs" / "pair.in").read_text(encoding="ascii")


def _of(way: Way, kind: Kind) -> str:
    """The functions of a pair."""
    address = _ADDRESSES.get(way.name, "&{n}[{i}]")

    def written(text: str, name: str) -> str:
        where = address.format(n=kind.name, i=name)
        return text.format(
            n=kind.name,
            i=name,
            l=where,
            t=kind.type,
            T=kind.take.format(where),
            G=kind.give.format(where),
        )

    inner = way.code.format(
        n=kind.name, t=kind.type, T=kind.take.format("which"), G=kind.give.format("which")
    )
    # The lambda has a variable of that name.
    take = way.take
    if way.name == "lambda":
        take = take.replace("{T}", kind.take.format("which"))
    return inner + _FUNCTIONS.format(
        n=kind.name,
        w=way.name,
        t=kind.type,
        said=kind.said,
        own=written(way.parameter, "own"),
        next=written(way.parameter, "next"),
        take_own=written(take, "own"),
        take_next=written(take, "next"),
        give_own=written(way.give, "own"),
        give_next=written(way.give, "next"),
        passed_own=written(way.passed, "own"),
        passed_next=written(way.passed, "next"),
        passed_1=written(way.passed, "1"),
    )


def ways(language: str) -> Tuple[Way, ...]:
    """Those of a language, "c" or "cpp"."""
    return WAYS_OF_C if language == "c" else WAYS_OF_CXX


def shapes(kind: Kind) -> Sequence[str]:
    """In which a pair of a kind hangs."""
    return (HELD, PAIR, RING) if kind.takes_again else (HELD, PAIR, RING, SELF)


def names(language: str) -> List[str]:
    """The names of all programs of a source."""
    found = [
        "{}_{} {}".format(kind.name, way.name, shape)
        for kind in KINDS
        for way in ways(language)
        for shape in shapes(kind)
    ]
    return found + (["critical_direct pair", "critical_direct self"] if language == "c" else [])


def source(language: str) -> str:
    """The text of all programs."""
    text = [_HEAD, _HEAD_OF_CXX if language == "cpp" else "", '#include "truth.h"\n']
    text.append("static int work;\n")
    text += ["static {} {}[3];\n".format(kind.type, kind.name) for kind in KINDS]
    text += [_of(way, kind) for kind in KINDS for way in ways(language)]
    pairs = ["{}_{}".format(kind.name, way.name) for kind in KINDS for way in ways(language)]
    if language == "c":
        text.append('#include "criticals.h"\n')
        pairs.append("critical_direct")
    text.append(
        "\nint main(int argc, char **argv)\n{\n\tint count = argc > 2 ? atoi(argv[2]) : 0;\n"
    )
    text.append('\tconst char *name = argc > 1 ? argv[1] : "";\n\n\tset_count(count);\n')
    text.append("\tfor (int i = 0; i < 3; i++) {\n")
    text += ["\t\t" + kind.init.format("&{}[i]".format(kind.name)) + ";\n" for kind in KINDS]
    text.append("\t}\n")
    for pair in pairs:
        text.append('\tif (strcmp(name, "{0}") == 0)\n\t\t{0}(count);\n'.format(pair))
    text.append("\treturn 0;\n}\n")
    return "".join(text)
