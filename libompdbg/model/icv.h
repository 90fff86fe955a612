// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal control variables by scope, their initial values, and what set these.

#ifndef OMPDBG_ICV_H
#define OMPDBG_ICV_H

#include "model/model.h"

/** An environment variable, and what it was set to when the process started. */
struct setting {
	const char *name, *value;
};

enum icv_scope { ICV_PROCESS, ICV_THREAD, ICV_REGION, ICV_TASK, NUM_ICV_SCOPES };
/** Name a scope as in JSON: "process". */
const char *icv_scope_name(enum icv_scope scope);

/** One variable, of one thread where it is not one of the process. */
struct icv {
	const char *name;
	enum icv_scope scope;
	const char *value;   // NULL: unknown
	const char *reason;  // why the value is unknown; NULL
	const char *initial; // that the process began with; NULL: known by `setting` at most
	const struct setting *setting; // NULL: nothing set it
};
/** List all variables as they are for a thread and its task, by scope. */
const struct icv *thread_icvs(struct thread *thread, size_t *count);

/** An environment variable that steers a runtime. */
struct control_variable {
	const char *name;
	const char *value;	       // in force, or as it was set; NULL: neither is known
	const struct setting *setting; // NULL: it was not set
};
const struct control_variable *runtime_control_variables(struct runtime *runtime, size_t *count);

#endif
