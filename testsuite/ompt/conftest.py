# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tool and the programs, compiled once for each runtime."""

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, List, Tuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import oracle  # noqa: E402

WORKERS = 2
SECONDS = 120


class Laboratory:
    """A folder with the tool and the programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tool = oracle.build_tool(folder)
        self.runtimes: Dict[str, oracle.Runtime] = {}
        self.programs: Dict[Tuple[str, ...], Path] = {}

    def runtime(self, name: str) -> oracle.Runtime:
        """A runtime; skips the test if it is not there."""
        if name not in self.runtimes:
            try:
                self.runtimes[name] = oracle.runtime(name, self.folder)
            except oracle.Absent as reason:
                pytest.skip(str(reason))
        if self.runtimes[name].family == "gomp" and not oracle.INTERPOSER.exists():
            pytest.skip("there is no {}: run ./dev build".format(oracle.INTERPOSER))
        return self.runtimes[name]

    def program(
        self, source: str, compiler: str, option: str, runtime: oracle.Runtime, text: str = ""
    ) -> Path:
        """A program of programs/, or with this text; compiled once."""
        if not shutil.which(compiler):
            pytest.skip("no " + compiler)
        shared = runtime.name if runtime.flags() else runtime.family
        key = (source, compiler, option, shared)
        if key not in self.programs:
            target = self.folder / "-".join(key).replace("/", "_")
            path = oracle.PROGRAMS / source
            if text:
                path = target.with_suffix(".c")
                path.write_text(text, encoding="ascii")
            options = [option, "-I" + str(oracle.PROGRAMS / "generated")]
            self.programs[key] = oracle.compile_program(path, compiler, options, target, runtime)
        return self.programs[key]

    def scratch(self, name: str) -> Path:
        """A folder for one run."""
        folder = self.folder / "runs" / re.sub(r"[^\w-]", "_", name)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def run_all(
        self,
        program: Path,
        runtime: oracle.Runtime,
        settings: Dict[str, str],
        check: Callable[[str, oracle.Run], List[str]],
    ) -> List[str]:
        """Run all that a program lists, or itself; returns what is wrong with each."""
        listed = subprocess.run(
            [str(program)],
            env=runtime.environment(),
            capture_output=True,
            text=True,
            check=True,
            timeout=SECONDS,
        )

        def one(name: str) -> List[str]:
            scratch = self.scratch("{}-{}-{}".format(program.name, runtime.name, name))
            command = [str(program), *([name] if name else [])]
            run = oracle.run(command, runtime, self.tool, scratch, settings)
            return ["{}: {}".format(name or program.name, wrong) for wrong in check(name, run)]

        with ThreadPoolExecutor(WORKERS) as pool:
            names = listed.stdout.split() or [""]
            return [wrong for found in pool.map(one, names) for wrong in found]


@pytest.fixture(scope="session")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    """Shared by all tests."""
    return Laboratory(tmp_path_factory.mktemp("ompt"))
