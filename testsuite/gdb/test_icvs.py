# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp icvs and omp env: values are those of the program's own routines, and its environment."""

from typing import Any, Dict

import pytest

from harness import processes, setup

import build  # from fixtures/

VARIANTS = ("O2", "clang")
# What fixtures/src/icvs.c sets before its start, by variable.
ENVIRONMENT = {
    "nthreads-var": ("OMP_NUM_THREADS", "4,3,2"),
    "run-sched-var": ("OMP_SCHEDULE", "guided,7"),
    "thread-limit-var": ("OMP_THREAD_LIMIT", "20"),
    "stacksize-var": ("OMP_STACKSIZE", "3M"),
}


@pytest.fixture(scope="module", params=VARIANTS)
def said(request: Any) -> Dict[str, Any]:
    """What the commands say in the state `icvs env`."""
    try:
        path = setup.program("icvs", request.param)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    spec = {"mode": "live", "arguments": ["env"]}
    result: Dict[str, Any] = processes.run_gdb("icvs.py", spec, [str(path)]).result
    return result


def test_values_are_the_programs(said: Dict[str, Any]) -> None:
    of_thread = {row["name"]: row for row in said["icvs"]["icvs"]}
    oracle = said["oracle"]
    assert int(of_thread["thread-num-var"]["value"]) == oracle["thread_num"]
    assert int(of_thread["team-size-var"]["value"]) == oracle["num_threads"]
    assert int(of_thread["levels-var"]["value"]) == oracle["level"]
    assert int(of_thread["nthreads-var"]["value"].split(",")[0]) == oracle["max_threads"]
    assert int(of_thread["thread-limit-var"]["value"]) == oracle["thread_limit"]
    assert int(of_thread["default-device-var"]["value"]) == oracle["default_device"]


def test_what_set_them(said: Dict[str, Any]) -> None:
    of_thread = {row["name"]: row for row in said["icvs"]["icvs"]}
    for name, (variable, value) in ENVIRONMENT.items():
        assert of_thread[name]["environment"] == {"name": variable, "value": value}
    assert of_thread["levels-var"]["environment"] is None
    told = {row["name"]: row for row in said["env"]["environment"][0]["variables"]}
    for variable, value in ENVIRONMENT.values():
        assert told[variable]["set_to"] == value
    assert told["OMP_STACKSIZE"]["value"] == str(3 << 20)
    assert told["OMP_DISPLAY_ENV"]["set_to"] is None


def test_all_threads(said: Dict[str, Any]) -> None:
    numbers = {t["gdb"]: t for t in said["threads"]["threads"] if t["openmp"]}
    values = {}
    for row in said["all"]["icvs"]:
        if row["name"] == "thread-num-var":
            for thread in row["threads"]:
                values[thread] = int(row["value"])
    assert values == {number: thread["thread_num"] for number, thread in numbers.items()}


def test_scopes(said: Dict[str, Any]) -> None:
    for option in ("thread", "task"):
        found = said[option]["icvs"]
        assert found and {row["scope"] for row in found} == {option}


def test_tables_have_every_variable(said: Dict[str, Any]) -> None:
    for row in said["icvs"]["icvs"]:
        assert row["name"] in said["icvs_text"]["text"]
        value = "?" if row["value"] is None else row["value"]
        assert value in said["icvs_text"]["text"]
    for variable, value in ENVIRONMENT.values():
        assert variable in said["env_text"]["text"] and value in said["env_text"]["text"]


def test_table_tells_what_differs(said: Dict[str, Any]) -> None:
    rows = {line.split()[0]: line.split() for line in said["icvs_text"]["text"].splitlines()}
    assert rows["nthreads-var"][2:] == ["4,3,2", "from", "OMP_NUM_THREADS"]
    assert rows["thread-limit-var"][2:] == ["from", "OMP_THREAD_LIMIT"]
    assert rows["levels-var"] == ["levels-var", "1"]
