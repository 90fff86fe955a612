// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which runtimes a program has, how well each is known, and what cannot be told.

#ifndef OMPDBG_STATUS_H
#define OMPDBG_STATUS_H

#include "model/model.h"

/** Something that cannot be told, and why. */
struct unavailable {
	const char *what, *reason;
	const char *runtime; // whose it is, where there are several; NULL
};

/** One runtime, and the library that answers for it. */
struct runtime_status {
	const char *name; // as in JSON
	struct ompd_library_info library;
	int64_t omp_version;		// NOT_KNOWN
	const char *omp_version_string; // NULL: unknown
	bool has_layout;
	ompd_ext_layout_info layout;
	const char *object_name; // what it is by the name of its file; NULL
	size_t threads, teams;
};

struct status {
	struct runtime_status *runtimes;
	size_t num_runtimes;
	size_t threads, openmp_threads, running_threads;
	size_t teams;
	int nesting; // level of the innermost region
	struct unavailable *unavailable;
	size_t num_unavailable;
};

/** Look at everything as a whole. */
const struct status *process_status(struct process *process);
/** Name a source as in JSON: "table". */
const char *layout_source_name(uint32_t source);

#endif
