# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as one file for a browser, without scripts and without the network."""
