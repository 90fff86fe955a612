// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names: symbols, functions, variables and structures, as libtarget reads them from the files that GDB
// has loaded. What is in no file, GDB is asked for: code that was made at run time, stubs of the linker.

#include "base/error.h"
#include "libtarget/services.h"
#include "model.h"

enum { CODE_PAGES = 32 }; // that are compared at once

/** The files of a program, until GDB loads others. */
struct files_object {
	PyObject ob_base;
	struct gdb_services own; // for what Python itself asks
	struct gdb_services *asker;
	struct target *target;
	const struct ompdbg_services *table;
	struct table code;  // number of a page -> struct code_page *
	uint64_t num_stops; // that are over
	uint64_t asked_at;  // stop at which the pages of `asked` were asked for
	struct code_page *asked[CODE_PAGES];
	size_t num_asked;
};

/** A page of code as its file has it. */
struct code_page {
	uint64_t number;
	uint64_t stop;	// at which memory was the same
	uint64_t asked; // stop at which it was asked for, from 1 on
	uint8_t bytes[TARGET_PAGE];
};

static PyTypeObject *files_type;

// ---- Opening -----------------------------------------------------------------------------------

/** Read memory as the one does who asks. What comes before the first bad byte counts. */
static size_t read_target(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct files_object *self = context;

	while (size) {
		struct ompdbg_error *error = gdb_read_memory(self->asker, address, buffer, size);
		uint64_t readable =
			error && error->code == OMPDBG_UNREADABLE ? error->address - address : 0;

		if (is_ok(error))
			return size;
		size = readable < size ? (size_t)readable : 0;
	}
	return 0;
}

/** Take (path, opened, debug, section, address, is_program). @return false with an exception. */
static bool take_file(struct gdb_services *services, PyObject *told, struct target_loaded *ret)
{
	PyObject *path, *opened, *debug, *section;
	unsigned long long address;
	int is_program;

	if (!PyArg_ParseTuple(told, "OOOOKp", &path, &opened, &debug, &section, &address,
			      &is_program))
		return false;
	*ret = (struct target_loaded){
		.path = kept_text(services, path),
		.opened = kept_text(services, opened),
		.debug = kept_text(services, debug),
		.section = kept_text(services, section),
		.address = address,
		.is_program = is_program,
	};
	if (ret->path && ret->opened)
		return true;
	PyErr_SetString(PyExc_TypeError, "Files() needs texts");
	return false;
}

/** Open the files. @return false with an exception. */
static bool open_files(struct files_object *self, PyObject *all, uint64_t vdso)
{
	Py_ssize_t count = PyList_Size(all);
	struct target_error error;

	if (count < 0)
		return false;
	struct target_loaded *files =
		ARENA_ARRAY(&self->own.stop, struct target_loaded, (size_t)count);
	for (Py_ssize_t i = 0; i < count; i++) {
		if (!take_file(&self->own, PyList_GetItem(all, i), &files[i]))
			return false;
	}
	self->target = target_borrow(files, (size_t)count, vdso, read_target, self, &error);
	if (!self->target) {
		PyErr_SetString(bridge_error, error.text);
		return false;
	}
	if (!is_ok(target_services_create(self->target, 0, &self->table)))
		return PyErr_NoMemory() != NULL;
	target_services_set_detailed(self->table);
	return true;
}

static PyObject *files_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct files_object *self;
	unsigned long long vdso;
	PyObject *bridge, *all;

	if (!PyArg_ParseTuple(args, "OOK:Files", &bridge, &all, &vdso))
		return NULL;
	self = (struct files_object *)allocate(type, 0);
	if (!self)
		return NULL;
	gdb_services_init(&self->own, bridge);
	self->own.direct_refused = true;
	self->asker = &self->own;
	if (open_files(self, all, vdso))
		return (PyObject *)self;
	Py_DECREF(self);
	return NULL;
}

static int files_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(((struct files_object *)self)->own.bridge);
	return 0;
}

static int files_clear(PyObject *object)
{
	struct files_object *self = (struct files_object *)object;

	target_services_destroy(self->table);
	self->table = NULL;
	if (self->target)
		target_close(self->target);
	self->target = NULL;
	gdb_services_deinit(&self->own);
	return 0;
}

