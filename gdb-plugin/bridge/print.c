// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What commands print: libompdbg's views, with the options of GDB's commands.

#include "process.h"

#include <string.h>

#include "base/buffer.h"
#include "diagnose/choice.h"
#include "output/crash.h"
#include "output/output.h"
#include "output/text/palette.h"

enum { FLUSH = 1 << 14, ALL_LEVELS = NOT_KNOWN };

// ---- Where text goes ---------------------------------------------------------------------------

struct outlet {
	struct gdb_services *services;
	PyObject *write;
	struct buffer pending;
	bool is_json;
};

/** Keep the exception that ended the answer. */
static struct ompdbg_error *ended(struct gdb_services *services)
{
	PyObject **failure = services->failure;

	if (failure[0])
		PyErr_Clear();
	else
		PyErr_Fetch(&failure[0], &failure[1], &failure[2]);
	return &ompdbg_error_interrupted;
}

/** Give what is pending to Python: text is in the locale's encoding, JSON in ASCII. */
static struct ompdbg_error *flush(struct outlet *outlet)
{
	if (!outlet->pending.size)
		return NULL;
	PyObject *text = PyUnicode_DecodeLocaleAndSize(
		outlet->pending.data, (Py_ssize_t)outlet->pending.size, "surrogateescape");
	PyObject *done = text ? PyObject_CallFunctionObjArgs(outlet->write, text, NULL) : NULL;
	struct ompdbg_error *error = done ? NULL : ended(outlet->services);

	Py_XDECREF(done);
	Py_XDECREF(text);
	buffer_clear(&outlet->pending);
	return error;
}

static struct ompdbg_error *put(void *context, const char *text, size_t size)
{
	struct outlet *outlet = context;

	buffer_put_bytes(&outlet->pending, text, size);
	bool is_whole = outlet->is_json || !size || text[size - 1] == '\n';
	return outlet->pending.size >= FLUSH && is_whole ? flush(outlet) : NULL;
}

// ---- Options -----------------------------------------------------------------------------------

struct options {
	const char *view, *scope, *expression;
	struct choice choice; // of threads
	PyObject *write, *numbers, *palette, *signal;
	int json, addresses, queued, by_function, raw, full, all;
	int level, thread, format, form;
	Py_ssize_t width, limit, last, number;
};

static bool parse(PyObject *args, PyObject *kwargs, struct options *ret)
{
	static char *names[] = { "view",       "write",	  "json",   "width",	   "palette",
				 "addresses",  "numbers", "queued", "by_function", "raw",
				 "full",       "limit",	  "scope",  "all",	   "level",
				 "thread",     "state",	  "team",   "signal",	   "last",
				 "expression", "format",  "form",   "number",	   NULL };

	*ret = (struct options){ .level = ALL_LEVELS };
	return PyArg_ParseTupleAndKeywords(
		args, kwargs, "sO|$pnOpOppppnzpiizzOnzCin:print", names, &ret->view, &ret->write,
		&ret->json, &ret->width, &ret->palette, &ret->addresses, &ret->numbers,
		&ret->queued, &ret->by_function, &ret->raw, &ret->full, &ret->limit, &ret->scope,
		&ret->all, &ret->level, &ret->thread, &ret->choice.state, &ret->choice.team,
		&ret->signal, &ret->last, &ret->expression, &ret->format, &ret->form, &ret->number);
}

/** Take the sequences that begin each style. @return false with an exception. */
static bool take_palette(struct arena *arena, PyObject *palette, const char **begins)
{
	Py_ssize_t count = PySequence_Size(palette);

	if (count != NUM_STYLES) {
		if (count >= 0)
			PyErr_SetString(PyExc_ValueError,
					"print() needs a sequence for each style");
		return false;
	}
	for (Py_ssize_t i = 0; i < count; i++) {
		PyObject *item = PySequence_GetItem(palette, i);
		PyObject *bytes = item ? PyUnicode_AsASCIIString(item) : NULL;

		begins[i] = bytes ? arena_strdup(arena, PyBytes_AsString(bytes)) : NULL;
		Py_XDECREF(bytes);
		Py_XDECREF(item);
		if (!begins[i])
			return false;
	}
	return true;
}

