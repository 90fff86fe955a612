# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests expect otherwise of programs that record (OMPDBG_TEST_PRELOAD)."""

import re
from typing import Optional

# Tests by their ids, and why.
_OTHERWISE = {
    r"test_why\.py::.*(critical_stays|lock_at_barrier|_ended|self_lock)": "owners are known",
    r"test_why\.py::test_(locks_and_their|owner|a_deadlock_without)": "owners are known",
    r"test_threads\.py::.*header_says.*waits-tail": "GDB finds the frame of a call in tail position",
    r"test_kmp\.py::(.*header_says|test_threads_that_begin)": "LLVM's runtime keeps states",
    r"test_leagues\.py::.*\[clang\]": "LLVM's runtime keeps states",
    r"test_inquiries\.py::test_inquiries\[.*False": "a tool is active",
    r"test_llvm_ompd(_anywhere)?\.py::test_answers_agree": "a tool has data in nested regions",
    r"test_llvm_plugin\.py": "LLVM's plug-in takes libompt-gomp.so's functions for the runtime's",
    r"test_bt\.py::.*fortran-gcc-omp14": "GDB takes libompt-gomp.so's functions for the runtime's",
}


def difference(test: str) -> Optional[str]:
    """Why a test expects what a recorded program does not show."""
    return next((why for one, why in _OTHERWISE.items() if re.search(one, test)), None)
