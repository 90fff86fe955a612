// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type AddressSpace.

#include "plugin.h"

#include <limits.h>
#include <stdlib.h>

// ---- Life ------------------------------------------------------------------------------------

PyObject *space_open(PyObject *library, PyObject *services, const char *runtime)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		return PyErr_NoMemory();
	space->library = ((struct library_object *)library)->library;
	space->symbols = PyDict_New();
	struct space_object *self = NULL;
	if (space->symbols)
		self = (struct space_object *)PyType_GenericAlloc(space_type, 0);
	if (!self) {
		space_destroy(space);
		return NULL;
	}
	Py_INCREF(services);
	space->services = services;
	Py_INCREF(library);
	self->library = library;
	self->space = space;
	ompd_address_space_handle_t *handle = NULL;
	ompd_address_space_context_t *context = (ompd_address_space_context_t *)space;
	int result = runtime ? CALL(space, ext_process_initialize, context, runtime, &handle) :
			       CALL(space, process_initialize, context, &handle);
	if (handle && call.rc == ompd_rc_ok)
		space->handle = handle; // also if interrupted, to be released
	if (result == 0 && !handle)
		result = error_raise("ompd_process_initialize", ompd_rc_error,
				     "the OMPD library returned no handle");
	if (result < 0)
		Py_CLEAR(self);
	return (PyObject *)self;
}

void space_destroy(struct space *space)
{
	Py_CLEAR(space->services);
	Py_CLEAR(space->symbols);
	free(space->icv_scopes);
	free(space);
}

static int space_traverse(PyObject *self, visitproc visit, void *arg)
{
	struct space *space = ((struct space_object *)self)->space;

	Py_VISIT(Py_TYPE(self));
	if (space)
		Py_VISIT(space->services);
	return 0;
}

static int space_clear(PyObject *self)
{
	struct space *space = ((struct space_object *)self)->space;

	if (space)
		Py_CLEAR(space->services);
	return 0;
}

static void space_dealloc(PyObject *self)
{
	struct space_object *object = (struct space_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	if (object->space)
		release(object->space->library, KIND_SPACE, object->space);
	Py_XDECREF(object->library);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

/** The space of @p self, open; NULL with Error if it was closed. */
static struct space *space_use(PyObject *self, const char *function)
{
	struct space *space = ((struct space_object *)self)->space;

	if (space->handle)
		return space;
	error_raise(function, ompd_rc_stale_handle, "the address space was closed");
	return NULL;
}

static PyObject *method_close(PyObject *self, PyObject *unused)
{
	struct space *space = ((struct space_object *)self)->space;
	ompd_address_space_handle_t *handle = space->handle;

	(void)unused;
	if (!handle)
		Py_RETURN_NONE;
	if (call.busy) {
		error_raise("ompd_rel_address_space_handle", ompd_rc_error,
			    "called while another OMPD function is running");
		return NULL;
	}
	while (space->handles)
		handle_release(space->handles);
	space->handle = NULL;
	int result = CALL(space, rel_address_space_handle, handle);
	Py_CLEAR(space->services);
	PyDict_Clear(space->symbols);
	if (result < 0)
		return NULL;
	Py_RETURN_NONE;
}

// ---- Change ----------------------------------------------------------------------------------

void space_catch_up(struct space *space)
{
	if (call.busy)
		return; // a callback may be in the middle of them
	if (space->symbols_moved)
		PyDict_Clear(space->symbols);
	space->symbols_moved = false;
}

static PyObject *method_invalidate(PyObject *self, PyObject *unused)
{
	struct space *space = ((struct space_object *)self)->space;

	(void)unused;
	space->generation++;
	Py_RETURN_NONE;
}

static PyObject *method_invalidate_symbols(PyObject *self, PyObject *unused)
{
	struct space *space = ((struct space_object *)self)->space;

	(void)unused;
	space->symbols_moved = true;
	space_catch_up(space);
	Py_RETURN_NONE;
}

// ---- Questions -------------------------------------------------------------------------------

static PyObject *method_thread(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "kind", "ident", NULL };
	ompd_thread_handle_t *thread = NULL;
	PyObject *kind_object, *ident_object;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:thread", names, &kind_object,
					 &ident_object))
		return NULL;
	uint64_t kind = PyLong_AsUnsignedLongLong(kind_object);
	uint64_t ident = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(ident_object);
	if (PyErr_Occurred())
		return NULL;
	if (kind == ompd_thread_id_lwp && ident > INT_MAX) {
		PyErr_SetString(PyExc_OverflowError, "thread() takes an LWP of 31 bits");
		return NULL;
	}
	struct space *space = space_use(self, "ompd_get_thread_handle");
	if (!space)
		return NULL;
	// An LWP is at the low end of ident: the machine is little endian.
	size_t size = kind == ompd_thread_id_lwp ? sizeof(pid_t) : sizeof(ident);
	uint64_t generation = space->generation;
	int result = CALL(space, get_thread_handle, space->handle, kind, size, &ident, &thread);
	return handle_new(self, KIND_THREAD, result, thread, generation);
}

