// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "about.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/objects.h"
#include "mapped_files.h"

static const char *written(struct arena *arena, time_t seconds)
{
	struct tm parts;
	char text[32];

	if (!gmtime_r(&seconds, &parts) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts))
		return NULL;
	return arena_strdup(arena, text);
}

static const char *variable_of(void *context, const char *name)
{
	struct looked *looked = context;
	const char *value = NULL;
	struct ompdbg_error *error =
		space_environment(looked->runtimes.spaces[0], name, &looked->arena, &value);

	ompdbg_error_destroy(error);
	return error ? NULL : value;
}

// ---- A process ---------------------------------------------------------------------------------

/** Read the words of the command line. */
static void read_command(struct about *about, pid_t pid)
{
	struct arena *arena = &about->looked->arena;
	struct buffer text = { 0 };
	const char **words = NULL;
	size_t capacity = 0;
	char path[64], block[4096];
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return;
	while ((got = read(file, block, sizeof(block))) > 0)
		buffer_put_bytes(&text, block, (size_t)got);
	close(file);
	for (size_t at = 0; at < text.size; at += strlen(text.data + at) + 1)
		*ARENA_APPEND(arena, words, about->num_words, capacity) =
			arena_strdup(arena, text.data + at);
	about->command = words;
	buffer_deinit(&text);
}

static void find_process(struct about *about, const struct crash *crash)
{
	struct looked *looked = about->looked;
	const struct process *process = looked->process;
	struct utsname machine;

	about->name = arena_printf(&looked->arena, "%d", (int)looked->pid);
	about->pid = looked->pid;
	// The first thread of the process may have ended before the others.
	read_command(about, process->num_targets ? (pid_t)process->targets[0].lwp : looked->pid);
	if (uname(&machine) == 0)
		about->host = arena_strdup(&looked->arena, machine.nodename);
	about->taken = written(&looked->arena, time(NULL));
	about->has_crash = crash != NULL;
	if (crash) {
		about->crash = *crash;
		crash_mark(looked->process, crash, looked->pid);
	}
}

// ---- A core file -------------------------------------------------------------------------------

static void find_core(struct about *about)
{
	struct looked *looked = about->looked;
	const struct target_end *end = target_end(looked->target);
	struct stat status;

	about->name = place_name(looked->place);
	about->pid = end->process;
	about->signal = end->signal < 0	 ? NULL :
			end->signal == 0 ? "" :
					   signal_name(&looked->arena, end->signal);
	about->has_crash = looked_crash(looked, &about->crash);
	if (!looked->place->is_kept && stat(looked->place->name, &status) == 0)
		about->taken = written(&looked->arena, status.st_mtime);
}

void about_find(struct looked *looked, const struct crash *crash, const char *cause,
		struct about *ret)
{
	const char *program = looked->services->program(looked->services->context);

	*ret = (struct about){ .looked = looked, .cause = cause };
	ret->program = *program ? program : NULL;
	ret->rank = find_rank(variable_of, looked);
	if (looked->pid)
		find_process(ret, crash);
	else
		find_core(ret);
}

// ---- As JSON and text --------------------------------------------------------------------------

void json_about(void *context, struct json *json, const char *const *problems, size_t count)
{
	const struct about *about = context;
	struct looked *looked = about->looked;

	json_begin_object(json);
	json_member_string(json, "kind", looked->pid ? "process" : "core");
	json_member_string(json, "name", about->name);
	json_member_known_int(json, "pid", about->pid ? about->pid : NOT_KNOWN);
	json_member_string(json, "program", about->program);
	json_key(json, "command");
	if (about->num_words) {
		json_begin_array(json);
		for (size_t i = 0; i < about->num_words; i++)
			json_string(json, about->command[i]);
		json_end_array(json);
	} else {
		json_null(json);
	}
	json_member_string(json, "host", about->host);
	if (json_member_optional(json, "rank", about->rank.variable)) {
		json_member_string(json, "variable", about->rank.variable);
		json_member_string(json, "value", about->rank.value);
		json_member_known_int(json, "of", about->rank.of);
		json_end_object(json);
	}
	json_member_string(json, "signal", about->signal);
	json_key(json, "crash");
	if (about->has_crash)
		json_crash(json, looked->process, &about->crash, about->pid);
	else
		json_null(json);
	json_member_string(json, "taken", about->taken);
	json_member_string(json, "cause", about->cause);
	note_split(looked);
	json_member_array(json, "problems");
	for (size_t i = 0; i < looked->num_problems; i++)
		json_string(json, looked->problems[i]);
	for (size_t i = 0; i < count; i++)
		json_string(json, problems[i]);
	json_end_array(json);
	json_end_object(json);
}

const char *about_headline(const struct about *about)
{
	struct arena *arena = &about->looked->arena;
	struct buffer text = { 0 };

	buffer_put(&text, about->program ? base_name(about->program) : "OpenMP program");
	if (about->rank.variable)
		buffer_printf(&text, ", rank %s", about->rank.value);
	buffer_printf(&text, ", %s %s", about->looked->pid ? "process" : "core file", about->name);
	if (about->host && *about->host)
		buffer_printf(&text, " on %s", about->host);
	if (about->signal && *about->signal)
		buffer_printf(&text, ", ended by %s", about->signal);
	if (about->cause)
		buffer_printf(&text, ", %s", about->cause);
	if (about->taken)
		buffer_printf(&text, ", %s", about->taken);
	const char *copy = arena_strdup(arena, text.data);
	buffer_deinit(&text);
	return copy;
}
