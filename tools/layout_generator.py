# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What gen-gomp-layout and gen-kmp-layout share: Debian's source packages, debug information, and
tables in C."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Sequence, Tuple

TOOLS = Path(__file__).resolve().parent
LAYOUT = TOOLS.parent / "libompd" / "layout"
ENTRY_POINTS = ("GOACC_", "GOMP_", "__kmpc_", "acc_", "kmp_", "kmpc_", "omp_")
SUITES = ("bullseye", "bookworm", "trixie", "sid")
# Of LLVM's sources, the runtime and what its CMake files want to find around it.
LIBOMP_SOURCES = re.compile(
    r"[^/]*/(openmp/|cmake/|runtimes/|third-party/|llvm/(cmake|utils/llvm-lit)/|LICENSE)"
)
# From this release on it is no project of its own.
FIRST_IN_RUNTIMES = 23

Place = Tuple[int, int]
Layout = Dict[Tuple[str, str], Place]


class Family(NamedTuple):
    """A family of runtimes."""

    prefix: str  # of files and names in libompd/layout
    library: str  # "libgomp"
    compiler: str  # "GCC"
    package: str  # of Debian's sources, without the release
    releases: range
    header: str  # that declares the table


def succeeds(command: List[str], folder: Path, **environment: str) -> bool:
    """Runs a command in a folder."""
    print("+", " ".join(command), file=sys.stderr)
    return subprocess.call(command, cwd=folder, env=dict(os.environ, **environment)) == 0


def run(command: List[str], folder: Path, **environment: str) -> None:
    """Runs a command in a folder; its failure ends the program with its command line."""
    if not succeeds(command, folder, **environment):
        raise SystemExit("failed: " + " ".join(command))


def output(command: List[str], **environment: str) -> str:
    """Standard output of a command."""
    env = dict(os.environ, **environment)
    return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


def debian_mirror() -> str:
    """The address from which this machine has Debian's main packages."""
    targets = output(["apt-get", "indextargets", "--format", "$(ORIGIN) $(LABEL) $(REPO_URI)"])
    for line in targets.splitlines():
        words = line.split()
        if len(words) == 3 and words[:2] == ["Debian", "Debian"]:
            return words[2]
    raise SystemExit("apt knows no Debian mirror on this machine")


def write_apt_config(folder: Path, suites: Sequence[str] = SUITES) -> Path:
    """A configuration of apt that has the source packages of these suites and nothing else."""
    mirror = debian_mirror()
    keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "lists").mkdir(parents=True, exist_ok=True)
    (folder / "cache").mkdir(exist_ok=True)
    with open(folder / "sources.list", "w", encoding="ascii") as sources:
        for suite in suites:
            print(f"deb-src [signed-by={keyring}] {mirror} {suite} main", file=sources)
    config = folder / "apt.conf"
    with open(config, "w", encoding="ascii") as file:
        print(f'Dir::Etc::sourcelist "{folder}/sources.list";', file=file)
        print('Dir::Etc::sourceparts "-";', file=file)
        print(f'Dir::State::lists "{folder}/lists";', file=file)
        print(f'Dir::Cache "{folder}/cache";', file=file)
    return config


def source_versions(config: Path, package: str) -> List[str]:
    """One Debian version for each upstream version of a source package."""
    done = subprocess.run(
        ["apt-cache", "showsrc", "--only-source", package],
        env=dict(os.environ, APT_CONFIG=str(config)),
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # that there is none
        text=True,
    )
    found: Dict[str, str] = {}
    for version in re.findall(r"^Version: (\S+)$", done.stdout, re.MULTILINE):
        found[version.rsplit("-", 1)[0]] = version
    return sorted(found.values())


def fetch_version(
    family: Family,
    folder: Path,
    config: Path,
    release: int,
    version: str,
    unpack: Callable[[Path, Path], None],
) -> None:
    """Downloads and unpacks one source package; old ones may be listed but gone."""
    upstream = re.sub(r"^\d+:", "", version).rsplit("-", 1)[0]
    target = folder / f"src-{upstream}"
    if target.exists():
        return
    package = f"{family.package}-{release}"
    download = ["apt-get", "source", "--download-only", "--tar-only", "--only-source"]
    if not succeeds([*download, f"{package}={version}"], folder, APT_CONFIG=str(config)):
        print(f"{package} {version} is not there any more", file=sys.stderr)
        return
    archive = next(folder.glob(f"{package}_{upstream}.orig.tar.*"))
    unpack(archive, target)
    print("unpacked", target, file=sys.stderr)
    archive.unlink()


