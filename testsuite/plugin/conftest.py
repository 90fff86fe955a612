# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the fake OMPD library and finds the extension.

The extension is looked for in the folder that OMPDBG_PLUGIN_DIR names, else in build/gdb-plugin.
OMPDBG_FAKE_DIR names a folder with ready-made fakes for machines without a compiler.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

sys.path.insert(0, str(HERE))
sys.path.insert(0, os.environ.get("OMPDBG_PLUGIN_DIR", str(ROOT / "build" / "gdb-plugin")))

import _ompd  # noqa: E402
from fake import Fake, FakeServices  # noqa: E402

VARIANTS: Dict[str, List[str]] = {
    "full": [],
    "plain": [],
    "sparse": ["-DFAKE_SPARSE"],
    "other": [],
}


def build_fake(directory: Path, variant: str) -> Path:
    library = directory / f"fake_{variant}.so"
    if "OMPDBG_FAKE_DIR" in os.environ:
        return Path(os.environ["OMPDBG_FAKE_DIR"]) / library.name
    sources: List[str] = [str(HERE / "fake_ompd.c"), str(HERE / "fake_lists.c")]
    if variant in ("full", "other"):
        sources.append(str(HERE / "fake_ext.c"))
    command = [
        os.environ.get("CC", "cc"),
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O2",
        "-g",
    ]
    command += ["-fPIC", "-shared", f"-I{ROOT / 'include'}", *VARIANTS[variant], *sources]
    subprocess.run([*command, "-o", str(library)], check=True)
    return library


@pytest.fixture(scope="session")
def fakes(tmp_path_factory: Any) -> Callable[[str], Path]:
    """Path of a variant of the fake library: full, other (a second full one), plain, sparse."""
    directory = tmp_path_factory.mktemp("fakes")
    paths = {variant: build_fake(directory, variant) for variant in VARIANTS}
    return paths.__getitem__


@pytest.fixture
def fake(fakes: Callable[[str], Path]) -> Iterator[Fake]:
    """Control of the full fake library, which must have released everything in the end."""
    control = Fake(fakes("full"))
    control.reset()
    yield control
    control.check_balance()


@pytest.fixture
def services() -> FakeServices:
    return FakeServices()


@pytest.fixture
def space(fake: Fake, services: FakeServices) -> Iterator[Any]:
    """An address space of the full fake library."""
    opened = _ompd.Library(str(fake.path)).open(services)
    yield opened
    fake.reset()
    opened.close()
