#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a random legal OpenMP program in C that keeps a record of what is true in it (truth.h).

    testsuite/legal/generate.py SEED >program.c

Legal: a construct is only where the specification allows it, and no order of events ends in a
deadlock. Locks are taken in the order of their numbers, and nothing within them waits for a task
that takes one.
"""

import random
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Callable, Iterator, List, Tuple

MAX_DEPTH = 5  # constructs that have a record of their own
MAX_WIDTH = 8  # threads in the regions that one root opens
MAX_COST = 30  # dwells in one round of a root, one after another
MAX_LEAVES = 2  # functions that threads run which tasks create
LOCKS = 4
SCHEDULES = ["static", "static, 1", "dynamic", "dynamic, 2", "guided", "runtime", "auto"]
DEPENDS = ["in", "out", "inout"]
SETTINGS = [
    "omp_set_schedule(omp_sched_static, 3)",
    "omp_set_schedule(omp_sched_dynamic, 1)",
    "omp_set_schedule(omp_sched_guided, 0)",
    "omp_set_max_active_levels(2)",
    "omp_set_max_active_levels(4)",
    "omp_set_dynamic(1)",
    "omp_set_dynamic(0)",
]


@dataclass(frozen=True)
class Place:
    """Where in the program a statement is."""

    here: int = 0  # number of the innermost variable that says it
    width: int = 1  # threads that may be here at once
    cost: int = 1  # how often this is done in one round, by one thread after another
    in_region: bool = False  # in a parallel region and in no other construct: barriers are legal
    in_league: bool = False  # in a teams region and in no other construct
    untied: bool = False  # in an untied task
    held: int = 0  # locks with lower numbers may be held
    scheduling: bool = True  # a thread may begin other tasks here
    cancellable: str = ""  # the construct that may be cancelled here
    uniform: bool = True  # all tasks of the same binding do the same here


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        # LLVM's runtime fails now and then in the midst of detached tasks, of mutexinoutset, and of
        # regions that an if clause serializes in a league, in some releases at least; most often
        # after threads have ended that had regions with tasks.
        self.fragile = seed % 3 == 0
        self.lines: List[str] = []
        self.indent = 1
        self.spent = 0
        self.leaves = 0

    # ---- Text ---------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append(text if text.startswith("#") else "\t" * self.indent + text)

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        self.line(head + " {" if head else "{")
        self.indent += 1
        yield
        self.indent -= 1
        self.line("}")

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # ---- Statements ---------------------------------------------------------------------------

    def body(self, place: Place, size: int) -> None:
        for _ in range(size):
            self.statement(place)

    def statement(self, place: Place) -> None:
        choices: List[Tuple[int, Callable[[Place], None]]] = [(6, self.dwell), (1, self.atomic)]
        deep = place.here >= MAX_DEPTH or self.spent > MAX_COST
        if not deep:
            choices += [(3, self.parallel), (1, self.parallel_loop)]
        if place.uniform:
            choices.append((1, self.setting))
        fits = place.here and place.width <= 2 and place.cost <= 4
        if self.fragile and fits and self.leaves < MAX_LEAVES:
            choices.append((1, self.thread))
        if place.held < LOCKS:
            choices += [(1, self.critical), (1, self.lock)]
        if place.in_region:
            choices += [(2, self.barrier), (1, self.master)]
            choices += [(2, self.loop), (1, self.sections), (2, self.single)]
        if place.scheduling and not deep:
            choices += [(4, self.task), (1, self.taskloop), (1, self.taskgroup)]
        if place.scheduling:
            choices += [(1, self.taskwait), (1, self.taskyield)]
        if place.cancellable:
            choices.append((2, self.cancel))
        weights = [weight for weight, _ in choices]
        self.random.choices([choice for _, choice in choices], weights)[0](place)

    def dwell(self, place: Place) -> None:
        self.spent += place.cost
        self.line("dwell(&h{});".format(place.here))

    def atomic(self, _: Place) -> None:
        self.line("#pragma omp atomic")
        self.line("counter++;")

    def barrier(self, place: Place) -> None:
        self.waiting(place, "#pragma omp barrier")

    def waiting(self, place: Place, pragma: str) -> None:
        # Another thread may go on with an untied task; one whose region is cancelled does not.
        stays = not place.untied and place.cancellable != "parallel"
        self.line("wait_here(&h{});".format(place.here) if stays else "leave();")
        self.line(pragma)
        self.line("leave();")

    def taskwait(self, place: Place) -> None:
        self.waiting(place, "#pragma omp taskwait")

    def taskyield(self, place: Place) -> None:
        self.waiting(place, "#pragma omp taskyield")

    def cancel(self, place: Place) -> None:
        self.line("leave();")
        condition = "rand() % {} == 0".format(self.random.randint(2, 9))
        self.line("#pragma omp cancel {} if({})".format(place.cancellable, condition))
        if self.chance(0.5):
            self.line("#pragma omp cancellation point " + place.cancellable)

    def setting(self, _: Place) -> None:
        self.line("leave();")
        self.line(self.random.choice(SETTINGS) + ";")

    def thread(self, place: Place) -> None:
        self.spent += 2 * place.cost
        with self.block():
            self.line("pthread_t thread;")
            self.line("leave();")
            self.line("if (pthread_create(&thread, NULL, leaf{}, NULL) != 0)".format(self.leaves))
            self.line("\tabort();")
            self.line("pthread_join(thread, NULL);")
        self.leaves += 1

    # ---- Mutual exclusion ---------------------------------------------------------------------

    def within_lock(self, place: Place, number: int) -> None:
        inner = replace(
            place,
            held=number + 1,
            cost=place.cost * place.width,
            in_region=False,
            scheduling=False,
            cancellable="",
            uniform=False,
        )
        self.body(inner, self.random.randint(1, 2))

    def critical(self, place: Place) -> None:
        number = self.random.randrange(place.held, LOCKS)
        self.line("wait_here(&h{});".format(place.here))
        self.line("#pragma omp critical(name{})".format(number))
        with self.block():
            self.line("leave();")
            self.within_lock(place, number)

    def lock(self, place: Place) -> None:
        number = self.random.randrange(place.held, LOCKS)
        nest = "nest_" if self.chance(0.3) else ""
        self.line("wait_here(&h{});".format(place.here))
        self.line("omp_set_{0}lock(&{0}lock{1});".format(nest, number))
        with self.block():
            self.line("leave();")
            self.within_lock(place, number)
        self.line("omp_unset_{0}lock(&{0}lock{1});".format(nest, number))

    # ---- Regions ------------------------------------------------------------------------------

    def parallel(self, place: Place) -> None:
        most = max(1, MAX_WIDTH // place.width)
        threads = self.random.randint(1, min(4, most))
        clauses = " num_threads({})".format(threads)
        if self.chance(0.2) and (self.fragile or not place.in_league):
            clauses += self.random.choice([" if(0)", " if(counter % 2)"])
        if self.chance(0.2):
            clauses += " proc_bind({})".format(self.random.choice(["close", "spread", "master"]))
        inner = Place(
            here=place.here + 1,
            width=place.width * threads,
            cost=place.cost,
            in_region=True,
            held=place.held,
            # Cancelled tasks would not take the locks that they must give back: there are none.
            cancellable="parallel" if self.chance(0.15) else "",
        )
        with self.block():
            self.line("const uint64_t id = new_id();")
            self.line("leave();")
            self.line("#pragma omp parallel" + clauses)
            with self.block():
                self.line("uint32_t marker = 0;")
                self.enter(inner, "here_region", "id", "&marker")
                self.body(inner, self.random.randint(1, 4))

    def parallel_loop(self, place: Place) -> None:
        threads = self.random.randint(1, min(4, max(1, MAX_WIDTH // place.width)))
        count = self.random.randint(1, 4)
        inner = Place(
            here=place.here + 1,
            width=place.width * threads,
            cost=place.cost * count,
            held=place.held,
            uniform=False,
        )
        clauses = "num_threads({}) schedule({})".format(threads, self.random.choice(SCHEDULES))
        with self.block():
            self.line("const uint64_t id = new_id();")
            self.line("uint32_t marker = 0;")
            self.line("leave();")
            self.line("#pragma omp parallel for firstprivate(marker) " + clauses)
            with self.block("for (int i = 0; i < {}; i++)".format(count)):
                self.enter(inner, "here_region", "id", "&marker")
                self.body(inner, self.random.randint(1, 2))
                self.line("leave();")

    def enter(self, inner: Place, function: str, *arguments: str) -> None:
        outer = "&h{}".format(inner.here - 1)
        call = "{}({})".format(function, ", ".join([outer, *arguments]))
        self.line("struct here h{} = {};".format(inner.here, call))
        self.line("(void)h{};".format(inner.here))

    def league(self, place: Place) -> None:
        teams, limit = self.random.randint(1, 3), self.random.randint(1, 3)
        inner = Place(
            here=place.here + 1,
            width=teams,
            cost=place.cost,
            in_league=True,
            scheduling=False,
        )
        with self.block():
            self.line("const uint64_t id = new_id();")
            self.line("leave();")
            self.line("#pragma omp teams num_teams({}) thread_limit({})".format(teams, limit))
            with self.block():
                self.enter(inner, "here_league", "id")
                for _ in range(self.random.randint(1, 3)):
                    self.random.choice([self.dwell, self.parallel, self.parallel])(inner)

    # ---- Worksharing --------------------------------------------------------------------------

    def work(self, place: Place, **changes: object) -> Place:
        inner = replace(place, in_region=False, cancellable="", uniform=False)
        return replace(inner, **changes)

    def ending(self, place: Place, nowait: bool) -> str:
        """A clause, and what is done in front of the construct: a thread waits at its end."""
        stays = not nowait and place.cancellable != "parallel"
        self.line("wait_here(&h{});".format(place.here) if stays else "leave();")
        return " nowait" if nowait else ""

    def loop(self, place: Place) -> None:
        count = self.random.randint(1, 6)
        ordered = self.random.choice(["", "", "", "", " ordered", " ordered(1)"])
        cancellable = not ordered and self.chance(0.2)
        nowait = not ordered and not cancellable and self.chance(0.4)
        schedule = self.random.choice(SCHEDULES)
        inner = self.work(place, cost=place.cost * count, cancellable="for" if cancellable else "")
        pragma = "#pragma omp for schedule({}){}".format(schedule, ordered)
        self.line(pragma + self.ending(place, nowait))
        with self.block("for (int i = 0; i < {}; i++)".format(count)):
            self.line("leave();")
            self.body(inner, self.random.randint(1, 2))
            if ordered == " ordered(1)":
                self.line("wait_here(&h{});".format(place.here))
                self.line("#pragma omp ordered depend(sink: i - 1)")
                self.line("leave();")
                self.dwell(inner)
                self.line("#pragma omp ordered depend(source)")
            elif ordered:
                self.line("wait_here(&h{});".format(place.here))
                self.line("#pragma omp ordered")
                with self.block():
                    self.line("leave();")
                    self.within_lock(replace(inner, held=LOCKS), LOCKS - 1)
        self.line("leave();")

    def sections(self, place: Place) -> None:
        nowait = self.chance(0.4)
        cancellable = not nowait and self.chance(0.2)
        inner = self.work(place, cancellable="sections" if cancellable else "")
        self.line("#pragma omp sections" + self.ending(place, nowait))
        with self.block():
            for _ in range(self.random.randint(1, 4)):
                self.line("#pragma omp section")
                with self.block():
                    self.line("leave();")
                    self.body(inner, self.random.randint(1, 2))
        self.line("leave();")

    def single(self, place: Place) -> None:
        self.line("#pragma omp single" + self.ending(place, self.chance(0.4)))
        with self.block():
            self.line("leave();")
            self.body(self.work(place), self.random.randint(1, 3))
        self.line("leave();")

    def master(self, place: Place) -> None:
        self.line("#pragma omp master")
        with self.block():
            self.body(self.work(place), self.random.randint(1, 2))

    # ---- Tasks --------------------------------------------------------------------------------

    def in_task(self, place: Place) -> Place:
        return Place(
            here=place.here + 1,
            width=place.width,
            cost=place.cost,
            untied=place.untied,
            held=place.held,
        )

    def task(self, place: Place) -> None:
        inner = self.in_task(place)
        detached = self.fragile and self.chance(0.2)
        clauses = " firstprivate(h{})".format(place.here)
        # LLVM's runtime does not stand some combinations: variables that GCC copies by a function
        # for a task that is not deferred, or such a task within an untied one.
        if self.chance(0.15) and not place.untied:
            clauses = " shared(h{}) if(0)".format(place.here)
        elif self.chance(0.2) and not place.untied:
            clauses += " untied"
            inner = replace(inner, untied=True)
        if self.chance(0.15):
            clauses += " final(1)"
        if detached:
            clauses += " detach(event)"
        elif self.chance(0.1):
            clauses += " mergeable"
        if self.chance(0.2):
            clauses += " priority({})".format(self.random.randint(0, 9))
        if self.chance(0.3):
            kinds = DEPENDS + ["mutexinoutset"] if self.fragile else DEPENDS
            depend, number = self.random.choice(kinds), self.random.randrange(3)
            clauses += " depend({}: depends[{}])".format(depend, number)
        with self.block():
            if detached:
                self.line("omp_event_handle_t event;")
            self.line("leave();")
            self.line("#pragma omp task" + clauses)
            with self.block():
                self.enter(inner, "here_task")
                self.body(inner, self.random.randint(1, 3))
                if detached:
                    self.line("omp_fulfill_event(event);")
                    self.dwell(inner)

    def taskloop(self, place: Place) -> None:
        count = self.random.randint(1, 4)
        inner = replace(self.in_task(place), cost=place.cost * count)
        clauses = " firstprivate(h{}, marker)".format(place.here)
        clauses += self.random.choice(["", " num_tasks(2)", " grainsize(1)"])
        clauses += " nogroup" if self.chance(0.3) else ""
        clauses += " final(1)" if self.chance(0.15) else ""
        clauses += " priority({})".format(self.random.randint(0, 9)) if self.chance(0.2) else ""
        with self.block():
            self.line("uint32_t marker = 0;")
            self.line("leave();")
            self.line("#pragma omp taskloop" + clauses)
            with self.block("for (int i = 0; i < {}; i++)".format(count)):
                self.enter(inner, "here_iteration", "&marker")
                self.body(inner, self.random.randint(1, 2))

    def taskgroup(self, place: Place) -> None:
        cancellable = self.chance(0.2)
        self.line("leave();")
        self.line("#pragma omp taskgroup")
        with self.block():
            inner = self.work(place)
            for _ in range(self.random.randint(1, 3)):
                self.task(inner)
                if cancellable:
                    self.cancelled_task(inner)
            self.body(inner, 1)
            if not place.untied:
                self.line("wait_here(&h{});".format(place.here))
        self.line("leave();")

    def cancelled_task(self, place: Place) -> None:
        inner = self.in_task(place)
        self.line("leave();")
        self.line("#pragma omp task firstprivate(h{})".format(place.here))
        with self.block():
            self.enter(inner, "here_task")
            self.dwell(inner)
            self.cancel(replace(inner, cancellable="taskgroup"))

    # ---- The program --------------------------------------------------------------------------

    def root(self, number: int, pause: str) -> None:
        self.spent = 0
        self.line("static void root{}(int rounds)".format(number))
        with self.block():
            levels = self.random.choice([1, 1, 2, 3, 5])
            self.line("struct here h0 = here_initial({});".format(levels))
            with self.block("for (int round = 0; round < rounds; round++)"):
                place = Place()
                self.line("__atomic_add_fetch(&truth_rounds, 1, __ATOMIC_RELAXED);")
                for _ in range(self.random.randint(1, 4)):
                    statements = [self.statement, self.parallel, self.parallel, self.league]
                    self.random.choice(statements)(place)
                self.line("dwell(&h0);")
            self.line("leave();")
            if pause:
                self.line("destroy_locks();")
                self.line("pause_runtime({});".format(pause))
                self.line("init_locks();")

    def leaf(self, number: int) -> None:
        """What a thread does that a task creates, and waits for: it takes no locks."""
        self.spent = 0
        self.line("static void *leaf{}(void *unused)".format(number))
        with self.block():
            self.line("struct here h0 = here_initial({});".format(self.random.randint(1, 2)))
            place = Place(width=4, held=LOCKS)
            for _ in range(self.random.randint(1, 2)):
                self.random.choice([self.statement, self.parallel])(place)
            self.line("dwell(&h0);")
            self.line("return unused;")

    def program(self) -> str:
        roots = self.random.choice([1, 1, 2, 3])
        self.indent = 0
        # Only where no other thread is in the runtime: it gives back what it has.
        pause = roots == 1 and self.chance(0.3)
        for number in range(roots):
            how = self.random.choice(["omp_pause_soft", "omp_pause_hard"]) if pause else ""
            self.root(number, how)
            self.line("")
        # Leaves have none of their own.
        leaves, self.leaves, done = self.leaves, MAX_LEAVES, len(self.lines)
        for number in range(leaves):
            self.leaf(number)
            self.line("")
        functions = "\n".join(self.lines[done:] + self.lines[:done])
        locks = "\n".join(
            "static omp_lock_t lock{0};\nstatic omp_nest_lock_t nest_lock{0};".format(number)
            for number in range(LOCKS)
        )
        starts, ends = (
            "\n".join(
                "\tomp_{0}_lock(&lock{1});\n\tomp_{0}_nest_lock(&nest_lock{1});".format(do, number)
                for number in range(LOCKS)
            )
            for do in ("init", "destroy")
        )
        creates = "\n".join(CREATE.format(number) for number in range(1, roots))
        return PROGRAM.format(
            locks=locks,
            functions=functions,
            starts=starts,
            ends=ends,
            threads="\n".join(
                THREAD.format(number, "" if self.fragile else "for (;;)\n\t\t")
                for number in range(1, roots)
            ),
            creates_once="" if self.fragile else creates,
            creates=creates if self.fragile else "",
            joins="\n".join(
                JOIN.format(number) for number in range(1, roots if self.fragile else 1)
            ),
        )


THREAD = """
static void *thread{0}(void *unused)
{{
\t{1}root{0}(3);
\treturn unused;
}}
"""
CREATE = """\t\tif (pthread_create(&thread[{0}], NULL, thread{0}, NULL) != 0)
\t\t\tabort();"""
JOIN = "\t\tpthread_join(thread[{0}], NULL);"
PROGRAM = """#include "program.h"

static int counter;
static int depends[3];
{locks}

static void init_locks(void)
{{
{starts}
}}

__attribute__((unused)) static void destroy_locks(void)
{{
{ends}
}}

{functions}
{threads}
int main(void)
{{
\tpthread_t thread[4];

\tpthread_key_create(&own_key, free_record);
\tinit_locks();
\t(void)thread;
\t(void)depends;
\t(void)counter;
{creates_once}
\tfor (;;) {{
{creates}
\t\troot0(5);
{joins}
\t}}
}}
"""


def generate(seed: int) -> str:
    return Generator(seed).program()


if __name__ == "__main__":
    sys.stdout.write(generate(int(sys.argv[1])))