def fetch(family: Family, folder: Path, unpack: Callable[[Path, Path], None]) -> None:
    """Downloads what is missing and unpacks it into DIR/src-VERSION."""
    folder.mkdir(parents=True, exist_ok=True)
    config = write_apt_config(folder / "apt")
    run(["apt-get", "update"], folder, APT_CONFIG=str(config))
    for release in family.releases:
        for version in source_versions(config, f"{family.package}-{release}"):
            fetch_version(family, folder, config, release, version, unpack)
        if not list(folder.glob(f"src-{release}.*")):
            print(f"Debian has no source package of {family.compiler} {release}", file=sys.stderr)


def libomp_project(source: Path, build: Path, release: int) -> Tuple[Path, Path, Dict[str, str]]:
    """The project of LLVM's runtime, where to build it so that its part is in openmp/ of a folder,
    and the options of CMake that leave all else out."""
    if release < FIRST_IN_RUNTIMES:
        return source / "openmp", build / "openmp", {"OPENMP_STANDALONE_BUILD": "ON"}
    options = {"LLVM_ENABLE_RUNTIMES": "openmp", "LLVM_INCLUDE_TESTS": "OFF"}
    return source / "runtimes", build, options


def wanted_fields(family: Family) -> List[Tuple[str, str]]:
    """(structure, field) of the family's list in its order; field "-" is the structure itself."""
    text = (LAYOUT / f"{family.prefix}_fields.def").read_text(encoding="ascii")
    line = r"^LAYOUT_(?:TOLD_)?(STRUCT|FIELD|BITS)\((\w+)(?:, (\w+))?\)"
    found = re.findall(line, text, re.MULTILINE)
    return [(structure, field or "-") for _, structure, field in found]


def read_layout(library: str, fields: List[Tuple[str, str]]) -> Layout:
    """Offsets and sizes out of a library's debug information."""
    listing = Path(os.environ.get("TMPDIR", "/tmp")) / f"layout-fields-{os.getpid()}"
    listing.write_text("".join(f"{s} {f}\n" for s, f in fields), encoding="ascii")
    script = str(TOOLS / "gen-layout-dwarf.py")
    command = ["gdb", "-batch", "-nx", "-x", script, library]
    try:
        text = output(command, LAYOUT_FIELDS=str(listing))
    finally:
        listing.unlink()
    found = re.findall(r"^(?:layout|bits) (\w+) (\S+) (\d+) (\d+)$", text, re.MULTILINE)
    if not found:
        raise SystemExit(f"{library} has no debug information of the runtime")
    return {(s, f): (int(offset), int(size)) for s, f, offset, size in found}


def digest_of(name: str) -> int:
    """FNV-1a."""
    digest = 0xCBF29CE484222325
    for byte in name.encode("ascii"):
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return digest


def is_entry_point(name: str) -> bool:
    """Whether an exported symbol counts: acc_*_ is there only with a Fortran compiler."""
    optional = name.startswith("acc_") and name.endswith("_")
    return name.startswith(ENTRY_POINTS) and "." not in name and not optional


def exports_digest(library: str) -> int:
    """The number that libompd/layout/exports.c finds for the library."""
    lines = output(["nm", "-D", "--defined-only", library]).splitlines()
    names = {line.split()[-1].partition("@")[0] for line in lines}
    return sum(map(digest_of, filter(is_entry_point, names))) % 2**64


def version_of(library: str) -> Tuple[int, ...]:
    """The release that the name of a folder on the way to the library ends in."""
    found = re.findall(r"-(\d+(?:\.\d+)+)(?=/)", os.path.abspath(library))
    if not found:
        raise SystemExit(f"{library}: no folder on its path is named for a release, *-VERSION")
    return tuple(int(part) for part in found[-1].split("."))


