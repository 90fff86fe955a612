# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the programs are that ask libompdbg.so."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "testsuite" / "gdb"))
