// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From GCC 13 on, libgomp has a constant table of the variables that each environment variable
// sets (host_envvars in env.c). The table lies in front of the global offset table, and its rows
// name fields of gomp_global_icv, whose address is proven. No exported function tells
// what follows in such a row: the lists of OMP_NUM_THREADS and OMP_PROC_BIND, and their lengths.

#include "layout/gomp_library.h"

enum {
	AREA_MAX = 8192, // bytes in front of the thread-local offset's slot
	AREA_MIN = 1024,
	NEAR = 1 << 20, // variables of one library are not farther apart
};

struct area {
	const struct target *target;
	const uint8_t *bytes;
	size_t size;
};

static uint64_t word_at(const struct area *area, size_t offset)
{
	return target_uint(area->bytes + offset, 8);
}

static bool is_near(uint64_t address, uint64_t variable)
{
	return address % 8 == 0 && address - variable + NEAR < 2ull * NEAR;
}

// The two words behind the only word that is the address of @p field.
static bool find_row(const struct area *area, uint64_t field, uint64_t *list, uint64_t *length)
{
	unsigned int found = 0;

	for (size_t at = 0; at + 24 <= area->size; at += 8) {
		if (word_at(area, at) != field)
			continue;
		*list = word_at(area, at + 8);
		*length = word_at(area, at + 16);
		found++;
	}
	return found == 1 && is_near(*list, field & ~7ull) && is_near(*length, field & ~7ull);
}

static void take(struct gomp_layout *layout, enum gomp_global global, uint64_t address)
{
	if (!layout->global[global])
		layout->global[global] = address;
}

static void search(const struct area *area, struct gomp_layout *layout)
{
	uint64_t icv = layout->global[GOMP_GLOBAL_gomp_global_icv];
	uint64_t nthreads = icv + layout->field[GOMP_FIELD_gomp_task_icv__nthreads_var].offset;
	uint64_t bind = icv + layout->field[GOMP_FIELD_gomp_task_icv__bind_var].offset;
	uint64_t nthreads_list, nthreads_length, bind_list, bind_length;

	if (!find_row(area, nthreads, &nthreads_list, &nthreads_length) ||
	    !find_row(area, bind, &bind_list, &bind_length))
		return;
	take(layout, GOMP_GLOBAL_gomp_nthreads_var_list, nthreads_list);
	take(layout, GOMP_GLOBAL_gomp_nthreads_var_list_len, nthreads_length);
	take(layout, GOMP_GLOBAL_gomp_bind_var_list, bind_list);
	take(layout, GOMP_GLOBAL_gomp_bind_var_list_len, bind_length);
}

void gomp_envvar_globals(const struct gomp_library *library, struct gomp_layout *layout)
{
	uint8_t bytes[AREA_MAX];
	struct area area = { .target = library->target, .bytes = bytes };

	if (library->release < 13 || library->thread_slot < AREA_MAX ||
	    !layout->global[GOMP_GLOBAL_gomp_global_icv])
		return;
	for (area.size = AREA_MAX; area.size >= AREA_MIN; area.size /= 2) {
		uint64_t start = (library->thread_slot & ~7ull) - area.size;

		if (target_read(library->target, start, bytes, area.size) != ompd_rc_ok)
			continue;
		search(&area, layout);
		return;
	}
}
