# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pure parts of the Python side are tested without a debugger and without the extension."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

sys.path.insert(0, str(HERE.parent.parent / "python"))
sys.path.insert(0, str(HERE / "fake"))
