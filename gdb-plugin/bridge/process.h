// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Process: a program with its OpenMP runtimes, as libompdbg understands it.

#ifndef OMPDBG_BRIDGE_PROCESS_H
#define OMPDBG_BRIDGE_PROCESS_H

#include "services.h"

#include "model/model.h"
#include "ompd/runtimes.h"

struct process_object {
	PyObject ob_base;
	struct gdb_services services;
	struct constants *constants;
	struct arena arena; // of what `runtimes` has
	struct runtimes runtimes;
	struct space_statistics before; // of this command
	uint64_t direct_before;
	struct process *process; // NULL: the program was not looked at since it moved
	uint64_t stop;		 // changes when it moves
	unsigned int questions;	 // that are being answered, one within another
	bool has_moved;		 // meanwhile, as GDB told
};

extern PyObject *bridge_error; // _ompdbg.Error
extern PyType_Spec process_spec;

/** Begin to answer a question, which process_done() ends. @return false with an exception: another one
 *  is being answered, in the middle of which none may be asked. */
bool process_begin(struct process_object *self);
/** Begin to answer a question, and look at the program as it is at this stop, and at who is selected.
 *  @return NULL with an exception; then the question has ended. */
struct process *process_look(struct process_object *self);
/** End a question, and turn what failed into an exception. @return false: there is one. The error is
 *  released. */
bool process_done(struct process_object *self, struct ompdbg_error *error);

/** print(view, write, ...): the method. */
PyObject *process_print(PyObject *self, PyObject *args, PyObject *kwargs);

/** Load a copy of an OMPD library that no other client in this process has initialized. It stays.
 *  @return NULL with *error. */
struct ompd_library *library_load(const char *path, int descriptor, struct ompdbg_error **error);

#endif
