// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ompdbg profile`: what a run did with its time, from a trace.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mapped_files.h"
#include "options.h"
#include "output/profile/view.h"
#include "ranges.h"
#include "report/pages.h"
#include "spool.h"
#include "terminal.h"

enum { EVENTS_AT_ONCE = 1 << 20, PERCENT = 100 };
enum { MOST_FILES = 1 << 12 }; // more are those of a damaged trace

/** All that the command has. */
struct session {
	const struct arguments *arguments;
	struct arena arena; // of the trace
	struct trace *trace;
	struct place place;
	struct looked looked;
	struct profile *profile;
	struct profile_view view;
	struct spool slices; // of --trace
	struct slice_writer writer;
};

// ---- The files of the program ------------------------------------------------------------------

/** A piece of memory, and the module that had it. */
struct piece {
	uint64_t start, end;
	size_t module;
};

/** Check for a file that was loaded once more at its old place. */
static bool is_same(const struct trace_module *a, const struct trace_module *b)
{
	return a->bias == b->bias && strcmp(a->path, b->path) == 0 &&
	       a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/** Find the modules that were where another was, too: code there may be of either. */
static bool *find_shared(struct arena *arena, const struct trace_module *modules, size_t count)
{
	bool *shared = ARENA_ARRAY(arena, bool, count);
	size_t num_pieces = 0, capacity = 0, last = 0;
	struct piece *pieces = NULL;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < modules[i].num_ranges; k++)
			*ARENA_APPEND(arena, pieces, num_pieces, capacity) =
				(struct piece){ modules[i].ranges[k].start,
						modules[i].ranges[k].end, i };
	}
	RANGES_SORT(pieces, num_pieces);
	for (size_t i = 1; i < num_pieces; i++) { // `last` reaches farthest
		if (pieces[i].start < pieces[last].end &&
		    !is_same(&modules[pieces[i].module], &modules[pieces[last].module]))
			shared[pieces[i].module] = shared[pieces[last].module] = true;
		if (pieces[i].end > pieces[last].end)
			last = i;
	}
	return shared;
}

/** Check for a module that is the same as one before it. */
static bool is_listed(const struct trace_module *modules, size_t index)
{
	for (size_t i = index > MOST_FILES ? index - MOST_FILES : 0; i < index; i++) {
		if (is_same(&modules[i], &modules[index]))
			return true;
	}
	return false;
}

/** List the files of which the program had code, where they are on this machine. */
static struct target_loaded *list_files(struct session *session, size_t *ret)
{
	const struct arguments *arguments = session->arguments;
	const char *program = trace_info(session->trace)->program;
	struct arena *arena = &session->arena;
	size_t count, n = 0;
	const struct trace_module *modules = trace_modules(session->trace, &count);
	const bool *shared = find_shared(arena, modules, count);
	struct target_loaded *files = ARENA_ARRAY(arena, struct target_loaded, MOST_FILES);

	for (size_t i = 0; i < count && n < MOST_FILES; i++) {
		const struct trace_module *module = &modules[i];
		bool is_program = strcmp(module->path, program) == 0;

		if (shared[i] || is_listed(modules, i))
			continue;
		files[n] = (struct target_loaded){
			.path = module->path,
			.opened = is_program && arguments->program ?
					  arguments->program :
					  arena_printf(arena, "%s%s",
						       arguments->sysroot ? arguments->sysroot : "",
						       module->path),
			.address = module->bias,
			.is_program = is_program,
		};
		if (module->build_id_size <= TARGET_BUILD_ID_SIZE) {
			files[n].build_id.size = module->build_id_size;
			memcpy(files[n].build_id.bytes, module->build_id, module->build_id_size);
		}
		n++;
	}
	*ret = n;
	return files;
}

/** Open the files, for places: what is missing leaves addresses. */
static bool open_files(struct session *session, struct failure *failure)
{
	struct looked *looked = &session->looked;
	struct target_error error;
	size_t count;
	struct target_loaded *files = list_files(session, &count);

	session->place = (struct place){ .name = session->arguments->target };
	*looked = (struct looked){ .place = &session->place, .core = -1 };
	looked->target = target_open_files(files, count, &error);
	if (!looked->target)
		return fail_with(failure, STATUS_UNREADABLE, "%s", error.text);
	if (!looked_check(looked, target_services_create(looked->target, 0, &looked->services),
			  failure))
		return false;
	note_files(looked);
	looked->constants = constants_create(looked->services);
	return looked_check(looked,
			    process_open(looked->services, looked->constants, NULL, 0, NULL, 0,
					 &looked->process),
			    failure);
}

// ---- Events ------------------------------------------------------------------------------------

static uint64_t find_place(void *context, uint64_t code, uint64_t time)
{
	struct session *session = context;

	return profile_place(&session->view, code, time);
}

static void take_slice(void *context, const struct profile_slice *slice)
{
	struct session *session = context;

	slices_add(&session->writer, slice);
}

/** Show on a terminal how much has been read; the last time, clear that. */
static void show_progress(const struct trace *trace, bool is_last)
{
	uint64_t done, all;

	if (!isatty(STDERR_FILENO))
		return;
	trace_progress(trace, &done, &all);
	if (is_last)
		fprintf(stderr, "\r\033[K");
	else if (all)
		fprintf(stderr, "\rreading: %3" PRIu64 "%%", done * PERCENT / all);
	fflush(stderr);
}