// ---- The signal at which the program has stopped -----------------------------------------------

struct signal {
	struct crash crash;
	pid_t pid;
	bool is_core, has_ended; // of what it has ended, or is about to
};

/** Take a Signal of python/ompdbg/inferior/signals.py. @return false with an exception. */
static bool take_signal(PyObject *signal, struct signal *ret)
{
	int number, lwp, pid, is_core, has_info, code, sender;
	unsigned long long address;

	if (!PyArg_ParseTuple(signal, "iiippiiK", &number, &lwp, &pid, &is_core, &has_info, &code,
			      &sender, &address))
		return false;
	*ret = (struct signal){ { number, lwp, has_info, { 0 } }, pid, is_core, true };
	ret->crash.info.si_code = code;
	if (code > 0)
		ret->crash.info.si_addr =
			(void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
	else
		ret->crash.info.si_pid = sender;
	return true;
}

// ---- Threads -----------------------------------------------------------------------------------

struct chosen {
	struct thread **threads;
	size_t count;
};

/** Take the threads with the numbers that were given, or all. @return false with an exception. */
static bool take_threads(struct process *process, PyObject *numbers, struct chosen *ret)
{
	bool has_numbers = numbers && numbers != Py_None;
	Py_ssize_t count = has_numbers ? PySequence_Size(numbers) :
					 (Py_ssize_t)process->num_targets;

	if (count < 0)
		return false;
	*ret = (struct chosen){ ARENA_ARRAY(&process->arena, struct thread *, (size_t)count), 0 };
	for (Py_ssize_t i = 0; i < count; i++) {
		struct thread *thread = process->threads[has_numbers ? 0 : i];

		if (has_numbers) {
			PyObject *item = PySequence_GetItem(numbers, i);
			long number = item ? PyLong_AsLong(item) : -1;

			Py_XDECREF(item);
			if (PyErr_Occurred())
				return false;
			thread = process_thread(process, (int)number);
			if (!thread) {
				PyErr_Format(bridge_error, "no thread %ld", number);
				return false;
			}
		}
		ret->threads[ret->count++] = thread;
	}
	return true;
}

// ---- Views -------------------------------------------------------------------------------------

/** A view that is being printed. */
struct viewed {
	struct process *process;
	const struct options *options;
	struct chosen chosen;
	struct signal signal;
	const struct form *form;
	struct sink *sink;
};

/** Choose the threads of a view: for an expression those of the user's team, unless others are meant. */
static struct ompdbg_error *choose_threads(struct viewed *viewed, bool is_expression)
{
	struct choice choice = viewed->options->choice;
	const struct chosen all = viewed->chosen;

	choice.only_openmp = is_expression;
	if (is_expression && !choice.team && !viewed->options->all)
		choice.team = current_team(viewed->process);
	struct ompdbg_error *error = choose(viewed->process, &choice, all.threads, all.count,
					    &viewed->chosen.threads, &viewed->chosen.count);
	if (!error && is_expression && !viewed->chosen.count)
		error = ompdbg_error_create(OMPDBG_BAD_INPUT, "%s", none_chosen(viewed->process));
	return error;
}

static struct ompdbg_error *show(struct viewed *viewed, enum view view, enum inquiry_kind inquiry)
{
	const struct options *options = viewed->options;
	const struct signal *signal = &viewed->signal;
	struct process *process = viewed->process;
	struct ompdbg_error *error = NULL;
	struct values values;

	if (view == VIEW_THREADS || view == VIEW_VALUES)
		error = choose_threads(viewed, view == VIEW_VALUES);
	if (error)
		return error;
	struct view_options shown = {
		.threads = viewed->chosen.threads,
		.num_threads = viewed->chosen.count,
		.thread = options->thread ? process_thread(process, options->thread) : NULL,
		.queued = options->queued,
		.raw = options->raw,
		.full = options->full,
		.form = (enum bt_form)options->form,
		.limit = (size_t)options->limit,
		.number = (uint64_t)options->number,
		.scope = options->scope,
		.all = options->all,
		.last = (size_t)options->last,
		.inquiry = inquiry,
		.level = options->level,
		.values = &values,
	};
	if (view == VIEW_FRAME && !shown.thread)
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "no thread %d", options->thread);
	if (view == VIEW_VALUES)
		error = values_evaluate(process, shown.threads, shown.num_threads,
					options->expression, (char)options->format, &values);
	if (view == VIEW_WHY) {
		shown.findings = diagnose(process, shown.thread, &shown.num_findings);
		if (signal->has_ended && !options->thread && !viewed->form->json)
			error = print_crash(process, &signal->crash, signal->pid, viewed->form,
					    viewed->sink);
	}
	if (view == VIEW_TASKS && options->by_function)
		view = VIEW_TASK_COUNTS;
	return error ? error : print_view(process, view, &shown, viewed->form, viewed->sink);
}

