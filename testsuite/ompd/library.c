// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads OMPD libraries, and the type Library.

#include "plugin.h"

#include <dlfcn.h>
#include <stdlib.h>

static struct library *libraries;

/** Fills the table of functions. Returns the name of a required one that is missing, or NULL. */
static const char *resolve(struct library *library)
{
	const char *missing = NULL;

	library->extended = true;
#define RESOLVE(name, otherwise)                                         \
	*(void **)&library->name = dlsym(library->image, "ompd_" #name); \
	if (!library->name)                                              \
		otherwise;
#define REQUIRED(name) RESOLVE(name, missing = missing ? missing : "ompd_" #name)
#define STANDARD(name) RESOLVE(name, (void)0)
#define EXTENSION(name) RESOLVE(name, library->extended = false)
#include "functions.def"
#undef REQUIRED
#undef STANDARD
#undef EXTENSION
#undef RESOLVE
	return missing;
}

/** As the standard has it: with the version that the library supports. */
static int initialize(struct library *library)
{
	ompd_word_t version = 202111;
	const int any = ~0;

	if (library->get_api_version &&
	    LIBRARY_CALL(library, NULL, any, get_api_version, &version) < 0)
		return -1;
	return LIBRARY_CALL(library, NULL, ACCEPT_OK, initialize, version, &callbacks);
}

static struct library *load(void *image)
{
	struct library *library = calloc(1, sizeof(*library));
	char reason[100];

	if (!library) {
		PyErr_NoMemory();
		return NULL;
	}
	library->image = image;
	const char *missing = resolve(library);
	if (missing) {
		snprintf(reason, sizeof(reason), "no OMPD library: %s is missing", missing);
		error_raise("dlsym", ompd_rc_incompatible, reason);
	} else if (initialize(library) == 0) {
		library->next = libraries;
		libraries = library;
		return library;
	}
	free(library);
	return NULL;
}

/** Raise an error with the words of dlerror(), which begin with the name that dlopen() was given. */
static void raise_unloaded(const char *name)
{
	const char *reason = dlerror();
	size_t length = strlen(name);

	if (!strncmp(reason, name, length) && !strncmp(reason + length, ": ", 2))
		reason += length + 2;
	error_raise("dlopen", ompd_rc_error, reason);
}

struct library *library_acquire(const char *path, int descriptor)
{
	char opened[sizeof("/proc/self/fd/") + 11];
	const char *name = path;

	if (descriptor >= 0) {
		snprintf(opened, sizeof(opened), "/proc/self/fd/%d", descriptor);
		name = opened;
	}
	void *image = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	struct library *library = libraries;

	if (!image) {
		if (descriptor >= 0)
			raise_unloaded(name);
		else
			error_raise("dlopen", ompd_rc_error, dlerror());
		return NULL;
	}
	while (library && library->image != image)
		library = library->next;
	if (library) {
		dlclose(image); // counted again by dlopen()
	} else {
		library = load(image);
		if (!library) {
			dlclose(image);
			return NULL;
		}
	}
	library->references++;
	return library;
}

void library_release(struct library *library)
{
	struct library **link = &libraries;

	if (--library->references)
		return;
	while (*link != library)
		link = &(*link)->next;
	*link = library->next;
	library->finalize();
	dlclose(library->image);
	free(library);
}

// ---- The type --------------------------------------------------------------------------------

static PyObject *library_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "path", "descriptor", NULL };
	PyObject *path, *bytes;
	int descriptor = -1;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|i:Library", names, &path, &descriptor) ||
	    !PyUnicode_FSConverter(path, &bytes))
		return NULL;
	struct library *library = library_acquire(PyBytes_AsString(bytes), descriptor);
	if (!library) {
		Py_DECREF(bytes);
		return NULL;
	}
	struct library_object *self = (struct library_object *)PyType_GenericAlloc(type, 0);
	if (self) {
		self->library = library;
		self->path = PyUnicode_DecodeFSDefault(PyBytes_AsString(bytes));
		if (!self->path)
			Py_CLEAR(self);
	} else {
		release(library, KIND_LIBRARY, NULL);
	}
	Py_DECREF(bytes);
	return (PyObject *)self;
}