static PyObject *method_states(PyObject *self, PyObject *unused)
{
	struct space *space = space_use(self, "ompd_enumerate_states");

	(void)unused;
	return space ? list_states(space) : NULL;
}

static PyObject *method_icvs(PyObject *self, PyObject *unused)
{
	struct space *space = space_use(self, "ompd_enumerate_icvs");

	(void)unused;
	return space ? list_icvs(space) : NULL;
}

static PyObject *method_icv(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *id = argument(args, kwargs, "icv", "icv_id");
	struct space *space = id ? space_use(self, "ompd_get_icv_from_scope") : NULL;

	return space ? icv_value(space, space->handle, ompd_scope_address_space, id) : NULL;
}

static PyObject *method_icv_string(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *id = argument(args, kwargs, "icv_string", "icv_id");
	struct space *space = id ? space_use(self, "ompd_get_icv_string_from_scope") : NULL;

	return space ? icv_string(space, space->handle, ompd_scope_address_space, id) : NULL;
}

static PyObject *method_display_control_vars(PyObject *self, PyObject *unused)
{
	struct space *space = space_use(self, "ompd_get_display_control_vars");

	(void)unused;
	return space ? list_display_control_vars(space) : NULL;
}

static PyObject *method_environment(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *name = argument(args, kwargs, "environment", "name");
	struct space *space = name ? space_use(self, "ompd_ext_get_environment") : NULL;

	return space ? environment_string(space, name) : NULL;
}

static PyObject *method_layout(PyObject *self, PyObject *unused)
{
	struct space *space = space_use(self, "ompd_ext_get_layout_info");
	ompd_ext_layout_info info = { .size = sizeof(info) };

	(void)unused;
	if (!space)
		return NULL;
	if (!space->library->ext_get_layout_info)
		Py_RETURN_NONE;
	if (CALL(space, ext_get_layout_info, space->handle, &info) < 0)
		return NULL;
	return record_layout(&info);
}

static PyObject *method_classify_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_ext_wait_site site = { 0 };
	uint64_t address;

	if (argument_uint(args, kwargs, "classify_call", "return_address", &address) < 0)
		return NULL;
	struct space *space = space_use(self, "ompd_ext_classify_call");
	if (!space)
		return NULL;
	if (!space->library->ext_classify_call)
		Py_RETURN_NONE;
	int rc = CALL_ACCEPTING(space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_classify_call,
				space->handle, address, &site);
	if (rc == ompd_rc_unavailable)
		Py_RETURN_NONE;
	return rc < 0 ? NULL : record_wait_site(&site);
}

static PyObject *method_call_target(PyObject *self, PyObject *args, PyObject *kwargs)
{
	uint64_t address, entry = 0;

	if (argument_uint(args, kwargs, "call_target", "return_address", &address) < 0)
		return NULL;
	struct space *space = space_use(self, "ompd_ext_get_call_target");
	if (!space)
		return NULL;
	if (!space->library->ext_get_call_target)
		Py_RETURN_NONE;
	int rc = CALL_ACCEPTING(space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_get_call_target,
				space->handle, address, &entry);
	if (rc == ompd_rc_unavailable)
		Py_RETURN_NONE;
	return rc < 0 ? NULL : PyLong_FromUnsignedLongLong(entry);
}

static PyObject *method_classify_entry(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_ext_wait_site site = { 0 };
	uint64_t entry;

	if (argument_uint(args, kwargs, "classify_entry", "entry", &entry) < 0)
		return NULL;
	struct space *space = space_use(self, "ompd_ext_classify_entry");
	if (!space)
		return NULL;
	if (!space->library->ext_classify_entry)
		Py_RETURN_NONE;
	int rc = CALL_ACCEPTING(space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_classify_entry,
				space->handle, entry, &site);
	if (rc == ompd_rc_unavailable)
		Py_RETURN_NONE;
	return rc < 0 ? NULL : record_wait_site(&site);
}

static PyObject *method_lock_argument(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_ext_argument argument = { 0 };
	uint64_t address;

	if (argument_uint(args, kwargs, "lock_argument", "return_address", &address) < 0)
		return NULL;
	struct space *space = space_use(self, "ompd_ext_get_lock_argument");
	if (!space)
		return NULL;
	if (!space->library->ext_get_lock_argument)
		Py_RETURN_NONE;
	int rc = CALL_ACCEPTING(space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_get_lock_argument,
				space->handle, address, &argument);
	if (rc == ompd_rc_unavailable)
		Py_RETURN_NONE;
	if (rc < 0)
		return NULL;
	return Py_BuildValue("(KzLiii)", (unsigned long long)argument.value, argument.register_name,
			     (long long)argument.scale, (int)argument.in_memory, argument.offset,
			     (int)argument.width);
}

