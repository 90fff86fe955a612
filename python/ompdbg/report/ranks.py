# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which one of the processes of a job a process is, as launchers tell it in its environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

from ompdbg.number import number_in

if TYPE_CHECKING:
    from ompdbg.model.process import Process

# The number of a process among those of its program, and how many these are. Where the second is
# not set, nor is the first meant: a batch script of Slurm has a SLURM_PROCID, too.
_RANKS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    ("FLUX_TASK_RANK", "FLUX_JOB_SIZE"),
    ("PMIX_RANK", None),
)


def rank(process: "Process") -> Optional[Dict[str, Any]]:
    """Of a process."""
    import _ompd

    try:
        return rank_in(process.runtimes[0].space.environment)
    except _ompd.Error:
        return None


def rank_in(environment: Callable[[str], Optional[str]]) -> Optional[Dict[str, Any]]:
    """The variable that tells it, its value, and how many ranks there are."""
    for name, of_all in _RANKS:
        value = environment(name)
        total = environment(of_all) if of_all else ""
        if value and total is not None:
            of = number_in(total)
            return {"variable": name, "value": value, "of": of}
    return None
