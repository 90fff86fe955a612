// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the fields of libgomp's structures live in one process, how that is known, and the proof
// that it is so. Callers name fields; offsets never leave this room.

#ifndef OMPDBG_LAYOUT_H
#define OMPDBG_LAYOUT_H

#include "target/target.h"

#define LAYOUT_STRUCT(s) GOMP_STRUCT_##s,
enum gomp_struct {
#include "layout/gomp_fields.def"
	GOMP_STRUCT_COUNT
};

#define LAYOUT_FIELD(s, f) GOMP_FIELD_##s##__##f,
enum gomp_field {
#include "layout/gomp_fields.def"
	GOMP_FIELD_COUNT
};

/** Variables of the runtime that no symbol of a stripped library names; found by code probes, or
 * by symbol where there is one. */
#define LAYOUT_GLOBAL(g) GOMP_GLOBAL_##g,
enum gomp_global {
#include "layout/gomp_globals.def"
	GOMP_GLOBAL_COUNT
};

/** Position of one field. size 0: this release has no such field. */
struct layout_field {
	uint32_t offset;
	uint32_t size;
};

/** Releases that have one layout in common; generated. */
struct layout_group {
	const char *releases;		      // "GCC 13 to 16"
	uint32_t first_release, last_release; // major versions
};

/** Where a field is, or how large a structure, from a release on until the next run of the same. size 0: there
 *  is none any more. */
struct layout_run {
	uint16_t what;	// field or structure of the family
	uint16_t since; // major version
	uint16_t offset, size;
};

/** The layouts of a family of runtimes; generated. */
struct layout_history {
	const struct layout_group *groups; // ascending
	size_t num_groups;
	const struct layout_run *structs, *fields; // of each ascending
	size_t num_structs, num_fields;
};

#define LAYOUT_HISTORY(of_groups, of_structs, of_fields)                                         \
	{                                                                                        \
		.groups = (of_groups), .num_groups = sizeof(of_groups) / sizeof((of_groups)[0]), \
		.structs = (of_structs),                                                         \
		.num_structs = sizeof(of_structs) / sizeof((of_structs)[0]),                     \
		.fields = (of_fields), .num_fields = sizeof(of_fields) / sizeof((of_fields)[0])  \
	}

extern const struct layout_history gomp_history, kmp_history;

/** Find the group that a release is in; NULL: it is not known. */
const struct layout_group *layout_group_of(const struct layout_history *history, uint32_t release);
/** Return the group of the newest releases. */
const struct layout_group *layout_newest(const struct layout_history *history);
/** Fill in where a group has the fields of its family, and how large its structures are: @p fields and @p sizes have
 *  an element for each. NULL: not wanted. */
void layout_fill(const struct layout_history *history, const struct layout_group *group,
		 struct layout_field *fields, uint32_t *sizes);
/** Return the size of a field in the newest releases. */
uint32_t layout_newest_size(const struct layout_history *history, unsigned int field);

/** A release and the digest of what it exports (exports_digest()); generated. */
struct layout_release {
	uint32_t release; // major version
	uint64_t exports;
};

extern const struct layout_release gomp_releases[], kmp_releases[];
extern const size_t gomp_release_count, kmp_release_count;

enum layout_source {
	LAYOUT_NONE = 0,
	LAYOUT_RUNTIME = 1,
	LAYOUT_DEBUG_INFO = 2,
	LAYOUT_TABLE = 3,
};

/** Why a field is believed to be where a table has it. */
enum layout_standing {
	LAYOUT_TAKEN = 0, // because the release is known, or its layout was told
	LAYOUT_PROVEN,	  // because code or memory of the process shows it
	LAYOUT_DOUBTED,	  // it is not, its size is 0 now
	LAYOUT_BEGUN,	  // because code looks at its beginning: it may be shorter
};

/** The layout of one process's libgomp, proven on it. */
struct gomp_layout {
	enum layout_source source;
	const char *releases; // static, "GCC 13 to 16", or "told by debug information"
	uint32_t first_release, last_release; // 0 if not known
	uint32_t struct_size[GOMP_STRUCT_COUNT];
	struct layout_field field[GOMP_FIELD_COUNT];
	uint64_t tls_offset; // address of a thread's struct gomp_thread less its thread pointer
	uint64_t global[GOMP_GLOBAL_COUNT]; // address of each variable, 0 if not found
	uint32_t probes_agreed, probes_silent;
	bool identified;		    // its release is known for sure
	uint8_t standing[GOMP_FIELD_COUNT]; // enum layout_standing
};

/**
 * Find the layout of the libgomp in @p target and prove it by code probes.
 *
 * @param[out] layout filled on ompd_rc_ok.
 * @return ompd_rc_ok; with a reason ompd_rc_unavailable: no libgomp in the target; ompd_rc_incompatible: it is
 *         there, but its layout is not known or the probes contradict it; or a callback's code.
 */
ompd_rc_t gomp_layout_open(const struct target *target, struct gomp_layout *layout);

#endif
