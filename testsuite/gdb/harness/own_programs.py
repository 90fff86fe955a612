# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of single tests, in programs/: built as the fixtures are, without being cases."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Sequence

from harness import setup

import build  # from fixtures/

SOURCES = setup.HERE / "programs"
CASES = setup.HERE.parent / "cases" / "programs"
# What other tests, or this one before, have compiled in the same way.
KEPT = setup.OUT / "own"


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
    objects = [build.SOURCES / support for support in build.SUPPORT] + list(map(source, more))
    _make(cc, source(name), flags, objects, target)
    return target


def case(name: str, folder: Path, flags: Sequence[str], family: str = "gcc") -> Path:
    """Builds a program of the folder cases, which stands alone, in a folder. Raises build.Skipped
    where there is no compiler for it."""
    cc = setup.CC if family == "gcc" else build.clang_of(setup.CC)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / Path(name).stem
    _make(cc, CASES / name, flags, [], target)
    return target


def _make(
    cc: str, file: Path, flags: Sequence[str], objects: Sequence[Path], target: Path
) -> None:
    """Compile a program and link it with others in C, or copy it if a test before has done that."""
    compiler = cc if file.suffix == ".c" else build.compiler_for(file.suffix, cc)
    if shutil.which(compiler) is None:
        raise build.Skipped("no " + compiler)
    # What is beside the program, or comes to be there, is its test's alone.
    if any("split" in flag or str(target.parent) in flag for flag in flags) or not (
        setup.ROOT in file.parents
    ):
        _compile([compiler, cc], file, flags, objects, target)
        return
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / _key([compiler, cc], flags, [file, *objects])
    with build.locked(kept.with_suffix(".lock")):
        if not kept.exists():
            with tempfile.TemporaryDirectory(dir=KEPT) as scratch:
                made = Path(scratch) / target.name
                _compile([compiler, cc], file, flags, objects, made)
                os.replace(str(made), str(kept))
    shutil.copy2(str(kept), str(target))


def _compile(
    compilers: Sequence[str], file: Path, flags: Sequence[str], more: Sequence[Path], target: Path
) -> None:
    """Compile a program by the first compiler, what it is linked with by the second one, and link."""
    objects = []
    for one in more:
        objects.append("{}-{}.o".format(target, one.name))
        _run([compilers[1], *flags, "-c", str(one), "-o", objects[-1]])
    place = ["-J", str(target.parent)] if file.suffix == ".f90" else ["-I", str(build.SOURCES)]
    _run([compilers[0], *flags, *place, str(file), *objects, "-pthread", "-o", str(target)])


def _key(compilers: Sequence[str], flags: Sequence[str], inputs: Sequence[Path]) -> str:
    """The same for equal compilations: with these compilers, flags and sources, and what is beside the
    sources, as it is now."""
    read = [Path(shutil.which(compiler) or compiler).resolve() for compiler in compilers]
    for folder in sorted({one.parent for one in (*inputs, build.SOURCES / build.SUPPORT[0])}):
        read += sorted(one for one in folder.iterdir() if one.is_file())
    times = [(str(one), one.stat().st_mtime_ns) for one in read]
    text = repr((list(map(str, inputs)), list(flags), times))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True)
