// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the fields of LLVM's runtime (libomp, and libiomp5 of the same sources) live in one
// process, how that is known, and the proof that it is so. Callers name fields; offsets never
// leave this room.

#ifndef OMPDBG_KMP_LAYOUT_H
#define OMPDBG_KMP_LAYOUT_H

#include <stdbool.h>

#include "layout/layout.h"

#define LAYOUT_STRUCT(s) KMP_STRUCT_##s,
enum kmp_struct {
#include "layout/kmp_fields.def"
	KMP_STRUCT_COUNT
};

#define LAYOUT_FIELD(s, f) KMP_FIELD_##s##__##f,
#define LAYOUT_BITS(s, f) KMP_FIELD_##s##__##f,
enum kmp_field {
#include "layout/kmp_fields.def"
	KMP_FIELD_COUNT
};

#define LAYOUT_GLOBAL(g) KMP_GLOBAL_##g,
enum kmp_global {
#include "layout/kmp_globals.def"
	KMP_GLOBAL_COUNT
};

/** The layout of one process's libomp, proven on it. */
struct kmp_layout {
	enum layout_source source;
	const char *releases;		      // static
	uint32_t first_release, last_release; // 0 if not known
	uint32_t struct_size[KMP_STRUCT_COUNT];
	struct layout_field field[KMP_FIELD_COUNT]; // of bit fields, in bits
	const char *file_name; // by which the library's symbols are looked up; NULL: in all objects
	uint64_t global[KMP_GLOBAL_COUNT]; // address of each variable, 0 if not found
	uint32_t probes_agreed, probes_silent;
	bool identified;			   // it exports exactly what its release does
	uint8_t standing[KMP_FIELD_COUNT];	   // enum layout_standing
	uint8_t struct_standing[KMP_STRUCT_COUNT]; // of its size
};

/** Return the bits that a bit field takes in the first 32 bits of its structure. */
static inline uint32_t kmp_layout_bits(const struct kmp_layout *layout, enum kmp_field field)
{
	const struct layout_field *bits = &layout->field[field];

	if (bits->size == 0 || bits->size >= 32 || bits->offset + bits->size > 32)
		return 0;
	return ((UINT32_C(1) << bits->size) - 1) << bits->offset;
}

/**
 * Find LLVM's runtime in @p target: its file name and release, no layout yet.
 *
 * @param[out] tells whether the runtime has variables that tell its layout.
 * @return ompd_rc_ok; otherwise as kmp_layout_open().
 */
ompd_rc_t kmp_layout_find(const struct target *target, const char *name, struct kmp_layout *layout,
			  bool *tells);

/**
 * Find the layout of LLVM's runtime in @p target and prove it: by code probes; if the runtime tells
 * it, by the table of the release, which must agree with all that the runtime tells.
 *
 * @param name by which the runtime is looked for: "libomp" or "libiomp5".
 * @param[out] layout filled on ompd_rc_ok.
 * @return as gomp_layout_open().
 */
ompd_rc_t kmp_layout_open(const struct target *target, const char *name, struct kmp_layout *layout);

/**
 * Look for more proofs of a layout that kmp_layout_open() proved, in the memory of the running runtime.
 * Nothing there refutes it: any pointer may be null or left over at the moment of a stop.
 */
void kmp_layout_confirm(const struct target *target, struct kmp_layout *layout);

/** The kind of a lock to which a variable leads: kmp_indirect_locktag_t on x86-64. */
enum kmp_lock_type {
	KMP_LOCK_TICKET,
	KMP_LOCK_QUEUING,
	KMP_LOCK_ADAPTIVE,
	KMP_LOCK_DRDPA,
	KMP_LOCK_RTM_QUEUING,
	KMP_LOCK_NESTED_TAS,
	KMP_LOCK_NESTED_FUTEX,
	KMP_LOCK_NESTED_TICKET,
	KMP_LOCK_NESTED_QUEUING,
	KMP_LOCK_NESTED_DRDPA,
};

/** Return the field in which a lock of that type points to itself; KMP_FIELD_COUNT: there is none. */
enum kmp_field kmp_lock_self(uint64_t type);

/** Look for them in the table of locks. Part of kmp_layout_confirm(). */
void kmp_layout_confirm_locks(const struct target *target, struct kmp_layout *layout);

/**
 * Check whether the thread with that number in the array of threads is a hidden helper: where there
 * may be some, no other threads get their numbers (__kmp_register_root, __kmp_allocate_thread).
 */
bool kmp_layout_is_helper(const struct target *target, const struct kmp_layout *layout,
			  uint32_t gtid);

/**
 * Doubt what comes from a table and was not proven, where the release is not known for certain:
 * because the library does not export exactly what that release does, or because another release
 * exports the same, and the tables next to it differ.
 */
void kmp_layout_settle(struct kmp_layout *layout);

#endif
