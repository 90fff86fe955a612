// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of the model for Python: threads, teams and tasks, which are asked as long as the program
// stays where it is, and records of plain values (records.c).

#ifndef OMPDBG_BRIDGE_MODEL_H
#define OMPDBG_BRIDGE_MODEL_H

#include "process.h"
#include "stack/stack.h"

/** A thread, team or task of one stop. */
struct model_object {
	PyObject ob_base;
	struct process_object *owner;
	uint64_t stop; // of the owner
	void *of;      // struct thread, team or task
};

/** Make the types known. @return -1 with an exception. */
int model_add_types(PyObject *module);

/** Make an object; None of NULL. @return NULL with an exception. */
PyObject *thread_object(struct process_object *owner, struct thread *thread);
PyObject *team_object(struct process_object *owner, struct team *team);
PyObject *task_object(struct process_object *owner, struct task *task);

// ---- Questions (object.c) ----------------------------------------------------------------------

/** Answer with what an object stands for. @p args: of a method; NULL of an attribute. */
typedef PyObject *answer(struct process_object *owner, void *of, PyObject *args);
/** Ask an object of this stop. @return NULL with an exception: the program has run since. */
PyObject *model_ask(PyObject *object, answer *answer, PyObject *args);

/** Define an attribute of `struct KIND *of`; `owner` is the process. */
#define ATTRIBUTE(kind, name)                                                             \
	static PyObject *kind##_##name##_of(struct process_object *owner, struct kind *); \
	static PyObject *answer_##kind##_##name(struct process_object *owner, void *of,   \
						PyObject *args)                           \
	{                                                                                 \
		return kind##_##name##_of(owner, of);                                     \
	}                                                                                 \
	static PyObject *kind##_##name##_of(struct process_object *owner, struct kind *kind)
/** Define an attribute that an expression of it computes. */
#define VALUE(kind, name, expression) \
	ATTRIBUTE(kind, name)         \
	{                             \
		return expression;    \
	}
/** Get such an attribute, or one of code.c. */
PyObject *get_attribute(PyObject *object, void *asked);
/** List it in a type. */
#define GETTER(kind, name, doc)                                                 \
	{                                                                       \
#name, get_attribute, NULL, doc, (void *)answer_##kind##_##name \
	}
/** Define the method that an answer is for. */
#define METHOD_OF(kind, name)                                                   \
	static PyObject *call_##kind##_##name(PyObject *object, PyObject *args) \
	{                                                                       \
		return model_ask(object, answer_##kind##_##name, args);         \
	}

// ---- Values (records.c); None of what is unknown ------------------------------------------------

/** Make a record. @p members are its own from here on; one of them may be NULL, with an exception. */
PyObject *record_value(PyTypeObject *type, PyObject *const *members, size_t count);
#define RECORD(type, ...)                                                            \
	({                                                                           \
		PyObject *members_[] = { __VA_ARGS__ };                              \
		record_value(type, members_, sizeof(members_) / sizeof(PyObject *)); \
	})
PyObject *text_value(const char *text);
/** Append a value to a list, which becomes NULL, with an exception, if one of them is or it fails. The
 *  value is released. */
void list_add(PyObject **list, PyObject *value);
PyObject *number_value(int64_t number); // NOT_KNOWN is None
PyObject *unsigned_value(uint64_t number);
PyObject *tristate_value(enum tristate value);
PyObject *location_value(const struct location *location);
PyObject *wait_value(const struct wait *wait);
PyObject *function_value(const struct task_function *function);
PyObject *frame_value(struct thread *thread, const struct logical_frame *frame);
/** Make a list of the whole stack of a thread. */
PyObject *frames_value(struct thread *thread, const struct logical_frame *frames, size_t count);
PyObject *stack_value(struct process_object *owner, const struct logical_stack *stack);
PyObject *nonzero_value(uint64_t number); // 0 is None

/** Add a value to a module under the last part of a name; NULL stands for an exception. The value is
 *  borrowed. @return -1 with an exception. */
int add_to_module(PyObject *module, const char *name, PyObject *value);
/** Make types of records. @return -1 with an exception. */
int add_records(PyObject *module, PyStructSequence_Desc *shapes, PyTypeObject **const *types,
		size_t count);
int records_add_types(PyObject *module);

/** Add the type Files (files.c). @return -1 with an exception. */
int files_add(PyObject *module);

// ---- The code of constructs (code.c) ------------------------------------------------------------

/** Add HANDOVERS and the types of answers. @return -1 with an exception. */
int code_add(PyObject *module);
answer answer_thread_handover, answer_thread_bodies, answer_thread_last_jumps; // methods
answer answer_thread_ways, answer_task_way_to_parent;			       // attributes

#endif
