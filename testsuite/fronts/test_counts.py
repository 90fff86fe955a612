# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs count of themselves is what a tool of 2013, or of TR2, is told on both runtimes."""

import oracle
import pytest
import rules
from conftest import DOCUMENTS, Museum

RUNTIMES = ("libgomp", "libomp-14", "libgomp-14", "libomp-19")
SOURCES = ("constructs.c", "kernels.c", "fortran.f90")
# Ends in the midst of a region: what had ended before is not certain.
EXIT = "exit_inside"


@pytest.mark.parametrize("name", RUNTIMES)
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("source", SOURCES)
def test_programs(museum: Museum, name: str, document: str, source: str) -> None:
    if source.endswith("f90") and "libomp" in name:
        return  # nobody compiles Fortran for it here
    runtime = museum.runtime(name)
    wrong = []
    for which, run in museum.runs_of(oracle.PROGRAMS / source, runtime, document).items():
        found = rules.complaints(run, runtime)
        if run.status != 0:
            found.append("status {}: {}".format(run.status, run.output))
        if which != EXIT:
            found += rules.differences(document, run, runtime)
        wrong += ["{}: {}".format(which, text) for text in found]
    assert not wrong, "\n".join(wrong)