static void read_events(struct session *session)
{
	const struct arguments *arguments = session->arguments;
	const double second = 1e9;
	const struct profile_options options = {
		.task = (uint64_t)arguments->task,
		.from = (uint64_t)(arguments->from * second),
		.to = (uint64_t)(arguments->to * second),
		.place = find_place,
		.slice = arguments->slices ? take_slice : NULL,
		.context = session,
	};
	struct trace_event event = { 0 };
	uint64_t count = 0, end;
	size_t num_threads;
	const struct trace_thread *threads = trace_threads(session->trace, &num_threads);

	session->profile = session->view.profile = profile_create(
		&options, threads, num_threads, trace_info(session->trace)->duration);
	if (arguments->slices)
		slices_begin(&session->writer);
	while (trace_next(session->trace, &event)) {
		profile_add(session->profile, &event);
		if (++count % EVENTS_AT_ONCE == 0)
			show_progress(session->trace, false);
	}
	if (count >= EVENTS_AT_ONCE)
		show_progress(session->trace, true);
	end = trace_info(session->trace)->duration;
	profile_end(session->profile, end > event.time ? end : event.time);
}

// ---- Output ------------------------------------------------------------------------------------

/** Write one output. */
static bool write_one(struct session *session, const char *path, const struct form *form,
		      struct failure *failure)
{
	struct ompdbg_error *error;
	struct spool spool;

	if (!spool_begin(&spool, path, false, failure))
		return false;
	error = form->json ? json_profile(&session->view, &spool.sink) :
			     print_profile(&session->view, form, &spool.sink);
	if (spool_check(&spool, failure) && looked_check(&session->looked, error, failure))
		return spool_end(&spool, failure);
	spool_drop(&spool);
	return false;
}

static bool write_html(struct session *session, const char *path, struct failure *failure)
{
	struct buffer document = { 0 };
	struct sink sink = buffer_sink(&document);
	bool ok = looked_check(&session->looked, json_profile(&session->view, &sink), failure) &&
		  write_page(path, &document, NULL, failure);

	buffer_deinit(&document);
	return ok;
}

static bool write_all_outputs(struct session *session, struct failure *failure)
{
	const struct arguments *arguments = session->arguments;
	const struct form json = { .json = true };
	const struct form file = { .width = 80, .addresses = true };
	struct form form = terminal_form(false, COLOR_AUTO);
	const char *text = arguments->text;

	if (!text && !arguments->html && !arguments->json_file && !arguments->slices)
		text = STANDARD_OUTPUT;
	if (arguments->slices) {
		ompdbg_error_destroy(slices_end(&session->writer));
		if (!spool_check(&session->slices, failure) ||
		    !spool_end(&session->slices, failure))
			return false;
	}
	if (arguments->json_file && !write_one(session, arguments->json_file, &json, failure))
		return false;
	if (arguments->html && !write_html(session, arguments->html, failure))
		return false;
	return !text || write_one(session, text, strcmp(text, STANDARD_OUTPUT) == 0 ? &form : &file,
				  failure);
}

static bool make_profile(struct session *session, struct failure *failure)
{
	const struct arguments *arguments = session->arguments;

	if (!open_files(session, failure))
		return false;
	session->view = (struct profile_view){
		.path = arguments->target,
		.trace = session->trace,
		.process = session->looked.process,
		.notes = session->looked.problems,
		.num_notes = session->looked.num_problems,
		.top = (size_t)arguments->top,
		.full = arguments->full,
		.tree = arguments->tree,
		.task = (uint64_t)arguments->task,
	};
	session->looked.num_problems = 0; // the profile tells them
	if (arguments->slices) {
		if (!spool_begin(&session->slices, arguments->slices, false, failure))
			return false;
		session->writer.view = &session->view;
		session->writer.json.process = session->view.process;
		session->writer.json.sink = &session->slices.sink;
	}
	read_events(session);
	if (arguments->task && !session->profile->task)
		return fail_with(failure, STATUS_UNREADABLE, "%s: no task %" PRId64 " (%s)",
				 arguments->target, arguments->task,
				 session->profile->tasks ? "--tree shows the numbers" :
							   "no explicit task was created");
	return write_all_outputs(session, failure);
}

int run_profile(const struct arguments *arguments, struct failure *failure)
{
	struct session session = { .arguments = arguments };
	struct ompdbg_error *error = trace_open(&session.arena, arguments->target, &session.trace);

	if (error) {
		fail_with(failure, STATUS_UNREADABLE, "%s", error->message);
		ompdbg_error_destroy(error);
		return STATUS_UNREADABLE;
	}
	if (!make_profile(&session, failure))
		spool_drop(&session.slices);
	if (session.profile)
		profile_destroy(session.profile);
	looked_close(&session.looked);
	arena_deinit(&session.looked.arena);
	trace_close(session.trace);
	arena_deinit(&session.arena);
	buffer_deinit(&session.writer.json.buffer);
	return STATUS_FINE;
}
