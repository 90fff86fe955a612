// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the module _target share.

#ifndef OMPDBG_TARGET_BINDING_H
#define OMPDBG_TARGET_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "target.h"

struct target_object {
	PyObject ob_base;
	struct target *target; // NULL when closed
};

extern PyTypeObject *target_type, *die_type;
extern PyType_Spec target_spec, die_spec;
extern PyObject *target_error_type;

/** A new Target that owns @p target; NULL with @p target closed. */
PyObject *target_object_new(struct target *target);
/** The target of a Target; NULL with an exception if it is closed. */
struct target *target_of(PyObject *self);
/** The only argument, the index of something; -1 with an exception. */
Py_ssize_t index_of(PyObject *argument, size_t count);
/** Methods of a Target that tell of its threads. */
PyObject *object_threads(PyObject *self, PyObject *unused);
PyObject *object_vectors(PyObject *self, PyObject *argument);
PyObject *object_thread_name(PyObject *self, PyObject *argument);
PyObject *object_registers(PyObject *self, PyObject *argument);
PyObject *object_unwind(PyObject *self, PyObject *args);
PyObject *object_thread_local(PyObject *self, PyObject *args);
/** A new Die of a Target. */
PyObject *die_new(PyObject *owner, const Dwarf_Die *die);
/** The entry of a Die; NULL with an exception if its target is closed. */
Dwarf_Die *die_of(PyObject *self);
/** The Target of a Die. */
PyObject *die_owner(PyObject *self);
/** Methods of a Die that tell where values are. */
PyObject *die_location(PyObject *self, PyObject *args);
PyObject *die_call_site(PyObject *self, PyObject *argument);
/** Appends a new reference to a list, or gives it up. */
bool append(PyObject *list, PyObject *item);
/** Text of a file that is not to be trusted. */
PyObject *text_new(const char *text);

#endif
