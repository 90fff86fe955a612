# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A build of LLVM's runtime that fails says why: that becomes the reason why tests are skipped."""

import shutil
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any, List

import pytest

import suite

TOOL = suite.ROOT / "tools" / "build-libomp"
RULES = """
rule cc
  command = cc -Wl,--as-needed -Werror $in -o $out 2>&1
build one: cc one.c
build two: cc two.c
"""
PROJECT = """
cmake_minimum_required(VERSION 3.13)
project(broken NONE)
message(FATAL_ERROR "the compiler is\\n  too old")
"""


def tool() -> Any:
    """The tool as a module."""
    loader = SourceFileLoader("build_libomp", str(TOOL))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def reason(command: List[str], folder: Path) -> str:
    """What the tool says of a command that fails."""
    if shutil.which(command[0]) is None:
        pytest.skip("there is no " + command[0])
    module = tool()
    with pytest.raises(module.Cannot) as raised:
        module.quietly(command, folder)
    told = str(raised.value)
    assert "\n" not in told
    return told


def test_compiler(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").write_text(RULES, encoding="ascii")
    (tmp_path / "one.c").write_text("int main(void) { return missing; }\n", encoding="ascii")
    told = reason(["ninja", "one"], tmp_path)
    assert told.startswith("ninja one failed: one.c:1:") and "error: " in told
    assert "missing" in told and "command" not in told


def test_linker(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").write_text(RULES, encoding="ascii")
    (tmp_path / "two.c").write_text(
        "int missing(void); int main(void) { return missing(); }\n", encoding="ascii"
    )
    told = reason(["ninja", "two"], tmp_path)
    assert told.startswith("ninja two failed: ") and "undefined reference to `missing'" in told


def test_cmake(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(PROJECT, encoding="ascii")
    told = reason(["cmake", "-G", "Ninja", "."], tmp_path)
    assert told.startswith("cmake -G failed: CMake Error at CMakeLists.txt:4 ")
    assert told.endswith("the compiler is")


def test_no_words(tmp_path: Path) -> None:
    assert reason(["false"], tmp_path) == "false failed: it said nothing"
