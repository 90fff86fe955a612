// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the program of a core file has ended, for Python: GDB does not tell all of it.

#include "core_end.h"

#include <unistd.h>

#include "base/regular_file.h"
#include "target.h"

/** Return what a core file says of its end; None if that was no signal. */
static PyObject *end_of(const struct target_end *end)
{
	if (end->signal <= 0 || !end->thread)
		Py_RETURN_NONE;
	return Py_BuildValue("(iiiOOiiK)", end->signal, (int)end->thread, (int)end->process,
			     Py_True, end->has_info ? Py_True : Py_False, end->info.si_code,
			     (int)end->info.si_pid,
			     (unsigned long long)(uintptr_t)end->info.si_addr);
}

static PyObject *core_end(PyObject *module, PyObject *name)
{
	const struct target_places places = { 0 };
	struct target_error error = { 0 };
	PyObject *path, *result;

	if (!PyUnicode_FSConverter(name, &path))
		return NULL;
	int file = open_regular_file(PyBytes_AsString(path));
	Py_DECREF(path);
	if (file < 0)
		Py_RETURN_NONE;
	struct target *target = target_open_core(file, &places, &error);
	if (target) {
		result = end_of(target_end(target));
		target_close(target);
	} else {
		result = Py_None;
		Py_INCREF(result);
	}
	close(file);
	return result;
}

PyMethodDef core_functions[] = {
	{ "core_end", core_end, METH_O,
	  "core_end(path) -> (signal, LWP, process, True, has info, code, sender, address), or None" },
	{ 0 },
};
