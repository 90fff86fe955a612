// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callback table (OpenMP 5.2, 20.4) over a services object. An exception that a method raises
// is kept in the call and turned into ompd_rc_callback_error.

#include "plugin.h"

static ompd_rc_t failed(void)
{
	call_keep_exception();
	return ompd_rc_callback_error;
}

static ompd_rc_t check_context(const struct space *space)
{
	if (!space)
		return ompd_rc_bad_input;
	return call.interrupted || !space->services ? ompd_rc_callback_error : ompd_rc_ok;
}

static struct space *space_of(ompd_address_space_context_t *context)
{
	return (struct space *)context;
}

// ---- Memory ----------------------------------------------------------------------------------

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t bytes, void *buffer)
{
	struct space *space = space_of(context);

	(void)thread; // one memory for all threads
	if (!space || !address || !buffer)
		return ompd_rc_bad_input;
	if (check_context(space) != ompd_rc_ok || !fetch(space, address->address, buffer, bytes))
		return ompd_rc_callback_error;
	return ompd_rc_ok;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t bytes, void *buffer)
{
	struct space *space = space_of(context);

	(void)thread;
	if (!space || !address || !buffer || !bytes)
		return ompd_rc_bad_input;
	bool ended;
	if (check_context(space) != ompd_rc_ok ||
	    !fetch_string(space, address->address, buffer, bytes, &ended))
		return ompd_rc_callback_error;
	return ended ? ompd_rc_ok : ompd_rc_incomplete;
}

/** Nothing is ever written to the target. */
static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			      const ompd_address_t *address, ompd_size_t bytes, const void *buffer)
{
	(void)context;
	(void)thread;
	(void)address;
	(void)bytes;
	(void)buffer;
	return ompd_rc_unsupported;
}

/** Sizes and byte order of the target are those of this process: LP64, little endian. */
static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	if (!context || !sizes)
		return ompd_rc_bad_input;
	*sizes = (ompd_device_type_sizes_t){
		.sizeof_char = 1,
		.sizeof_short = 2,
		.sizeof_int = 4,
		.sizeof_long = 8,
		.sizeof_long_long = 8,
		.sizeof_pointer = 8,
	};
	return ompd_rc_ok;
}

static ompd_rc_t copy_units(ompd_address_space_context_t *context, const void *input,
			    ompd_size_t unit, ompd_size_t count, void *output)
{
	size_t bytes;

	if (!context || !input || !output || __builtin_mul_overflow(unit, count, &bytes))
		return ompd_rc_bad_input;
	memmove(output, input, bytes);
	return ompd_rc_ok;
}

// ---- Symbols and threads ---------------------------------------------------------------------

static PyObject *string_or_none(const char *string)
{
	if (!string)
		Py_RETURN_NONE;
	return text_new(string);
}

/** Threads are passed as their number + 1, so that no thread is NULL. */
static PyObject *thread_or_none(const ompd_thread_context_t *thread)
{
	if (!thread)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong((uintptr_t)thread - 1);
}

/** Asks the services. A new reference, NULL with an exception. */
static PyObject *look_up(struct space *space, PyObject *key, const ompd_thread_context_t *thread)
{
	PyObject *context = thread_or_none(thread);

	if (!context)
		return NULL;
	PyObject *address = PyObject_CallMethod(space->services, "symbol_address", "OOO",
						PyTuple_GetItem(key, 0), PyTuple_GetItem(key, 1),
						context);
	Py_DECREF(context);
	return address;
}

/** The same, asked once of all symbols but those of a thread. */
static PyObject *symbol(struct space *space, PyObject *key, const ompd_thread_context_t *thread)
{
	if (thread)
		return look_up(space, key, thread);
	PyObject *address = PyDict_GetItemWithError(space->symbols, key);
	if (address) {
		Py_INCREF(address);
		return address;
	}
	if (PyErr_Occurred())
		return NULL;
	address = look_up(space, key, NULL);
	if (address && PyDict_SetItem(space->symbols, key, address) < 0)
		Py_CLEAR(address);
	return address;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const char *name, ompd_address_t *ret, const char *file_name)
{
	struct space *space = space_of(context);

	if (!space || !name || !ret)
		return ompd_rc_bad_input;
	if (check_context(space) != ompd_rc_ok)
		return ompd_rc_callback_error;
	PyObject *key = Py_BuildValue("(NN)", string_or_none(name), string_or_none(file_name));
	PyObject *address = key ? symbol(space, key, thread) : NULL;
	Py_XDECREF(key);
	if (!address)
		return failed();
	bool known = address != Py_None;
	uint64_t value = known ? PyLong_AsUnsignedLongLong(address) : 0;
	Py_DECREF(address);
	if (PyErr_Occurred())
		return failed();
	*ret = (ompd_address_t){ ompd_segment_none, value };
	return known ? ompd_rc_ok : ompd_rc_unavailable;
}

static ompd_rc_t thread_id_value(ompd_size_t size, const void *id, uint64_t *ret)
{
	uint32_t word;

	switch (size) {
	case sizeof(uint32_t):
		memcpy(&word, id, sizeof(word));
		*ret = word;
		return ompd_rc_ok;
	case sizeof(uint64_t):
		memcpy(ret, id, sizeof(*ret));
		return ompd_rc_ok;
	default:
		return ompd_rc_bad_input;
	}
}

static ompd_rc_t thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				ompd_size_t size, const void *id, ompd_thread_context_t **ret)
{
	struct space *space = space_of(context);
	uint64_t ident;

	if (!space || !id || !ret || thread_id_value(size, id, &ident) != ompd_rc_ok)
		return ompd_rc_bad_input;
	if (check_context(space) != ompd_rc_ok)
		return ompd_rc_callback_error;
	PyObject *number = PyObject_CallMethod(space->services, "thread_context", "KK",
					       (unsigned long long)kind, (unsigned long long)ident);
	if (!number)
		return failed();
	bool known = number != Py_None;
	uint64_t value = known ? PyLong_AsUnsignedLongLong(number) : 0;
	Py_DECREF(number);
	if (!PyErr_Occurred() && known && value == UINT64_MAX)
		PyErr_SetString(PyExc_OverflowError, "thread_context() returned 2**64 - 1");
	if (PyErr_Occurred())
		return failed();
	if (!known)
		return ompd_rc_unavailable;
	*ret = (ompd_thread_context_t *)(uintptr_t)(value + 1);
	return ompd_rc_ok;
}

// ---- Output ----------------------------------------------------------------------------------

static ompd_rc_t print_string(const char *string, int category)
{
	if (!string)
		return ompd_rc_bad_input;
	if (!call.space || !call.space->services)
		return ompd_rc_ok; // nobody to tell
	if (call.interrupted)
		return ompd_rc_callback_error;
	size_t length = strlen(string);
	while (length && string[length - 1] == '\n')
		length--;
	PyObject *text = text_of(string, length);
	if (!text)
		return failed();
	PyObject *result =
		PyObject_CallMethod(call.space->services, "message", "Oi", text, category);
	Py_DECREF(text);
	if (!result)
		return failed();
	Py_DECREF(result);
	return ompd_rc_ok;
}

const ompd_callbacks_t callbacks = {
	.alloc_memory = memory_alloc,
	.free_memory = memory_free,
	.print_string = print_string,
	.sizeof_type = sizeof_type,
	.symbol_addr_lookup = symbol_addr,
	.read_memory = read_memory,
	.write_memory = write_memory,
	.read_string = read_string,
	.device_to_host = copy_units,
	.host_to_device = copy_units,
	.get_thread_context_for_thread_id = thread_context,
};