static PyObject *method_lock(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "kind", "address", NULL };
	ompd_ext_lock_info info = { 0 };
	unsigned long long address;
	unsigned int kind;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "IK:lock", names, &kind, &address))
		return NULL;
	struct space *space = space_use(self, "ompd_ext_get_lock_info");
	if (!space || CALL(space, ext_get_lock_info, space->handle, kind, address, &info) < 0)
		return NULL;
	return Py_BuildValue("(NIIKL)", PyBool_FromLong((long)info.held), (unsigned int)info.depth,
			     (unsigned int)info.owner, (unsigned long long)info.thread,
			     (long long)info.recorded);
}

static PyObject *method_tasks(PyObject *self, PyObject *unused)
{
	struct space *space = space_use(self, "ompd_ext_tasks_open_all");

	(void)unused;
	return space ? iterator_open_all(self) : NULL;
}

static PyObject *get_library(PyObject *self, void *closure)
{
	PyObject *library = ((struct space_object *)self)->library;

	(void)closure;
	Py_INCREF(library);
	return library;
}

static PyObject *get_omp_version(PyObject *self, void *closure)
{
	struct space *space = space_use(self, "ompd_get_omp_version");
	ompd_word_t version = 0;

	(void)closure;
	if (!space || CALL(space, get_omp_version, space->handle, &version) < 0)
		return NULL;
	return PyLong_FromLongLong(version);
}

static PyObject *get_omp_version_string(PyObject *self, void *closure)
{
	struct space *space = space_use(self, "ompd_get_omp_version_string");
	const char *string = NULL;

	(void)closure;
	if (!space || CALL(space, get_omp_version_string, space->handle, &string) < 0)
		return NULL;
	return text_take(string);
}

// ---- The type --------------------------------------------------------------------------------

static PyGetSetDef space_getset[] = {
	{ "library", get_library, NULL, "The Library.", NULL },
	{ "omp_version", get_omp_version, NULL, "_OPENMP value of the runtime.", NULL },
	{ "omp_version_string", get_omp_version_string, NULL, "The same in words.", NULL },
	{ 0 },
};

static PyMethodDef space_methods[] = {
	METHOD("thread", method_thread, METH_VARARGS | METH_KEYWORDS,
	       "thread(kind, ident) -> Thread"),
	METHOD("states", method_states, METH_NOARGS, "states() -> {state: name}"),
	METHOD("icvs", method_icvs, METH_NOARGS, "icvs() -> [Icv]"),
	METHOD("icv", method_icv, METH_VARARGS | METH_KEYWORDS, "icv(icv_id) -> int"),
	METHOD("icv_string", method_icv_string, METH_VARARGS | METH_KEYWORDS,
	       "icv_string(icv_id) -> str"),
	METHOD("display_control_vars", method_display_control_vars, METH_NOARGS,
	       "display_control_vars() -> [str]"),
	METHOD("layout", method_layout, METH_NOARGS, "layout() -> Layout or None"),
	METHOD("environment", method_environment, METH_VARARGS | METH_KEYWORDS,
	       "environment(name) -> str, None if it was not set"),
	METHOD("classify_call", method_classify_call, METH_VARARGS | METH_KEYWORDS,
	       "classify_call(return_address) -> WaitSite or None"),
	METHOD("call_target", method_call_target, METH_VARARGS | METH_KEYWORDS,
	       "call_target(return_address) -> int or None"),
	METHOD("classify_entry", method_classify_entry, METH_VARARGS | METH_KEYWORDS,
	       "classify_entry(entry) -> WaitSite or None"),
	METHOD("lock_argument", method_lock_argument, METH_VARARGS | METH_KEYWORDS,
	       "lock_argument(return_address) -> (value, register, scale, in memory, offset, width)\n"
	       "or None"),
	METHOD("lock", method_lock, METH_VARARGS | METH_KEYWORDS,
	       "lock(kind, address) -> (held, depth, identity of the owner or 0)"),
	METHOD("tasks", method_tasks, METH_NOARGS,
	       "tasks() -> TaskIterator over every task of the process"),
	METHOD("invalidate", method_invalidate, METH_NOARGS,
	       "The target moved: handles become stale."),
	METHOD("invalidate_symbols", method_invalidate_symbols, METH_NOARGS,
	       "Objects were loaded or unloaded: forget addresses of symbols."),
	METHOD("close", method_close, METH_NOARGS, "Releases all handles, then itself."),
	{ 0 },
};

static PyType_Slot space_slots[] = {
	{ Py_tp_doc, "A process or core file, as one OMPD library sees it." },
	{ Py_tp_new, type_no_new },
	{ Py_tp_dealloc, space_dealloc },
	{ Py_tp_traverse, space_traverse },
	{ Py_tp_clear, space_clear },
	{ Py_tp_getset, space_getset },
	{ Py_tp_methods, space_methods },
	{ 0, NULL },
};

PyType_Spec space_spec = {
	.name = "_ompd.AddressSpace",
	.basicsize = sizeof(struct space_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = space_slots,
};
