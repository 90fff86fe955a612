# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libompd.so may import, and what it must export. Usage: purity.py LIBOMPD.so"""

import re
import subprocess
import sys
from typing import List

# Functions of libc that only compute: none allocates, does I/O, or keeps state.
MAY_IMPORT = {
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "snprintf",
    "strchr",
    "strcmp",
    "strcspn",
    "strlen",
    "strncmp",
    "strspn",
    "strstr",
    "vsnprintf",
    # what hardening flags of distributions turn these into
    "__memcpy_chk",
    "__snprintf_chk",
    "__stack_chk_fail",
    "__vsnprintf_chk",
    # Zydis decodes instructions: it computes only, too, and Debian has it as a shared library only.
    "ZydisDecoderDecodeInstruction",
    "ZydisDecoderDecodeOperands",
    "ZydisDecoderInit",
}
# By name, for their releases differ from one of Debian's to the next.
MAY_NEED = {"libc.so", "libZydis.so"}
MUST_EXPORT = """
ompd_initialize ompd_finalize ompd_get_api_version ompd_get_version_string ompd_process_initialize
ompd_device_initialize ompd_get_device_thread_id_kinds ompd_get_omp_version
ompd_get_omp_version_string ompd_rel_address_space_handle ompd_get_thread_in_parallel
ompd_get_thread_handle ompd_rel_thread_handle ompd_thread_handle_compare ompd_get_thread_id
ompd_get_device_from_thread ompd_get_curr_parallel_handle ompd_get_enclosing_parallel_handle
ompd_get_task_parallel_handle ompd_rel_parallel_handle ompd_parallel_handle_compare
ompd_get_curr_task_handle ompd_get_generating_task_handle ompd_get_scheduling_task_handle
ompd_get_task_in_parallel ompd_rel_task_handle ompd_task_handle_compare ompd_get_task_function
ompd_get_task_frame ompd_enumerate_states ompd_get_state ompd_get_display_control_vars
ompd_rel_display_control_vars ompd_enumerate_icvs ompd_get_icv_from_scope
ompd_get_icv_string_from_scope ompd_get_tool_data
""".split()
# The callbacks' copy, the version of the interface, the table of handles, the text of the last failure,
# and what one call of the API has read.
MAY_KEEP = {"callbacks", "version", "handles", "text", "completed", "call", "environment"}


def lines(*command: str) -> List[List[str]]:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return [line.split() for line in done.stdout.splitlines()]


def main(library: str) -> List[str]:
    problems = []
    strong = [row[-1] for row in lines("nm", "-D", "--undefined-only", library) if row[-2] == "U"]
    for name in sorted({symbol.partition("@")[0] for symbol in strong} - MAY_IMPORT):
        problems.append(f"imports {name}")
    exported = {row[-1].partition("@")[0] for row in lines("nm", "-D", "--defined-only", library)}
    for name in sorted(exported):
        if not name.startswith("ompd_"):
            problems.append(f"exports {name}")
    for name in MUST_EXPORT:
        if name not in exported:
            problems.append(f"does not export {name}")
    dynamic = subprocess.run(
        ["readelf", "-dW", library], check=True, stdout=subprocess.PIPE, universal_newlines=True
    ).stdout
    for needed in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
        if re.sub(r"[.0-9]+$", "", needed) not in MAY_NEED:
            problems.append(f"needs {needed}")
    for row in lines("nm", library):
        if row[-2] in ("b", "B") and row[-1].partition(".")[0] not in MAY_KEEP:
            problems.append(f"keeps {row[-1]}")
    return problems


if __name__ == "__main__":
    found = main(sys.argv[1])
    print("\n".join(found) if found else f"pure, {len(MUST_EXPORT)} entry points")
    sys.exit(1 if found else 0)