static void files_dealloc(PyObject *object)
{
	PyTypeObject *type = Py_TYPE(object);

	PyObject_GC_UnTrack(object);
	files_clear(object);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

// ---- Questions of libompdbg --------------------------------------------------------------------

/** Let the answers be read, and frames be unwound, by the one who asks. */
static void set_asker(struct files_object *self, struct gdb_services *asker)
{
	if (self->asker == asker)
		return;
	self->asker = asker;
	target_services_set_debugger(self->table, asker == &self->own ? NULL : &asker->table);
}

const struct ompdbg_services *gdb_files(struct gdb_services *services, struct ompdbg_error **ret)
{
	*ret = ask_allowed(services);
	if (*ret)
		return NULL;
	if (!services->files) {
		PyObject *files = PyObject_GetAttrString(services->bridge, "files");

		if (files && Py_TYPE(files) != files_type) {
			PyErr_SetString(PyExc_TypeError, "files must be _ompdbg.Files");
			Py_CLEAR(files);
		}
		if (!files) {
			*ret = ask_failed(services);
			return NULL;
		}
		services->files = files;
	}
	struct files_object *files = (struct files_object *)services->files;
	set_asker(files, services);
	return files->table;
}

/** Compare the pages of code that were asked for at an earlier stop with memory, by one call. */
static void compare_asked(struct gdb_services *services, struct files_object *files)
{
	uint64_t addresses[CODE_PAGES];
	uint8_t found[CODE_PAGES][TARGET_PAGE];

	for (size_t i = 0; i < files->num_asked; i++)
		addresses[i] = files->asked[i]->number * TARGET_PAGE;
	size_t count = direct_read_pages(&services->direct, addresses, files->num_asked, found[0]);
	for (size_t i = 0; i < count; i++) {
		if (memcmp(files->asked[i]->bytes, found[i], TARGET_PAGE) == 0)
			files->asked[i]->stop = files->num_stops;
	}
	files->num_asked = 0;
	files->asked_at = files->num_stops;
}

static void note_asked(struct files_object *files, struct code_page *page)
{
	if (page->asked == files->num_stops + 1 || files->num_asked == CODE_PAGES)
		return;
	page->asked = files->num_stops + 1;
	files->asked[files->num_asked++] = page;
}

/** Find a page of code that is in memory as its file has it: none of its bytes is a breakpoint of GDB's.
 *  @return NULL: it is not. */
static const uint8_t *code_page(struct gdb_services *services, uint64_t number)
{
	struct files_object *files = (struct files_object *)services->files;
	struct code_page **known =
		(struct code_page **)table_put(&files->code, &files->own.stop, number);
	uint8_t found[TARGET_PAGE];

	if (files->asked_at != files->num_stops)
		compare_asked(services, files);
	if (*known)
		note_asked(files, *known);
	if (*known && (*known)->stop == files->num_stops)
		return (*known)->bytes;
	if (direct_read(&services->direct, number * TARGET_PAGE, found, TARGET_PAGE) != TARGET_PAGE)
		return NULL;
	if (!*known || memcmp((*known)->bytes, found, TARGET_PAGE) != 0) {
		if (!target_file_has(files->target, number * TARGET_PAGE, found))
			return NULL;
		if (!*known)
			*known = ARENA_NEW(&files->own.stop, struct code_page);
		memcpy((*known)->bytes, found, TARGET_PAGE);
	}
	(*known)->number = number;
	(*known)->stop = files->num_stops;
	return (*known)->bytes;
}

bool gdb_files_read_code(struct gdb_services *services, uint64_t address, void *buffer, size_t size)
{
	struct ompdbg_error *error;
	uint8_t *to = buffer;

	if (!gdb_files(services, &error)) {
		ompdbg_error_destroy(error);
		return false;
	}
	while (size) {
		size_t from = address % TARGET_PAGE, part = TARGET_PAGE - from;
		const uint8_t *page = code_page(services, address / TARGET_PAGE);

		if (!page)
			return false;
		if (part > size)
			part = size;
		memcpy(to, page + from, part);
		to += part;
		address += part;
		size -= part;
	}
	return true;
}

void gdb_files_forget(struct gdb_services *services)
{
	struct files_object *files = (struct files_object *)services->files;

	if (files)
		files->num_stops++;
	if (files && files->asker == services)
		set_asker(files, &files->own);
	Py_CLEAR(services->files);
}

bool gdb_files_caller(struct gdb_services *services, const struct target_frame *frame, bool is_call,
		      struct target_frame *ret)
{
	struct ompdbg_error *error;
	const struct ompdbg_services *files = gdb_files(services, &error);

	ompdbg_error_destroy(error);
	return files &&
	       target_caller_without_rules(((struct files_object *)services->files)->target, frame,
					   is_call, ret);
}

#define FORWARD(name, parameters, ...)                                            \
	struct ompdbg_error *gdb_##name parameters                                \
	{                                                                         \
		struct ompdbg_error *error;                                       \
		const struct ompdbg_services *files = gdb_files(context, &error); \
                                                                                  \
		return files ? files->name(files->context, __VA_ARGS__) : error;  \
	}

FORWARD(file_address, (void *context, uint64_t address, uint64_t *ret), address, ret)
FORWARD(function_at, (void *context, uint64_t address, struct ompdbg_function *ret), address, ret)
FORWARD(code_place, (void *context, uint64_t address, struct ompdbg_function *ret), address, ret)
FORWARD(function_named, (void *context, const char *symbol, struct ompdbg_function *ret), symbol,
	ret)
FORWARD(variable_at,
	(void *context, uint64_t address, bool is_lock, uint64_t near, const char **ret), address,
	is_lock, near, ret)
FORWARD(frame_name,
	(void *context, int thread, const struct ompdbg_frame *frame, uint64_t address,
	 enum ompdbg_naming naming, const char **ret),
	thread, frame, address, naming, ret)
FORWARD(variable_storage,
	(void *context, int thread, const struct ompdbg_frame *frame, const char *name,
	 enum ompdbg_storage *ret),
	thread, frame, name, ret)
FORWARD(access_name,
	(void *context, int thread, const struct ompdbg_frame *frame,
	 const struct ompdbg_pointer *pointers, size_t count, uint64_t address, unsigned int width,
	 const char **ret, const char **last),
	thread, frame, pointers, count, address, width, ret, last)
FORWARD(layout,
	(void *context, const char *structure, const char *field, const char *object,
	 struct ompdbg_layout *ret),
	structure, field, object, ret)
FORWARD(source_path, (void *context, uint64_t address, const char *file, const char **ret), address,
	file, ret)
FORWARD(task_variables,
	(void *context, uint64_t code, uint64_t argument, const struct ompdbg_given **ret,
	 size_t *count),
	code, argument, ret, count)
FORWARD(newest_gcc, (void *context, uint64_t address, int *ret), address, ret)

struct ompdbg_error *gdb_object_at(void *context, uint64_t address, struct ompdbg_object *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error;
	const struct ompdbg_services *files = gdb_files(services, &error);
	const char *path;

	if (files)
		error = files->object_at(files->context, address, ret);
	if (!error || error->code != OMPDBG_ABSENT)
		return error;
	// GDB may not have read the file that is there.
	error = ask_text(services, ASK(services, "mapped_file", "K", (unsigned long long)address),
			 &path);
	if (!error)
		*ret = (struct ompdbg_object){ .path = path };
	return error;
}

struct ompdbg_error *gdb_symbol_address(void *context, const char *name, const char *object,
					int thread, uint64_t *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error;
	const struct ompdbg_services *files = gdb_files(services, &error);

	if (files)
		error = files->symbol_address(files->context, name, object, 0, ret);
	if (!error || error->code != OMPDBG_ABSENT || !thread)
		return error;
	return ask_number(services, ASK(services, "thread_local_address", "yi", name, thread), ret);
}

struct ompdbg_error *gdb_symbol_at(void *context, uint64_t address, struct ompdbg_symbol *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error;
	const struct ompdbg_services *files = gdb_files(services, &error);
	unsigned long long offset;
	PyObject *answer, *name;

	if (files)
		error = files->symbol_at(files->context, address, ret);
	if (!error || error->code != OMPDBG_ABSENT)
		return error;
	answer = ASK(services, "symbol_at", "K", (unsigned long long)address);
	error = ask_tuple(services, answer, "OK", &name, &offset);
	if (!error)
		*ret = (struct ompdbg_symbol){ kept_text(services, name), offset, NULL };
	Py_XDECREF(answer);
	return error;
}

// ---- Questions of Python -----------------------------------------------------------------------

static PyObject *method_address(PyObject *object, PyObject *args)
{
	struct files_object *self = (struct files_object *)object;
	const char *name, *file = NULL;
	uint64_t address;

	if (!PyArg_ParseTuple(args, "s|z:address", &name, &file))
		return NULL;
	if (!is_ok(self->table->symbol_address(self->table->context, name, file, 0, &address)))
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(address);
}

static PyObject *method_in_runtimes(PyObject *object, PyObject *args)
{
	enum { MOST = 16 };
	struct files_object *self = (struct files_object *)object;
	PyObject *list = PyList_New(0);
	uint64_t addresses[MOST];
	const char *name;

	if (!PyArg_ParseTuple(args, "s:in_runtimes", &name))
		Py_CLEAR(list);
	size_t count = list ? target_services_in_runtimes(self->table, name, addresses, MOST) : 0;
	for (size_t i = 0; list && i < count; i++)
		list_add(&list, unsigned_value(addresses[i]));
	return list;
}

static PyObject *method_function(PyObject *object, PyObject *args)
{
	struct files_object *self = (struct files_object *)object;
	struct ompdbg_function found;
	unsigned long long address;

	if (!PyArg_ParseTuple(args, "K:function", &address))
		return NULL;
	if (!is_ok(self->table->function_at(self->table->context, address, &found)))
		Py_RETURN_NONE;
	return text_value(found.symbol);
}

static PyObject *method_constructs(PyObject *object, PyObject *unused)
{
	const struct files_object *self = (const struct files_object *)object;
	PyObject *list = PyList_New(0);
	size_t count;
	const struct ompdbg_function *found = target_services_constructs(self->table, &count);

	for (size_t i = 0; list && i < count; i++)
		list_add(&list, Py_BuildValue("Ni", text_value(found[i].file), found[i].line));
	return list;
}

static PyObject *method_copies_whole(PyObject *object, PyObject *args)
{
	const struct files_object *self = (const struct files_object *)object;
	unsigned long long address;
	const char *name;

	if (!PyArg_ParseTuple(args, "Ks:copies_whole", &address, &name))
		return NULL;
	return PyBool_FromLong(target_services_copies_whole(self->table, address, name));
}

static PyObject *method_is_of_precondition(PyObject *object, PyObject *args)
{
	const struct files_object *self = (const struct files_object *)object;
	unsigned long long address;
	const char *name;

	if (!PyArg_ParseTuple(args, "Ks:is_of_precondition", &address, &name))
		return NULL;
	return PyBool_FromLong(target_services_is_of_precondition(self->table, address, name));
}

static PyMethodDef files_methods[] = {
	{ "address", method_address, METH_VARARGS,
	  "address(symbol, file=None) -> where a symbol is, in files of a name or in any; None" },
	{ "in_runtimes", method_in_runtimes, METH_VARARGS,
	  "in_runtimes(symbol) -> [address] in each OpenMP runtime" },
	{ "function", method_function, METH_VARARGS,
	  "function(address) -> the linker's name of the function there, or None" },
	{ "constructs", method_constructs, METH_NOARGS,
	  "constructs() -> [(file or None, line)] of all functions made of the code of constructs" },
	{ "is_of_precondition", method_is_of_precondition, METH_VARARGS,
	  "is_of_precondition(address, name) -> whether the variable that code there, Clang's, has by the "
	  "name of a loop's is another one" },
	{ "copies_whole", method_copies_whole, METH_VARARGS,
	  "copies_whole(address, name) -> whether the code there, Clang's, surely has copies of whole "
	  "arrays of the name" },
	{ 0 },
};

static PyType_Slot files_slots[] = {
	{ Py_tp_doc, "The files of a program that GDB has loaded: Files(debugger, [(path, opened, "
		     "debug, section, address, is_program)], vdso)" },
	{ Py_tp_new, files_new },
	{ Py_tp_dealloc, files_dealloc },
	{ Py_tp_traverse, files_traverse },
	{ Py_tp_clear, files_clear },
	{ Py_tp_methods, files_methods },
	{ 0, NULL },
};

int files_add(PyObject *module)
{
	PyType_Spec spec = {
		.name = "_ompdbg.Files",
		.basicsize = sizeof(struct files_object),
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
		.slots = files_slots,
	};

	files_type = (PyTypeObject *)PyType_FromSpec(&spec);
	return add_to_module(module, spec.name, (PyObject *)files_type);
}