static struct ompdbg_error *show_named(struct viewed *viewed, struct outlet *outlet)
{
	static const struct {
		const char *name;
		enum view view;
		enum inquiry_kind inquiry;
	} views[] = {
		{ "threads", VIEW_THREADS, 0 },
		{ "tasks", VIEW_TASKS, 0 },
		{ "task", VIEW_TASK, 0 },
		{ "stacks", VIEW_STACKS, 0 },
		{ "frame", VIEW_FRAME, 0 },
		{ "values", VIEW_VALUES, 0 },
		{ "regions", VIEW_REGIONS, 0 },
		{ "locks", VIEW_LOCKS, 0 },
		{ "why", VIEW_WHY, 0 },
		{ "history", VIEW_HISTORY, 0 },
		{ "status", VIEW_STATUS, 0 },
		{ "icvs", VIEW_ICVS, 0 },
		{ "environment", VIEW_ENVIRONMENT, 0 },
		{ "thread-info", VIEW_INQUIRIES, INQUIRY_THREAD },
		{ "task-info", VIEW_INQUIRIES, INQUIRY_TASK },
		{ "parallel-info", VIEW_INQUIRIES, INQUIRY_PARALLEL },
	};

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		if (strcmp(views[i].name, viewed->options->view) != 0)
			continue;
		struct ompdbg_error *error = show(viewed, views[i].view, views[i].inquiry);

		return error ? error : flush(outlet);
	}
	return ompdbg_error_create(OMPDBG_BAD_INPUT, "no view %s", viewed->options->view);
}

/** Print a view of a program that is being looked at. Exceptions of options are kept as failures. */
static struct ompdbg_error *answer(struct process_object *self, const struct options *options)
{
	bool has_palette = options->palette && options->palette != Py_None;
	bool has_signal = options->signal && options->signal != Py_None;
	struct outlet outlet = { &self->services, options->write, { 0 }, options->json };
	struct sink sink = { put, &outlet };
	const char *begins[NUM_STYLES];
	struct form form = {
		.json = options->json,
		.width = (size_t)options->width,
		.color = has_palette,
		.palette = has_palette ? begins : NULL,
		.addresses = options->addresses,
	};
	struct viewed viewed = {
		.process = self->process, .options = options, .form = &form, .sink = &sink
	};

	if ((has_palette && !take_palette(&self->process->arena, options->palette, begins)) ||
	    (has_signal && !take_signal(options->signal, &viewed.signal)) ||
	    !take_threads(self->process, options->numbers, &viewed.chosen))
		return ended(&self->services);
	struct signal *signal = &viewed.signal;
	signal->has_ended = has_signal &&
			    (!signal->is_core || crash_ended_core(self->process, &signal->crash));
	if (signal->has_ended)
		crash_mark(self->process, &signal->crash, signal->pid);
	// Few views show names.
	struct ompdbg_error *error = options->json ? gdb_services_name(&self->services) : NULL;
	if (!error)
		error = show_named(&viewed, &outlet);
	buffer_deinit(&outlet.pending);
	return error;
}

PyObject *process_print(PyObject *object, PyObject *args, PyObject *kwargs)
{
	struct process_object *self = (struct process_object *)object;
	struct options options;

	if (!parse(args, kwargs, &options) || !process_look(self) ||
	    !process_done(self, answer(self, &options)))
		return NULL;
	Py_RETURN_NONE;
}
