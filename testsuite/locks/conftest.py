# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that hang with locks, and others that work: each tells who waits for which lock and who holds
it; then the command line looks at it, and at a core file of those that hang. All are looked at once, two at a
time.

Where OMPDBG_TEST_FULL is not set it is a sample, always the same one.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gdb")]

import corpus  # noqa: E402
import stops  # noqa: E402
from corpus import Case, Program  # noqa: E402
from harness import processes  # noqa: E402

WORKERS = 2
HANGS, HEALTHY, RECORDED = 52, 40, 16
# Those that are few are in each sample.
_O0, _O2 = corpus.OPTIONS
ALWAYS = {
    "past_neighbours": _O0,
    "reader_after_writer": _O2,
    "tried_in_vain": _O2,
    "reader_first": _O2,
    "readers_self": _O2,
    "shared_mutex_writer": _O2,
    "semaphore": _O2,
    "condition_variable": _O2,
}
IS_FULL = os.environ.get("OMPDBG_TEST_FULL", "") not in ("", "0")


def _sample(programs: List[Program], count: int) -> List[Program]:
    return programs if IS_FULL else corpus.sample(programs, count)


def _look(programs: List[Program], with_core: bool = False) -> List[Case]:
    with ThreadPoolExecutor(WORKERS) as pool:
        found = pool.map(lambda program: corpus.look(program, with_core), programs)
        return [case for some in found for case in some]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> List[Program]:
    """All that there are, compiled."""
    if not corpus.OMPDBG.exists():
        pytest.skip("there is no {}: run ./dev build".format(corpus.OMPDBG))
    return corpus.compiled(tmp_path_factory.mktemp("locks"), WORKERS)


@pytest.fixture(scope="session")
def hangs(programs: List[Program]) -> List[Case]:
    """Programs that hang, and their core files where the kernel writes them."""
    few = [one for one in programs if ALWAYS.get(one.idiom) == one.option]
    chosen = _sample(programs, HANGS)
    chosen += [one for one in few if one not in chosen]
    return _look(chosen, not processes.kernel_core_problem())


@pytest.fixture(scope="session")
def healthy(programs: List[Program]) -> List[Case]:
    """Programs in which the owner of a lock works, or sleeps for a time."""
    return _look(_sample(corpus.healthy(programs), HEALTHY))


@pytest.fixture(scope="session")
def recorded(programs: List[Program]) -> List[Case]:
    """Programs that hang and record."""
    return _look(_sample(corpus.recorded(programs, stops.preloaded()), RECORDED))
