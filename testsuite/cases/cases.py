# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is asked about each program of programs/, and what the answers must say: the place of the
mistake, the threads' parts in it, and the name of what they wait for.

An answer is compared without its layout: each blank or end of a line is one blank.
"""

import signal
from typing import Dict, List, NamedTuple, Tuple

# Compiler and option of each variant.
VARIANTS = {
    "g0": ("gcc", "-O0"),
    "g2": ("gcc", "-O2"),
    "c0": ("clang", "-O0"),
    "c2": ("clang", "-O2"),
}
GCC = ("g0", "g2")
PLAIN = ("g0", "c0")
OPTIMISED = ("g2", "c2")
ALL = tuple(VARIANTS)

# How a program comes to its state: other numbers are the signal by which it crashes.
HANGS, RECORDED, FORKS = 0, -1, -2
CHILD = " of the child"  # of the process that it has started


class Question(NamedTuple):
    """A command, and regular expressions that its text must have."""

    command: str
    wanted: Tuple[str, ...]
    variants: Tuple[str, ...] = ALL  # of these only


class Case(NamedTuple):
    """A program, how it comes to its state, and what is asked then."""

    source: str
    state: int
    threads: int
    questions: Tuple[Question, ...]
    variants: Tuple[str, ...] = ALL


def _ask(command: str, *wanted: str, variants: Tuple[str, ...] = ALL) -> Question:
    return Question(command, wanted, variants)


# What a thread waits for, and the number of its owner. By the argument of Guard::Guard, where the
# compiler tells no more.
_VERTEX = r"lock (?:this->vert\S*\[\d\]|vertex)\.lock(?: \(0x\w+(?:, in Mesh::smooth)?\))?"
_RING = _VERTEX + r", (?:perhaps )?held by (\d) (?:Guard::)?Guard at mesh\.cpp:18"

CASES: List[Case] = [
    Case(
        "mesh.cpp",
        HANGS,
        4,
        (
            _ask(
                "why",
                "(?i)deadlock: 4 threads wait for one another",
                rf"thread (\d) {_RING} thread \2 {_RING} thread \3 {_RING} thread \4 "
                + _VERTEX
                + r", (?:perhaps )?held by \1 ",
                variants=OPTIMISED,
            ),
            _ask(
                "why",
                "(?i)deadlock: 4 threads wait for one another",
                r"held by thread \d: Mesh::smooth at mesh\.cpp:52",
                variants=PLAIN,
            ),
            _ask("bt", r"Mesh::smooth \([^)]*\) at mesh\.cpp:52"),
        ),
    ),
    Case(
        "stencil.f90",
        HANGS,
        4,
        (
            _ask(
                "why",
                "wait at different barriers",
                r"threads \d.{2,6} barrier grid::sweep at stencil\.f90:31",
                r"thread \d .{0,30}stencil at stencil\.f90:46",
            ),
            _ask("print first", r"0/4 1 grid::sweep", r"1/4 5 grid::sweep", r"2/4 9 grid::sweep"),
        ),
        GCC,
    ),
    Case(
        "pipeline.c",
        signal.SIGSEGV,
        4,
        (
            _ask("why", r"SIGSEGV in thread \d .{0,30}: filter at pipeline\.c:34, .{0,20}\b0x0\b"),
            _ask("why", "block->samples is null", variants=PLAIN),
            _ask("print block->number", r"\d/4 (9|10|11) filter", variants=("g0", "g2", "c0")),
        ),
    ),
    Case(
        "upload.c",
        HANGS,
        4,
        (
            _ask(
                "why",
                "for the event of a detached task",
                r"taskwait, for an event send_file at upload\.c:51",
            ),
            _ask("why", r"task.{0,20} of send_file at upload\.c:45", variants=GCC),
            _ask("print transfers[5]", r"length = 10\b", r"sent = 0\b"),
        ),
    ),
    Case(
        "sweep.c",
        HANGS,
        4,
        (
            _ask("why", r"threads 1-4 ordered depend sweep at sweep\.c:23", "none ever will"),
            _ask(
                "print cell",
                r"\b19 sweep",
                r"[Mm]inimum 19 in thread",
                variants=("g0", "g2", "c0"),
            ),
            # Clang 19 tells nobody where it is.
            _ask(
                "print cell",
                r"\b19 sweep.* [Mm]inimum 19 in thread|4 threads optimized out sweep",
                variants=("c2",),
            ),
            _ask("print solid[18]", r"\b4 threads 1 sweep"),
        ),
    ),
    Case(
        "table.c",
        HANGS,
        4,
        (
            _ask("why", r"critical table.{0,40} reserve at table\.c:19"),
            _ask(
                "why",
                r"Probable deadlock: thread (\d) waits for a critical that it holds itself",
                r"table is perhaps held by thread \d: count at table\.c:43",
                variants=("g0", "g2", "c0"),
            ),
            _ask("bt", r"reserve \([^)]*\) at table\.c:19 #\d+ count \([^)]*\) at table\.c:43"),
        ),
    ),
    Case(
        "reader.c",
        HANGS,
        4,
        (
            _ask(
                "why",
                "3 of 4 threads",
                r"thread \d .{0,20}\bread read_all at reader\.c:29",
                r"threads \d.{0,40} main at reader\.c:4\d",
            ),
        ),
    ),
    Case(
        "stages.cpp",
        HANGS,
        2,
        (
            _ask("regions", r"Regions 1\.0, 1\.1: 1 thread each, .{0,20}play at stages\.cpp:56"),
            _ask("bt", r"decode \([^)]*\) at stages\.cpp:39"),
            _ask("icvs", r"max-active-levels-var 1\b"),
        ),
    ),
    Case(
        "monitor.c",
        HANGS,
        4,
        (
            _ask(
                "why",
                r"threads 2-4 .{0,30}main at monitor\.c:4\d",
                r"thread 1 .{0,30}watch at monitor\.c:24",
            ),
            _ask("print finished", r"0/4 3 watch"),
        ),
        OPTIMISED,
    ),
    Case(
        "cache.cpp",
        RECORDED,
        4,
        (
            _ask(
                "why",
                r"Deadlock: thread (\d) waits for a lock that it holds itself thread \1 ",
                r"held by thread \d .{0,30}taken at cache\.cpp:25",
            ),
        ),
    ),
    Case(
        "histogram.c",
        signal.SIGSEGV,
        64,
        (
            _ask("why", r"SIGSEGV in thread \d+ .{0,20}\b41/64\b.{0,5}: fill at histogram\.c:22"),
            _ask("why", r"histogram\[-990000000\]", variants=GCC),
            _ask("print bin", "41/64 -990000000 fill", variants=PLAIN),
            _ask("print samples[i]", r"41/64 -99 fill", variants=PLAIN),
        ),
    ),
    Case(
        "mass.f90",
        signal.SIGABRT,
        8,
        (
            _ask("why", r"SIGABRT in thread \d .{0,20}0/8.{0,5}: body::add at mass\.f90:36"),
            _ask("print mass", r"5/8 inf body::add", r"maximum inf in thread \d \(5/8\)"),
        ),
        GCC,
    ),
    Case(
        "accounts.f90",
        HANGS,
        4,
        (
            _ask(
                "why",
                "Probable deadlock: 2 threads wait for one another",
                *(
                    rf"account_lock\({account}\) is perhaps held by thread \d: "
                    r"bank::transfer at accounts\.f90:31"
                    for account in (3, 6)
                ),
            ),
        ),
        GCC,
    ),
    Case(
        "loader.c",
        HANGS,
        4,
        (
            _ask("why", r"\bread load at loader\.c:25"),
            _ask(
                "tasks",
                r"load_all at loader\.c:36.{0,20} running",
                r"load_all at loader\.c:36.{0,20} blocked, waits for #\d.{0,20} out: pictu",
            ),
        ),
    ),
    Case(
        "helper.c",
        FORKS,
        4,
        (
            _ask("why", r"thread \d .{0,20}wait(4|pid) pack at helper\.c:20"),
            _ask("why" + CHILD, "3 of its 4 threads do not exist", r"or fork\(\) left them"),
        ),
        GCC,
    ),
    Case(
        "workers.c",
        HANGS,
        4,
        (
            _ask(
                "why",
                r"8 tasks .{0,20}queued, and all of its threads sleep",
                r"threads 1-4 .{0,20}pthread_cond_wait scale at workers\.c:36",
            ),
        ),
    ),
]

BY_SOURCE: Dict[str, Case] = {case.source: case for case in CASES}
