// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of runtimes, and what the API asks of each: one table of operations a family. The API
// knows no runtime's structures: it holds a family's records in memory of the sizes that the table
// names.

#ifndef OMPDBG_FAMILY_H
#define OMPDBG_FAMILY_H

#include "ompd/ompd_ext.h"
#include "runtime/icv.h"
#include "runtime/icv_list.h"
#include "target/nptl.h"
#include "target/target.h"

// These types are incomplete but for the sources of a family: each family's header has members for
// them of its own. So that a source has one meaning of each, none includes headers of two families.
struct runtime;
struct thread; // as it was read last; its identity, and what shows later that it is the same
struct region;
struct task;
struct walk;

/** Facts about a runtime that was opened, or is ready. */
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

/** Question that follows about a thread: it decides how much of it is read at once. */
enum thread_question { THREAD_PLACE, THREAD_REGION, THREAD_TASK, THREAD_STATE, THREAD_DATA };

/** The object for which a variable or tool data is read; the other members are zero. */
struct object {
	const struct thread *thread;
	const struct region *region;
	const struct task *task;
};

// Heads of functions that read a variable. One may read several.
#define ICV_VALUE(function) ICV_FUNCTION(function, ompd_word_t)
#define ICV_LIST(function) ICV_FUNCTION(function, struct icv_list)
#define ICV_SCHEDULE(function) ICV_FUNCTION(function, struct icv_schedule)
#define ICV_TEXT(function) ICV_FUNCTION(function, char) // of ICV_TEXT_MAX bytes
#define ICV_FUNCTION(function, type)                                              \
	ompd_rc_t function(const struct runtime *runtime __attribute__((unused)), \
			   enum icv icv __attribute__((unused)),                  \
			   const struct object *of __attribute__((unused)),       \
			   type *ret __attribute__((unused)))

/** How a family reads a variable: the one that is not NULL. */
struct icv_access {
	ICV_VALUE((*value));
	ICV_LIST((*list));
	ICV_SCHEDULE((*schedule));
	ICV_TEXT((*text));
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
	const struct icv_access *icvs; // by enum icv
	/** The object whose variables are those that the process began with; empty if none has them. */
	const struct object *initial;
	/** Further environment variables that steer the runtime; a null pointer ends them. */
	const char *const *control_vars;
	const struct family_ompt *ompt; // NULL: no tool interface
#define OPERATION(type, name, parameters) type(*name) parameters;
#include "runtime/operations.def"
};

/**
 * Return the value of a variable as an integer.
 * @return ok; incomplete (a list, of which this is the first); or what the family answers.
 */
ompd_rc_t icv_value(const struct family *family, const struct runtime *runtime, enum icv icv,
		    const struct object *of, ompd_word_t *ret);
/** Write the text of a variable. It has ICV_TEXT_MAX bytes. */
ompd_rc_t icv_text(const struct family *family, const struct runtime *runtime, enum icv icv,
		   const struct object *of, char *text);

#endif
