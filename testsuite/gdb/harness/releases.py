# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What depends on the releases of GDB, compilers and runtimes, and is tested on each of them: all
that goes through GDB's own interfaces, and the states that are looked at in every variant as the
release's compilers make them, live; with OMPDBG_TEST_FULL, all states. The rest is libompd and
libompdbg, which are the same everywhere."""

from typing import Any, Mapping

from harness import cases, setup
from harness.cases import Case

# Each compiler as it comes, and a runtime that only some releases have.
_VARIANTS = ("O2", "clang", "omp18")
# Tests that do not depend on it, and where the same code is tested.
_ELSEWHERE = {
    "test_damaged",  # libompd on memory: testsuite/fuzz
    "test_guide",  # the documents' text
    "test_kmp_tool",  # libompd with a tool in the program
    "test_llvm_ompd",  # libompd beside LLVM's library
    "test_other_library",  # the model over LLVM's library
    "test_why",  # libompdbg's findings: testsuite/locks too
}


# What a test is run with if all that it shows is libompd's: every instruction of a runtime, whose
# releases testsuite/recorded has.
_LIBOMPDS = {"sweep"}


def matter_to(module: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a test of a module with such parameters is to be run."""
    if module in _ELSEWHERE or not _LIBOMPDS.isdisjoint(parameters):
        return False
    for one in parameters.values():
        if getattr(one, "variant", _VARIANTS[0]) not in _VARIANTS:
            return False
        if isinstance(one, Case):
            if one.mode not in (cases.LIVE, cases.ATTACHED):
                return False
            if not setup.FULL and one.name not in cases.EVERYWHERE:
                return False
    return True
