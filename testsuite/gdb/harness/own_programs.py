# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of single tests, in programs/: built as the fixtures are, without being cases."""

import shutil
import subprocess
from pathlib import Path
from typing import Sequence

from harness import setup

import build  # from fixtures/

SOURCES = setup.HERE / "programs"
CASES = setup.HERE.parent / "cases" / "programs"


def source(name: str) -> Path:
    """The source file of a program."""
    return SOURCES / name


def compiled(
    name: str,
    target: Path,
    flags: Sequence[str] = ("-O2", "-g", "-fopenmp"),
    family: str = "gcc",
    more: Sequence[str] = (),
) -> Path:
    """Builds a program, with more sources in C, by GCC or Clang. Raises build.Skipped where there
    is no compiler for it."""
    cc = setup.CC if family == "gcc" else build.clang_of(setup.CC)
    if shutil.which(cc) is None:
        raise build.Skipped("no " + cc)
    suffix = Path(name).suffix
    objects = []
    for file in [build.SOURCES / support for support in build.SUPPORT] + list(map(source, more)):
        objects.append(str(target) + "-" + file.name + ".o")
        _run([cc, *flags, "-c", str(file), "-o", objects[-1]])
    compiler = cc if suffix == ".c" else build.compiler_for(suffix, cc)
    place = ["-J", str(target.parent)] if suffix == ".f90" else ["-I", str(build.SOURCES)]
    _run([compiler, *flags, *place, str(source(name)), *objects, "-pthread", "-o", str(target)])
    return target


def case(name: str, folder: Path, flags: Sequence[str], family: str = "gcc") -> Path:
    """Builds a program of the folder cases, which stands alone, in a folder. Raises build.Skipped
    where there is no compiler for it."""
    cc = setup.CC if family == "gcc" else build.clang_of(setup.CC)
    suffix = Path(name).suffix
    compiler = cc if suffix == ".c" else build.compiler_for(suffix, cc)
    if shutil.which(compiler) is None:
        raise build.Skipped("no " + compiler)
    folder.mkdir(parents=True, exist_ok=True)
    place = ["-J", str(folder)] if suffix == ".f90" else []
    target = folder / Path(name).stem
    _run([compiler, *flags, *place, str(CASES / name), "-pthread", "-o", str(target)])
    return target


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True)
