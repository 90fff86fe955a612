# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recipe for Spack, for `packages/ompdbg/` of a repository."""

from pathlib import Path

from spack.package import depends_on, license, requires, variant, version
from spack_repo.builtin.build_systems.meson import MesonPackage


class Ompdbg(MesonPackage):
    """Debugger support for OpenMP: explains hung and crashed programs on libgomp and libomp,
    in GDB and without GDB."""

    # In these sources, the recipe builds the checkout in which it lies.
    git = Path(__file__).resolve().parents[2].as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("gdb", default=True, description="Build the plug-in for GDB")

    requires("platform=linux")
    requires("target=x86_64:")

    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elfutils")
    depends_on("xz")
    depends_on("zydis@4:")
    depends_on("python@3.8:", type=("build", "link", "run"))
    depends_on("gdb@12: +python", type="run", when="+gdb")

    def meson_args(self):
        """Return the options of meson."""
        return ["-Dgdb_plugin=" + ("enabled" if self.spec.satisfies("+gdb") else "disabled")]
