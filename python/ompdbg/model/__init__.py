# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenMP as a debugger shows it: runtime, teams, threads, tasks, logical stacks.

The objects of one `Runtime` describe one stop. They know the OMPD bridge `_ompd` and the services
of a debugger, and no debugger.
"""
