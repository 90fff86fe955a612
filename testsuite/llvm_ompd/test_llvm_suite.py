# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's tests of its OMPD library, over ours: all pass but those of which docs/llvm-libompd.md says
why they cannot."""

import re
from pathlib import Path
from typing import Dict

import pytest
from conftest import Outcomes

import suite

TABLE = suite.ROOT / "docs" / "llvm-libompd.md"
HEADING = "## LLVM's own tests"
ROUTINES = (
    "device_initialize enumerate_icvs enumerate_states finalize get_api_version "
    "get_curr_parallel_handle get_curr_task_handle get_display_control_vars "
    "get_enclosing_parallel_handle get_generating_task_handle get_icv_from_scope "
    "get_icv_string_from_scope get_omp_version get_omp_version_string get_scheduling_task_handle "
    "get_state get_task_frame get_task_function get_task_in_parallel get_task_parallel_handle "
    "get_thread_handle get_thread_id get_thread_in_parallel get_tool_data get_version_string "
    "initialize parallel_handle_compare process_initialize rel_address_space_handle "
    "rel_display_control_vars rel_parallel_handle rel_task_handle rel_thread_handle "
    "task_handle_compare thread_handle_compare"
).split()
# Those of them that only see the plug-in start.
DISABLED = (
    "device_initialize enumerate_states get_tool_data rel_address_space_handle "
    "rel_display_control_vars rel_parallel_handle rel_task_handle rel_thread_handle"
).split()
COMPARED = (
    "example_1 example_2 example_3 example_4 example_5 example_task fibonacci nested parallel"
).split()
SHOWN = "ompd_bt ompd_icvs ompd_parallel".split()
API = ["api_tests/test_ompd_{}.c".format(name) for name in ROUTINES]
PROGRAMS = ["openmp_examples/{}.c".format(name) for name in COMPARED + SHOWN]


def rows() -> Dict[str, str]:
    """What FileCheck says of each test that cannot pass."""
    text = TABLE.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([\w/.]+)` \| `([^`]+)` \|", text, re.M))


def test_these_are_all(where: Path) -> None:
    """LLVM has no more tests, and every row is of one of them."""
    found = {str(path.relative_to(where / "test")) for path in where.glob("test/*/*.c")}
    assert found == set(API + PROGRAMS)
    assert rows() and set(rows()) <= found


@pytest.mark.parametrize("name", API + PROGRAMS)
def test_llvm(name: str, outcome_of: Outcomes) -> None:
    outcome = outcome_of(name)
    assert outcome.gdb_survived, outcome.verdict + outcome.output
    expected = rows().get(name)
    assert outcome.passed == (expected is None), outcome.verdict + outcome.output
    if expected is not None:
        assert expected in outcome.verdict
        assert [line for line in outcome.complaints if line not in expected] == []
        return
    # Nothing that must not be said is said by a plug-in that did not come to it, either.
    assert "Loaded OMPD lib successfully!" in outcome.output
    if name in API:
        done = "Disabled" if Path(name).stem[len("test_ompd_") :] in DISABLED else "Success"
        assert re.search(r"\b{}\b".format(done), outcome.output), outcome.output
    elif Path(name).stem in COMPARED:
        finished = re.search(r"^Finished (\d+) testsuites\.$", outcome.output, re.M)
        assert finished is not None and int(finished.group(1)) > 0, outcome.output
        assert "exited normally" in outcome.output
