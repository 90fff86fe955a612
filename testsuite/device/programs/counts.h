// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program counts of its own constructs and operations. Where the host is the device it shares
// all memory, and only routines allocate and copy.

#ifndef COUNTS_H
#define COUNTS_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/** A name for each count, in the order of `struct counts`. */
struct counts {
	unsigned long targets, enter_datas, exit_datas, updates, target_ends;
	unsigned long kernels, requested_teams, granted_teams;
	unsigned long to, to_bytes, from, from_bytes, allocs, alloc_bytes, deletes;
	unsigned long associates, disassociates;
};

#ifdef __cplusplus
extern "C" {
#endif
extern struct counts counts;
/** Return whether the host is the device. */
int shares_memory(void);
/** Count a construct. */
void count_target(void);
void count_enter(void);
void count_exit(void);
void count_update(void);
/** Count a kernel; 0 teams: no number is asked for. */
void count_kernel(unsigned requested, unsigned granted_on_host);
/** Count what a construct maps: a variable that was not mapped, or is not any more; and copies. */
void count_map(size_t bytes);
void count_unmap(void);
void count_map_to(size_t bytes);
void count_map_from(size_t bytes);
/** Count what a routine does, on any device. */
void count_alloc(size_t bytes);
void count_free(void);
void count_to(size_t bytes);
void count_from(size_t bytes);
/** Check that something is as it must be. */
void check(int condition, int line);
/** Write the counts. */
void write_counts(void);
/** Give the tool an order. */
int order(int command);
#ifdef __cplusplus
}
#endif

#define CHECK(condition) check(condition, __LINE__)

#endif
