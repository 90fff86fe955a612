# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/ompt-fronts.md: a row for each event and routine of both documents, which holds on
both runtimes."""

import re
import subprocess
from typing import Dict, List, Set, Tuple

import oracle
import pytest
from conftest import DOCUMENTS, FRONTS, HEADERS, HERE, Museum

TITLES = {"2013": "2013", "tr2": "TR2"}
ANSWERS = {
    "2013": {0: "never", 2: "sometimes", 3: "always"},
    "tr2": {1: "never", 3: "sometimes", 4: "always"},
}
# Ours, beside the routines of 2013.
EXPORTED = {"ompt_start_tool", "ompt_control_", "ompt_get_runtime_version_"}
# Where a runtime answers that an event may come, and no program here can make it.
UNSEEN = {
    "libgomp": {"target_data"},  # of routines that these programs do not call
    "libomp-19": {"target", "target_data", "target_submit"},
}


def table(part: str, document: str) -> Dict[str, List[str]]:
    """Rows of a table, by their first cell."""
    text = (oracle.ROOT / "docs" / "ompt-fronts.md").read_text(encoding="utf-8")
    text = text.partition("\n## {}\n".format(part))[2].partition("\n## ")[0]
    text = text.partition("\n### {}\n".format(TITLES[document]))[2].partition("\n### ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    found = {row[0].strip("`"): [cell.strip("` |") for cell in row[1:]] for row in rows[1:]}
    first = {rows[0][0].strip("`"): [cell.strip("` |") for cell in rows[0][1:]]}
    if rows[0][0] == "`ompt_event_`":
        first = {}
    return {**first, **found}


def header(document: str) -> str:
    """The document's header."""
    return (HEADERS / "ompt_{}.h".format(document)).read_text(encoding="utf-8")


def events(document: str) -> Dict[str, Tuple[int, str]]:
    """Numbers of events and what they are made of, as the code has them."""
    text = (oracle.ROOT / "ompt" / "fronts" / "events.def").read_text(encoding="utf-8")
    rows = re.findall(r"^EVENT_{}\((\d+), (\w+), (\w+),".format(TITLES[document]), text, re.M)
    return {name: (int(number), source) for number, name, source in rows}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_each_event_has_a_row(document: str) -> None:
    declared = re.findall(r"\bompt_event_(\w+) = (\d+),", header(document))
    code = events(document)
    assert {name: number for name, (number, _) in code.items()} == {
        name: int(number) for name, number in declared
    }
    rows = table("Events", document)
    assert {name: row[0] for name, row in rows.items()} == {
        name: source for name, (_, source) in code.items()
    }
    assert sorted(number for number, _ in code.values()) == list(range(1, len(code) + 1))


def test_states_are_those_of_the_headers() -> None:
    text = (oracle.ROOT / "ompt" / "fronts" / "states.def").read_text(encoding="utf-8")
    rows = re.findall(r"^STATE\(\w+, (\w+), (\w+), (\w+), (\w+)\)$", text, re.M)
    assert len(rows) == 23
    declared = {
        document: dict(re.findall(r"\bompt?_state_(\w+) = (0x\w+)", header(document)))
        for document in DOCUMENTS
    }
    for old, old_name, new, new_name in rows:
        assert declared["2013"][old_name] == old
        assert declared["tr2"][new_name] == new
    known = {row[3] for row in rows}
    assert set(declared["tr2"]) == known


def seen(museum: Museum, name: str, document: str) -> Dict[str, int]:
    """All that tools were told by all programs."""
    runtime = museum.runtime(name)
    total: Dict[str, int] = {}
    places = museum.program(HERE / "programs" / "places.c", runtime)
    runs = [museum.run([str(places)], runtime, document)]
    runs += museum.runs_of(oracle.PROGRAMS / "constructs.c", runtime, document).values()
    for run in runs:
        for event, number in run.told.items():
            total[event] = total.get(event, 0) + number
    total.update({event: number for event, number in runs[0].told.items() if "set." in event})
    return total


@pytest.mark.parametrize("name", ["libgomp", "libomp-14", "libomp-19"])
@pytest.mark.parametrize("document", DOCUMENTS)
def test_answers_hold(museum: Museum, name: str, document: str) -> None:
    told = seen(museum, name, document)
    for event, (_, libgomp, libomp, *_rest) in table("Events", document).items():
        row = libgomp if "libgomp" in name else libomp
        if "(" in row:
            row = row.partition("(19: ")[2].strip(")") if "19" in name else row.split()[0]
        assert ANSWERS[document].get(told["set." + event]) == row, event
        came = any(re.match(event + r"(\.|$)", one) for one in told)
        assert came == (row != "never") or event in UNSEEN.get(name, ()), event


def declared_routines(document: str) -> Set[str]:
    """Routines of a header, but for those of devices."""
    text = header(document)
    if document == "2013":
        return set(re.findall(r"^extern .*\b(ompt_\w+)\(", text, re.M))
    parts = text.partition("// ---- Routines, by the lookup")[2].partition("// ---- Records")[0]
    found = set(re.findall(r"^typedef .*\(\*(ompt_\w+)_t\)\(", parts, re.M))
    return found - {"ompt_target_get_device_info"} | {"ompt_tool", "ompt_control"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_each_routine_has_a_row(document: str) -> None:
    assert set(table("Routines", document)) == declared_routines(document)


def test_library_has_the_routines_of_2013() -> None:
    command = ["nm", "-D", "--defined-only", str(FRONTS)]
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    exported = {line.split()[-1] for line in text.splitlines()}
    assert exported == declared_routines("2013") - {"ompt_initialize"} | EXPORTED
