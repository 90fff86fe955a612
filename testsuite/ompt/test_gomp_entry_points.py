# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of libgomp's entry points: it has a row for each that GCC 10 to 16 export, and no other;
and libompt-gomp.so defines those that it observes, and nothing else of libgomp's."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, Set

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXPORTS = ROOT / "testsuite" / "ompt" / "exports"
LIBRARY = ROOT / "build" / "ompt" / "gomp" / "libompt-gomp.so"
GENERATOR = ROOT / "tools" / "gen-gomp-exports"
_ROW = re.compile(r"^([A-Z_]+)\((\w+)(?:, (.*))?\)$", re.M)
# Rows that observe nothing.
_PASSED = "PASSED"


def table() -> Dict[str, bool]:
    """Whether each function in the table is observed."""
    text = (ROOT / "ompt" / "gomp" / "entry_points.def").read_text(encoding="utf-8")
    text = text.partition("#endif\n\n// Regions.")[2].partition("#undef")[0]
    rows = _ROW.findall(text)
    assert len({name for _, name, _ in rows}) == len(rows), "a function has two rows"
    assert all(rest.startswith('"') for kind, _, rest in rows if kind == _PASSED)
    return {name: kind != _PASSED for kind, name, _ in rows}


def exported(library: str) -> Set[str]:
    """What the generator says of a library."""
    command = [sys.executable, str(GENERATOR), library]
    return set(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    )


def recorded() -> Dict[str, Set[str]]:
    """What was recorded of each release."""
    return {path.stem: set(path.read_text("ascii").split()) for path in EXPORTS.glob("gcc-*.txt")}


def test_recorded_releases() -> None:
    assert set(recorded()) == {"gcc-10", "gcc-12", "gcc-14", "gcc-16"}
    for release, names in recorded().items():
        assert names - set(table()) == set(), release
    assert set(table()) == set.union(*recorded().values())


def test_installed_release() -> None:
    command = ["gcc", "-print-file-name=libgomp.so.1"]
    path = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    if not Path(path).is_absolute():
        pytest.skip("gcc has no libgomp.so.1")
    assert exported(path) - set(table()) == set()


def test_library_defines_what_it_observes() -> None:
    assert exported(str(LIBRARY)) == {name for name, observed in table().items() if observed}