static void library_dealloc(PyObject *self)
{
	struct library_object *object = (struct library_object *)self;
	PyTypeObject *type = Py_TYPE(self);

	release(object->library, KIND_LIBRARY, NULL);
	Py_XDECREF(object->path);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static struct library *library_of(PyObject *self)
{
	return ((struct library_object *)self)->library;
}

static PyObject *get_path(PyObject *self, void *closure)
{
	PyObject *path = ((struct library_object *)self)->path;

	(void)closure;
	Py_INCREF(path);
	return path;
}

static PyObject *get_api_version(PyObject *self, void *closure)
{
	ompd_word_t version = 0;

	(void)closure;
	if (LIBRARY_CALL(library_of(self), NULL, ACCEPT_OK, get_api_version, &version) < 0)
		return NULL;
	return PyLong_FromLongLong(version);
}

static PyObject *get_version_string(PyObject *self, void *closure)
{
	const char *string = NULL; // stays the library's (OpenMP 5.2, 20.5.1.3)

	(void)closure;
	if (LIBRARY_CALL(library_of(self), NULL, ACCEPT_OK, get_version_string, &string) < 0)
		return NULL;
	return text_new(string ? string : "");
}

static PyObject *get_extended(PyObject *self, void *closure)
{
	(void)closure;
	return PyBool_FromLong(library_of(self)->extended);
}

static PyObject *library_open(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "services", "runtime", NULL };
	const char *runtime = NULL;
	PyObject *services;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|z:open", names, &services, &runtime))
		return NULL;
	return space_open(self, services, runtime);
}

/** An empty list for a library that does not tell. */
static PyObject *library_runtimes(PyObject *self, PyObject *unused)
{
	struct library *library = library_of(self);
	PyObject *list = PyList_New(0);
	bool more = list && library->ext_enumerate_runtimes && library->ext_process_initialize;

	(void)unused;
	for (size_t i = 0; more; i++) {
		const char *name = NULL;
		int rc = LIBRARY_CALL(library, NULL, ACCEPT_OK | ACCEPT_UNAVAILABLE,
				      ext_enumerate_runtimes, i, &name);
		if (rc == ompd_rc_unavailable || (rc == ompd_rc_ok && !name))
			break;
		PyObject *item = rc < 0 ? NULL : text_new(name);
		if (!item || PyList_Append(list, item) < 0) {
			Py_CLEAR(list);
			more = false;
		}
		Py_XDECREF(item);
	}
	return list;
}

static PyGetSetDef library_getset[] = {
	{ "path", get_path, NULL, "The file, as it was named.", NULL },
	{ "api_version", get_api_version, NULL, "_OPENMP value of the standard.", NULL },
	{ "version_string", get_version_string, NULL, "What the library says of itself.", NULL },
	{ "extended", get_extended, NULL, "Has the functions of ompd_ext.h.", NULL },
	{ 0 },
};

static PyMethodDef library_methods[] = {
	METHOD("open", library_open, METH_VARARGS | METH_KEYWORDS,
	       "open(services, runtime=None) -> AddressSpace"),
	METHOD("runtimes", library_runtimes, METH_NOARGS,
	       "runtimes() -> names of the runtimes that it can recognise"),
	{ 0 },
};

static PyType_Slot library_slots[] = {
	{ Py_tp_doc, "Library(path, descriptor=-1): one loaded OMPD library. descriptor: what is "
		     "loaded in place of the path; no other file may have its number afterwards." },
	{ Py_tp_new, library_new },
	{ Py_tp_dealloc, library_dealloc },
	{ Py_tp_getset, library_getset },
	{ Py_tp_methods, library_methods },
	{ 0, NULL },
};

PyType_Spec library_spec = {
	.name = "_ompd.Library",
	.basicsize = sizeof(struct library_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = library_slots,
};
