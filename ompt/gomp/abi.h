// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libgomp that are observed, as programs call them.

#ifndef OMPT_GOMP_ABI_H
#define OMPT_GOMP_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long ull;
typedef void gomp_body_fn(void *);
typedef void gomp_copy_fn(void *, void *);

/** Flags of GOMP_task and GOMP_taskloop. */
enum {
	GOMP_TASK_UNTIED = 1 << 0,
	GOMP_TASK_FINAL = 1 << 1,
	GOMP_TASK_MERGEABLE = 1 << 2,
	GOMP_TASK_DEPEND = 1 << 3,
	GOMP_TASK_UP = 1 << 8,
	GOMP_TASK_GRAINSIZE = 1 << 9,
	GOMP_TASK_IF = 1 << 10,
	GOMP_TASK_NOGROUP = 1 << 11,
	GOMP_TASK_REDUCTION = 1 << 12,
	GOMP_TASK_DETACH = 1 << 13,
	GOMP_TASK_STRICT = 1 << 14,
};

/** Constructs that GOMP_cancel cancels. */
enum {
	GOMP_CANCEL_PARALLEL = 1,
	GOMP_CANCEL_LOOP = 2,
	GOMP_CANCEL_SECTIONS = 4,
	GOMP_CANCEL_TASKGROUP = 8,
};

/** Kinds of dependence in an omp_depend_t. */
enum {
	GOMP_DEPEND_IN = 1,
	GOMP_DEPEND_OUT = 2,
	GOMP_DEPEND_INOUT = 3,
	GOMP_DEPEND_MUTEXINOUTSET = 4,
	GOMP_DEPEND_INOUTSET = 5,
};

/** Flags of the functions for devices. */
enum {
	GOMP_TARGET_NOWAIT = 1 << 0,
	GOMP_TARGET_EXIT_DATA = 1 << 1,
};

/** Arguments of a kernel, each in the upper bits of a word or in the word after it, up to a null word;
 *  and how an address of a kernel is said to be a value, which nobody maps. */
enum {
	GOMP_TARGET_ARG_DEVICE = 0x7f, // 0: for all devices
	GOMP_TARGET_ARG_NEXT_WORD = 0x80,
	GOMP_TARGET_ARG_ID = 0xff00,
	GOMP_TARGET_ARG_NUM_TEAMS = 0x100,
	GOMP_TARGET_ARG_SHIFT = 16,
	GOMP_MAP_VALUE = 0xd,
};

void GOMP_parallel(gomp_body_fn *fn, void *data, unsigned num_threads, unsigned flags);
unsigned GOMP_parallel_reductions(gomp_body_fn *fn, void *data, unsigned num_threads,
				  unsigned flags);
void GOMP_parallel_sections(gomp_body_fn *fn, void *data, unsigned num_threads, unsigned count,
			    unsigned flags);
void GOMP_teams_reg(gomp_body_fn *fn, void *data, unsigned num_teams, unsigned thread_limit,
		    unsigned flags);

void GOMP_task(gomp_body_fn *fn, void *data, gomp_copy_fn *copy, long size, long align,
	       bool if_clause, unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskloop(gomp_body_fn *fn, void *data, gomp_copy_fn *copy, long size, long align,
		   unsigned flags, unsigned long num_tasks, int priority, long start, long end,
		   long step);
void GOMP_taskloop_ull(gomp_body_fn *fn, void *data, gomp_copy_fn *copy, long size, long align,
		       unsigned flags, unsigned long num_tasks, int priority, ull start, ull end,
		       ull step);
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_workshare_task_reduction_unregister(bool cancelled);
void omp_fulfill_event(uintptr_t event);
void omp_fulfill_event_(uintptr_t event);

void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
bool GOMP_cancel(int which, bool activate);
bool GOMP_cancellation_point(int which);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);

// GOMP_doacross_wait takes as many numbers as the loop nest has levels; see doacross.c.
#define DOACROSS_MAX 32
#define DOACROSS_PARAMS(type)                                                                      \
	(type a0, type a1, type a2, type a3, type a4, type a5, type a6, type a7, type a8, type a9, \
	 type a10, type a11, type a12, type a13, type a14, type a15, type a16, type a17, type a18, \
	 type a19, type a20, type a21, type a22, type a23, type a24, type a25, type a26, type a27, \
	 type a28, type a29, type a30, type a31)
#define DOACROSS_ARGS                                                                              \
	(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, \
	 a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31)
#define DOACROSS_LIST(type)                                                                        \
	{                                                                                          \
		(type) a0, (type)a1, (type)a2, (type)a3, (type)a4, (type)a5, (type)a6, (type)a7,   \
			(type)a8, (type)a9, (type)a10, (type)a11, (type)a12, (type)a13, (type)a14, \
			(type)a15, (type)a16, (type)a17, (type)a18, (type)a19, (type)a20,          \
			(type)a21, (type)a22, (type)a23, (type)a24, (type)a25, (type)a26,          \
			(type)a27, (type)a28, (type)a29, (type)a30, (type)a31                      \
	}
void GOMP_doacross_post(long *counts);
void GOMP_doacross_wait DOACROSS_PARAMS(long);
void GOMP_doacross_ull_post(ull *counts);
void GOMP_doacross_ull_wait DOACROSS_PARAMS(ull);

bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);
void GOMP_scope_start(uintptr_t *reductions);
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
bool GOMP_sections_end_cancel(void);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
bool GOMP_loop_end_cancel(void);

