// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of runtimes, and what the API asks of each: one table of operations a family. The API
// knows no runtime's structures: it holds a family's records in memory of the sizes that the table
// names.

#ifndef OMPDBG_FAMILY_H
#define OMPDBG_FAMILY_H

#include "ompd/ompd_ext.h"
#include "runtime/icv.h"
#include "target/nptl.h"
#include "target/target.h"

// These types are incomplete but for the sources of a family: each family's header has members for
// them of its own. So that a source has one meaning of each, none includes headers of two families.
struct runtime;
struct thread; // as it was read last; its identity, and what shows later that it is the same
struct region;
struct task;
struct walk;

/** What is known of a runtime since it was opened, or is ready. */
struct runtime_facts {
	ompd_ext_layout_info layout; // all but its size
	const char *file_name; // by which the debugger knows the runtime's file; NULL: not known
	ompd_word_t omp_version;
	const struct nptl *nptl;
};

/** Position in an enumeration of threads. Starts zeroed. */
struct thread_cursor {
	struct nptl_cursor nptl; // a family may count by itself instead
	uint64_t next;
	bool damaged; // some thread could not be read, and was left out
};

/** What is asked of a thread next: how much of it is to be read at once. */
enum thread_question { THREAD_PLACE, THREAD_REGION, THREAD_TASK, THREAD_STATE, THREAD_DATA };

/** The object for which a variable or tool data is read; the other members are zero. */
struct object {
	const struct thread *thread;
	const struct region *region;
	const struct task *task;
};

/** Facts that a runtime tells its tools (OMPT) by itself. */
struct family_ompt {
	const char *const *mutex_impls; // numbered from 0; a null pointer ends them
	int num_devices;
};

struct family {
	/** Names of the runtimes of this family, "libgomp"; a null pointer ends them. */
	const char *const *names;
	size_t runtime_size, thread_size, region_size, task_size;
	/** Environment variables that steer the runtime; a null name ends them. */
	const struct icv_control_var *control_vars;
	const struct family_ompt *ompt; // NULL: no tool interface
#define OPERATION(type, name, parameters) type(*name) parameters;
#include "runtime/operations.def"
};

#endif
