# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How bad it is what a diagnosis has found, by the names in JSON."""

STUCK = "stuck"  # it cannot go on
HELD_UP = "held_up"  # it waits for what sleeps: perhaps for ever
WAITING = "waiting"  # as a program that runs well does, too, at any moment

# From the worst on.
SEVERITIES = (STUCK, HELD_UP, WAITING)
