# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the typedefs and prototypes of ompd.h that C allows to be repeated after another header."""

import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
# Of two prototypes that of 5.2.
text = re.sub(r"^#if OMPD_PROTOTYPES.*?^#else$(.*?)^#endif$", r"\1", text, flags=re.S | re.M)
text = re.sub(r"^#.*$", "", text, flags=re.M)
found = re.findall(
    r"^(?:typedef )?(?:ompd_rc_t|uint64_t|int64_t|void)\b[^{};]*;", text, flags=re.M
)
assert len(found) > 60, "ompd.h is written in another way now"
print("\n".join(found))
