// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a library enumerates: states, ICVs and display control variables. And ICV values, which
// need to know where an ICV is at home.

#include "plugin.h"

#include <stdlib.h>

enum { MOST_ENTRIES = 4096 }; // an enumeration that is longer does not end

static int endless(const char *function)
{
	return error_raise(function, ompd_rc_error, "the enumeration does not end");
}

// ---- States ----------------------------------------------------------------------------------

static int add_state(PyObject *states, ompd_word_t state, const char *name)
{
	PyObject *key = PyLong_FromLongLong(state);
	PyObject *value = text_take(name);
	int result = key && value ? PyDict_SetItem(states, key, value) : -1;

	Py_XDECREF(key);
	Py_XDECREF(value);
	return result;
}

PyObject *list_states(struct space *space)
{
	PyObject *states = PyDict_New();
	ompd_word_t state = ompt_state_undefined, more = 1;
	int result = states ? 0 : -1;

	for (int i = 0; result == 0 && more; i++) {
		const char *name = NULL;

		if (i == MOST_ENTRIES)
			result = endless("ompd_enumerate_states");
		else
			result = CALL(space, enumerate_states, space->handle, state, &state, &name,
				      &more);
		if (result == 0)
			result = add_state(states, state, name);
	}
	if (result < 0)
		Py_CLEAR(states);
	return states;
}

// ---- ICVs ------------------------------------------------------------------------------------

static int add_icv(PyObject *list, struct icv_scope *icv, const char *name)
{
	PyObject *string = text_take(name);
	PyObject *record = string ? record_icv(icv->id, string, icv->scope) : NULL;
	int result = record ? PyList_Append(list, record) : -1;

	Py_XDECREF(string);
	Py_XDECREF(record);
	return result;
}

PyObject *list_icvs(struct space *space)
{
	struct icv_scope *scopes = calloc(MOST_ENTRIES, sizeof(*scopes));
	PyObject *list = PyList_New(0);
	ompd_icv_id_t id = 0;
	int result = 0, more = 1, count = 0;

	if (!scopes || !list)
		result = scopes ? -1 : (PyErr_NoMemory(), -1);
	while (result == 0 && more) {
		struct icv_scope *icv = &scopes[count];
		const char *name = NULL;

		if (++count == MOST_ENTRIES)
			result = endless("ompd_enumerate_icvs");
		else
			result = CALL(space, enumerate_icvs, space->handle, id, &id, &name,
				      &icv->scope, &more);
		icv->id = id;
		if (result == 0)
			result = add_icv(list, icv, name);
	}
	if (result < 0) {
		Py_CLEAR(list);
		free(scopes);
		return list;
	}
	free(space->icv_scopes);
	space->icv_scopes = scopes;
	space->num_icv_scopes = (size_t)count;
	return list;
}

/**
 * The scope to ask in: a Task stands for both scopes of tasks, and an AddressSpace for the global
 * scope too. Where the library does not tell an ICV's home, the handle's own scope.
 */
static int scope_for(struct space *space, uint64_t id, ompd_scope_t own, ompd_scope_t *ret)
{
	*ret = own;
	if (own != ompd_scope_task && own != ompd_scope_address_space)
		return 0;
	if (!space->library->enumerate_icvs)
		return 0;
	if (!space->icv_scopes) {
		PyObject *list = list_icvs(space);

		if (!list)
			return -1;
		Py_DECREF(list);
	}
	for (size_t i = 0; i < space->num_icv_scopes; i++) {
		ompd_scope_t home = space->icv_scopes[i].scope;

		if (space->icv_scopes[i].id != id)
			continue;
		if (own == ompd_scope_task ? home == ompd_scope_implicit_task :
					     home == ompd_scope_global)
			*ret = home;
		break;
	}
	return 0;
}

static int icv_id(PyObject *object, uint64_t *ret)
{
	*ret = PyLong_AsUnsignedLongLong(object);
	return PyErr_Occurred() ? -1 : 0;
}

PyObject *icv_value(struct space *space, void *raw, ompd_scope_t scope, PyObject *object)
{
	ompd_word_t value = 0;
	uint64_t id;

	if (icv_id(object, &id) < 0 || scope_for(space, id, scope, &scope) < 0 ||
	    CALL(space, get_icv_from_scope, raw, scope, id, &value) < 0)
		return NULL;
	return PyLong_FromLongLong(value);
}

PyObject *icv_string(struct space *space, void *raw, ompd_scope_t scope, PyObject *object)
{
	const char *string = NULL;
	uint64_t id;

	if (icv_id(object, &id) < 0 || scope_for(space, id, scope, &scope) < 0 ||
	    CALL(space, get_icv_string_from_scope, raw, scope, id, &string) < 0)
		return NULL;
	return text_take(string);
}

// ---- The environment -------------------------------------------------------------------------

PyObject *environment_string(struct space *space, PyObject *name)
{
	const char *string = NULL;
	PyObject *bytes = PyUnicode_AsUTF8String(name);

	if (!bytes)
		return NULL;
	int rc = CALL_ACCEPTING(space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_get_environment,
				space->handle, PyBytes_AsString(bytes), &string);

	Py_DECREF(bytes);
	if (rc < 0)
		return NULL;
	if (rc == ompd_rc_unavailable)
		Py_RETURN_NONE;
	return text_take(string);
}

// ---- Display control variables ---------------------------------------------------------------

PyObject *list_display_control_vars(struct space *space)
{
	const char *const *variables = NULL;
	PyObject *list;

	if (CALL(space, get_display_control_vars, space->handle, &variables) < 0)
		return NULL;
	list = PyList_New(0);
	for (size_t i = 0; list && variables && variables[i]; i++) {
		PyObject *string = text_new(variables[i]);

		if (!string || PyList_Append(list, string) < 0)
			Py_CLEAR(list);
		Py_XDECREF(string);
	}
	if (variables && space->library->rel_display_control_vars &&
	    CALL(space, rel_display_control_vars, &variables) < 0)
		Py_CLEAR(list);
	return list;
}