def group(
    family: Family, libraries: List[str], fields: List[Tuple[str, str]]
) -> List[Tuple[List[int], Layout]]:
    """Neighbouring releases with equal layouts; minor releases must not differ."""
    groups: List[Tuple[List[int], Layout]] = []
    for library in sorted(libraries, key=version_of):
        release = version_of(library)[0]
        layout = read_layout(library, fields)
        if groups and groups[-1][1] == layout:
            groups[-1][0].append(release)
            continue
        if groups and groups[-1][0][-1] == release:
            raise SystemExit(
                f"the layout changed within {family.compiler} {release}, see {library}"
            )
        groups.append(([release], layout))
    return groups


def print_groups(family: Family, groups: Sequence[Tuple[List[int], Layout]]) -> None:
    """Which releases have a layout in common."""
    print("static const struct layout_group groups[] = {")
    for releases, _ in groups:
        first, last = releases[0], releases[-1]
        name = f"{family.compiler} {first}" + (f" to {last}" if last > first else "")
        print(f'\t{{ "{name}", {first}, {last} }},')
    print("};")


def print_runs(
    groups: Sequence[Tuple[List[int], Layout]], wanted: List[Tuple[str, str]], is_struct: bool
) -> None:
    """Where each field is, or how large each structure: from which release on."""
    print(f"static const struct layout_run {'structs' if is_struct else 'fields'}[] = {{")
    for structure, field in wanted:
        if (field == "-") != is_struct:
            continue
        name = f"S({structure})" if is_struct else f"F({structure}, {field})"
        last: Place = (0, 0)
        for releases, layout in groups:
            offset, size = layout.get((structure, field), (0, 0))
            # An array without a length at the end of its structure: one byte, so that it exists.
            place = (offset, size or int((structure, field) in layout))
            if place != last:
                print(f"\t{{ {name}, {releases[0]}, {place[0]}, {place[1]} }},")
            last = place
    print("};")


def print_tables(
    family: Family,
    versions: Sequence[Tuple[int, ...]],
    groups: Sequence[Tuple[List[int], Layout]],
    digests: Sequence[Tuple[int, int]],
) -> None:
    """The C file."""
    wanted = wanted_fields(family)
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//")
    print(
        f"// Generated by tools/gen-{family.prefix}-layout from the debug information of"
        f" {family.library}, built from"
    )
    print("// the sources of these releases; not to be edited.")
    print("//")
    names = [".".join(str(part) for part in version) for version in versions]
    for start in range(0, len(names), 12):
        print("//     " + " ".join(names[start : start + 12]))
    print()
    print(f'#include "layout/{family.header}"')
    print()
    print("// clang-format off")
    print(f"#define F(s, f) {family.prefix.upper()}_FIELD_##s##__##f")
    print(f"#define S(s) {family.prefix.upper()}_STRUCT_##s")
    print()
    print_groups(family, groups)
    print()
    print_runs(groups, wanted, True)
    print()
    print_runs(groups, wanted, False)
    print()
    history = f"const struct layout_history {family.prefix}_history"
    print(f"{history} = LAYOUT_HISTORY(groups, structs, fields);")
    print()
    release_name = f"{family.prefix}_release"
    print(f"const struct layout_release {release_name}s[] = {{")
    for release, digest in digests:
        print(f"\t{{ {release}, 0x{digest:016x} }},")
    print("};")
    print()
    count = f"sizeof({release_name}s) / sizeof({release_name}s[0])"
    print(f"const size_t {release_name}_count = {count};")


def tables(family: Family, libraries: List[str]) -> None:
    """Prints the C file of some libraries."""
    groups = group(family, libraries, wanted_fields(family))
    digests = sorted({(version_of(one)[0], exports_digest(one)) for one in libraries})
    print_tables(family, sorted({version_of(one) for one in libraries}), groups, digests)


def main(
    family: Family,
    description: str,
    unpack: Callable[[Path, Path], None],
    build: Callable[[Path], None],
) -> None:
    """Parses the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in (("fetch", "download and unpack"), ("build", "compile")):
        command = commands.add_parser(name, help=text)
        command.add_argument("folder", metavar="DIR", type=Path)
    command = commands.add_parser("tables", help="print the tables")
    command.add_argument("libraries", metavar="LIB", nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "fetch":
        fetch(family, arguments.folder.resolve(), unpack)
    elif arguments.command == "build":
        build(arguments.folder.resolve())
    else:
        tables(family, arguments.libraries)
