// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads and their registers.

#include "services.h"

#include <string.h>

#include "place.h"
#include "target.h"

static uint32_t bit(size_t number)
{
	return UINT32_C(1) << number;
}

// ---- Threads -----------------------------------------------------------------------------------

/** Properties of the whole list. */
struct told {
	const char *prefix; // of their labels
	int selected;	    // global number; 0: none
	int may_run;
};

static bool number_of(PyObject *thread, const char *name, int *ret)
{
	PyObject *number = PyObject_GetAttrString(thread, name);

	*ret = number ? (int)PyLong_AsLong(number) : -1;
	Py_XDECREF(number);
	return !PyErr_Occurred();
}

static bool take_lwp(PyObject *thread, int64_t *ret)
{
	PyObject *ids = PyObject_GetAttrString(thread, "ptid");
	long process, lwp, system;
	bool is_taken = ids && PyArg_ParseTuple(ids, "lll", &process, &lwp, &system);

	Py_XDECREF(ids);
	if (is_taken)
		*ret = lwp ? lwp : process;
	return is_taken;
}

/** Note the properties of a thread. */
static bool take_thread(struct gdb_services *services, const struct told *told, PyObject *thread,
			struct ompdbg_target_thread *ret)
{
	int global;

	*ret = (struct ompdbg_target_thread){ .name = "" };
	if (!number_of(thread, "num", &ret->number) || !number_of(thread, "global_num", &global) ||
	    !take_lwp(thread, &ret->lwp))
		return false;
	ret->label = arena_printf(&services->stop, "%s%d", told->prefix, ret->number);
	ret->selected = global == told->selected;
	if (told->may_run) {
		PyObject *runs = PyObject_CallMethod(thread, "is_running", NULL);

		ret->running = runs == Py_True;
		Py_XDECREF(runs);
		return runs != NULL;
	}
	return true;
}

static struct ompdbg_error *list_threads(struct gdb_services *services)
{
	PyObject *answer = ASK(services, "threads", NULL), *all;
	struct told told;
	bool is_taken = answer && PyArg_ParseTuple(answer, "sipO!", &told.prefix, &told.selected,
						   &told.may_run, &PyList_Type, &all);
	Py_ssize_t count = is_taken ? PyList_Size(all) : 0;

	services->threads =
		ARENA_ARRAY(&services->stop, struct ompdbg_target_thread, (size_t)count);
	for (Py_ssize_t i = 0; is_taken && i < count; i++)
		is_taken =
			take_thread(services, &told, PyList_GetItem(all, i), &services->threads[i]);
	struct ompdbg_error *error = is_taken ? NULL : ask_failed(services);
	Py_XDECREF(answer);
	if (error)
		return error;
	services->num_threads = (size_t)count;
	services->has_threads = true;
	services->has_names = false;
	return NULL;
}

struct ompdbg_error *gdb_threads(void *context, const struct ompdbg_target_thread **ret,
				 size_t *count)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	if (!error && !services->has_threads)
		error = list_threads(services);
	*ret = services->threads;
	*count = error ? 0 : services->num_threads;
	return error;
}

struct ompdbg_error *gdb_services_select(struct gdb_services *services)
{
	uint64_t selected = 0;

	if (!services->has_threads)
		return NULL;
	struct ompdbg_error *error =
		ask_number(services, ASK(services, "selected", NULL), &selected);
	for (size_t i = 0; i < services->num_threads; i++)
		services->threads[i].selected = (uint64_t)services->threads[i].number == selected;
	return error;
}

struct ompdbg_error *gdb_services_name(struct gdb_services *services)
{
	struct ompdbg_error *error = ask_allowed(services);

	for (size_t i = 0; !error && !services->has_names && i < services->num_threads; i++) {
		struct ompdbg_target_thread *thread = &services->threads[i];

		error = ask_text(services, ASK(services, "thread_name", "i", thread->number),
				 &thread->name);
	}
	services->has_names = !error;
	return error;
}

/** Find the thread with a number. NULL: there is none. */
static const struct ompdbg_target_thread *thread_numbered(const struct gdb_services *services,
							  int number)
{
	for (size_t i = 0; services->has_threads && i < services->num_threads; i++) {
		if (services->threads[i].number == number)
			return &services->threads[i];
	}
	return NULL;
}

// ---- Registers ---------------------------------------------------------------------------------

const struct user_regs_struct *thread_registers(struct gdb_services *services, int thread)
{
	struct user_regs_struct *known = table_get(&services->registers, (uint64_t)thread);
	const struct ompdbg_target_thread *target;
	struct user_regs_struct registers;

	if (known)
		return known;
	target = thread_numbered(services, thread);
	if (!target || target->running || !direct_process(services) ||
	    !place_registers((pid_t)target->lwp, &registers))
		return NULL;
	known = ARENA_NEW(&services->stop, struct user_regs_struct);
	*known = registers;
	*table_put(&services->registers, &services->stop, (uint64_t)thread) = known;
	return known;
}

static bool read_registers(struct gdb_services *services, int thread, struct ompdbg_registers *ret)
{
	const struct user_regs_struct *registers = thread_registers(services, thread);

	if (!registers)
		return false;
	for (size_t i = 0; i < OMPDBG_NUM_REGISTERS; i++)
		memcpy(&ret->values[i], (const uint64_t *)registers + target_register_places[i],
		       sizeof(ret->values[i]));
	return true;
}

/** Ask GDB for one register, which the answer may lack. */
static struct ompdbg_error *ask_register(struct gdb_services *services, int thread, size_t number,
					 struct ompdbg_registers *ret)
{
	PyObject *value = number == OMPDBG_THREAD_POINTER ? ASK(services, "pthread", "i", thread) :
							    ASK(services, "register", "is", thread,
								target_register_names[number]);
	struct ompdbg_error *error = ask_number(services, value, &ret->values[number]);

	if (!error)
		ret->known |= bit(number);
	return error == &ompdbg_error_absent ? NULL : error;
}

struct ompdbg_error *gdb_registers(void *context, int thread, uint32_t wanted,
				   struct ompdbg_registers *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	*ret = (struct ompdbg_registers){ 0 };
	if (!error && read_registers(services, thread, ret)) {
		ret->known = wanted;
		return NULL;
	}
	for (size_t i = 0; i < OMPDBG_NUM_REGISTERS && !error; i++) {
		if (wanted & bit(i))
			error = ask_register(services, thread, i, ret);
	}
	return error;
}

struct ompdbg_error *gdb_stop_time(void *context, uint64_t *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	return error ? error : ask_number(services, ASK(services, "stop_time", NULL), ret);
}