// The locks of libgomp: only their addresses matter here.
void omp_init_lock(void *lock);
void omp_init_lock_(void *lock);
void omp_init_nest_lock(void *lock);
void omp_init_nest_lock_(void *lock);
void omp_destroy_lock(void *lock);
void omp_destroy_lock_(void *lock);
void omp_destroy_nest_lock(void *lock);
void omp_destroy_nest_lock_(void *lock);
void omp_set_lock(void *lock);
void omp_set_lock_(void *lock);
void omp_set_nest_lock(void *lock);
void omp_set_nest_lock_(void *lock);
void omp_unset_lock(void *lock);
void omp_unset_lock_(void *lock);
void omp_unset_nest_lock(void *lock);
void omp_unset_nest_lock_(void *lock);
int omp_test_lock(void *lock);
int32_t omp_test_lock_(void *lock);
int omp_test_nest_lock(void *lock);
int32_t omp_test_nest_lock_(void *lock);

void GOMP_target(int device, gomp_body_fn *fn, const void *unused, size_t mapnum, void **hostaddrs,
		 size_t *sizes, unsigned char *kinds);
void GOMP_target_ext(int device, gomp_body_fn *fn, size_t mapnum, void **hostaddrs, size_t *sizes,
		     unsigned short *kinds, unsigned flags, void **depend, void **args);
void GOMP_target_data(int device, const void *unused, size_t mapnum, void **hostaddrs,
		      size_t *sizes, unsigned char *kinds);
void GOMP_target_data_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
			  unsigned short *kinds);
void GOMP_target_end_data(void);
void GOMP_target_update(int device, const void *unused, size_t mapnum, void **hostaddrs,
			size_t *sizes, unsigned char *kinds);
void GOMP_target_update_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
			    unsigned short *kinds, unsigned flags, void **depend);
void GOMP_target_enter_exit_data(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
				 unsigned short *kinds, unsigned flags, void **depend);
bool GOMP_teams4(unsigned lower, unsigned upper, unsigned thread_limit, bool first);
void *omp_target_alloc(size_t size, int device);
void omp_target_free(void *address, int device);
int omp_target_memcpy(void *dest, const void *src, size_t length, size_t dest_offset,
		      size_t src_offset, int dest_device, int src_device);
int omp_target_memcpy_async(void *dest, const void *src, size_t length, size_t dest_offset,
			    size_t src_offset, int dest_device, int src_device, int num_depends,
			    void **depends);
int omp_target_memcpy_rect(void *dest, const void *src, size_t element_size, int num_dims,
			   const size_t *volume, const size_t *dest_offsets,
			   const size_t *src_offsets, const size_t *dest_dimensions,
			   const size_t *src_dimensions, int dest_device, int src_device);
int omp_target_memcpy_rect_async(void *dest, const void *src, size_t element_size, int num_dims,
				 const size_t *volume, const size_t *dest_offsets,
				 const size_t *src_offsets, const size_t *dest_dimensions,
				 const size_t *src_dimensions, int dest_device, int src_device,
				 int num_depends, void **depends);
void GOMP_warning(const char *message, size_t length);
void GOMP_error(const char *message, size_t length);

// Loops, by the rows of the table.
#define LOOP_START(name, schedule) \
	bool name(long start, long end, long step, long chunk, long *chunk_start, long *chunk_end);
#define LOOP_RUNTIME_START(name, schedule) \
	bool name(long start, long end, long step, long *chunk_start, long *chunk_end);
#define LOOP_NEW_START(name, schedule)                                                       \
	bool name(long start, long end, long step, long kind, long chunk, long *chunk_start, \
		  long *chunk_end, uintptr_t *reductions, void **memory);
#define LOOP_DOACROSS_START(name, schedule) \
	bool name(unsigned levels, long *counts, long chunk, long *chunk_start, long *chunk_end);
#define LOOP_DOACROSS_RUNTIME_START(name, schedule) \
	bool name(unsigned levels, long *counts, long *chunk_start, long *chunk_end);
#define LOOP_DOACROSS_NEW_START(name, schedule)                                            \
	bool name(unsigned levels, long *counts, long kind, long chunk, long *chunk_start, \
		  long *chunk_end, uintptr_t *reductions, void **memory);
#define LOOP_NEXT(name) bool name(long *chunk_start, long *chunk_end);
#define ULL_START(name, schedule)                                                     \
	bool name(bool up, ull start, ull end, ull step, ull chunk, ull *chunk_start, \
		  ull *chunk_end);
#define ULL_RUNTIME_START(name, schedule) \
	bool name(bool up, ull start, ull end, ull step, ull *chunk_start, ull *chunk_end);
#define ULL_NEW_START(name, schedule)                                                            \
	bool name(bool up, ull start, ull end, ull step, long kind, ull chunk, ull *chunk_start, \
		  ull *chunk_end, uintptr_t *reductions, void **memory);
#define ULL_DOACROSS_START(name, schedule) \
	bool name(unsigned levels, ull *counts, ull chunk, ull *chunk_start, ull *chunk_end);
#define ULL_DOACROSS_RUNTIME_START(name, schedule) \
	bool name(unsigned levels, ull *counts, ull *chunk_start, ull *chunk_end);
#define ULL_DOACROSS_NEW_START(name, schedule)                                          \
	bool name(unsigned levels, ull *counts, long kind, ull chunk, ull *chunk_start, \
		  ull *chunk_end, uintptr_t *reductions, void **memory);
#define ULL_NEXT(name) bool name(ull *chunk_start, ull *chunk_end);
#define PARALLEL_LOOP(name, schedule)                                                       \
	void name(gomp_body_fn *fn, void *data, unsigned num_threads, long start, long end, \
		  long step, long chunk, unsigned flags);
#define PARALLEL_RUNTIME_LOOP(name, schedule)                                               \
	void name(gomp_body_fn *fn, void *data, unsigned num_threads, long start, long end, \
		  long step, unsigned flags);
#include "entry_points.def"

#endif
