// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ompdbg run`: a test command that leaves a report if it hangs or crashes.

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "ranks.h"
#include "recording.h"
#include "report/pages.h"
#include "report/report.h"
#include "supervisor.h"
#include "terminal.h"

enum { LONGEST_PROGRAM = 160 }; // of a name in that of a report, which may have 255 bytes

/** The reports of one run. */
struct reporter {
	const char *folder;
	bool prints;
	char **written;
	size_t num_written;
};

/** Replace what is awkward in a file's name. */
static char *safe(char *name)
{
	for (char *at = name; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("._+-", *at))
			*at = '_';
	}
	return name;
}

/** Write the rank of this process; "" if it is none: several write into one folder, and to one
 *  terminal. */
static const char *rank_text(char text[64])
{
	struct rank rank = own_rank();

	snprintf(text, 64, "%s", rank.variable ? rank.value : "");
	return safe(text);
}

static void say_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say_line(const char *format, ...)
{
	va_list arguments;
	char rank[64], *text;

	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	rank_text(rank);
	say("ompdbg run: %s%s%s%s", *rank ? "rank " : "", rank, *rank ? ": " : "", text);
	free(text);
}

// ---- One report --------------------------------------------------------------------------------

static bool make_folders(const char *path)
{
	char *copy = strdup(path);
	struct stat status;

	for (char *at = copy + 1; copy && *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(copy, 0777);
		*at = '/';
	}
	free(copy);
	if (mkdir(path, 0777) == 0)
		return true;
	return errno == EEXIST && stat(path, &status) == 0 &&
	       (S_ISDIR(status.st_mode) || (errno = ENOTDIR, false));
}

/** Write a report of an open target to files that begin with @p path. */
static bool write_report(struct looked *looked, const struct question *question, const char *path,
			 const char *name, struct answer *answer, struct failure *failure)
{
	struct arena *arena = &looked->arena;
	const struct form form = { .width = FILE_WIDTH, .addresses = true };
	const char *page = arena_printf(arena, "%s.html", path);
	const struct report_files files = {
		.text = arena_printf(arena, "%s.txt", path),
		// Written also where there is no Python; the page is made of it.
		.html = page,
		.json = arena_printf(arena, "%s.json", path),
	};
	struct failure no_page = { 0 };
	struct report report;

	bool ok = report_make(&report, looked, &files, question->crash, question->reason, &form,
			      failure);
	report.html = NULL;
	ok = ok && report_finish(&report, failure);
	if (ok) {
		answer->severity = (int)report.severity;
		snprintf(answer->written, sizeof(answer->written), "%s", files.json);
		if (!((const struct reporter *)question->context)->prints)
			answer_line(answer, "%s: %s", name, report.verdict.data);
		if (write_page(page, &report.document, report.owner.data, &no_page)) {
			answer_line(answer, "report: %s", page);
		} else {
			answer_line(answer, "no page: %s", no_page.reason.data);
			answer_line(answer, "report: %s", files.text);
		}
	}
	failure_deinit(&no_page);
	report_deinit(&report);
	return ok;
}

/** Print the diagnosis, in lines of this command. */
static void print_diagnosis(struct looked *looked, const struct question *question,
			    const char *name)
{
	const struct form form = { .width = FILE_WIDTH, .addresses = true };
	struct failure failure = { 0 };
	struct buffer text = { 0 };
	struct sink sink = buffer_sink(&text);
	char *rest = NULL;

	report_print_diagnosis(looked, question->crash, question->reason, &form, &sink, &failure);
	say_line("%s:", name);
	for (char *line = text.size ? strtok_r(text.data, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		say_line("  %s", line);
	failure_deinit(&failure);
	buffer_deinit(&text);
}

/** Find out only how bad it is. */
static void ask(struct looked *looked, struct answer *answer)
{
	size_t count;
	const struct finding *findings = diagnose(looked->process, NULL, &count);
	const struct finding *worst = worst_finding(findings, count);

	answer->severity = worst ? (int)worst->severity : SEVERITY_WAITING;
}

/** Look at a process that is stopped, in a process of its own. */
static void look_at_halted(void *context, struct answer *answer)
{
	const struct question *question = context;
	const struct reporter *reporter = question->context;
	struct failure failure = { 0 };
	char number[32], rank[64], program[PROGRAM_NAME], *name, *path;
	pid_t pid = question->halted->pid;
	struct looked looked;

	rank_text(rank);
	snprintf(number, sizeof(number), "%d", (int)pid);
	if (asprintf(&name, "%.*s%s%s-%d", LONGEST_PROGRAM,
		     safe((char *)program_name(pid, program)), *rank ? "-rank" : "", rank,
		     (int)pid) < 0 ||
	    asprintf(&path, "%s/%s", reporter->folder, name) < 0)
		out_of_memory();
	const struct place place = { .name = number, .halted = question->halted };
	if (look_at(&place, &looked, &failure)) {
		if (!question->reason)
			ask(&looked, answer);
		else if (!make_folders(reporter->folder))
			answer_line(answer, "%s: %s", reporter->folder, strerror(errno));
		else if (write_report(&looked, question, path, name, answer, &failure) &&
			 reporter->prints)
			print_diagnosis(&looked, question, name);
		looked_close(&looked);
	}
	// A program without OpenMP is of no interest.
	if (failure.status && failure.status != STATUS_NO_OPENMP)
		answer_line(answer, "%s: %s", name, failure.reason.data);
	failure_deinit(&failure);
	free(name);
	free(path);
}

static void take(void *context, const struct answer *answer)
{
	struct reporter *reporter = context;

	if (!*answer->written)
		return;
	reporter->written = reallocarray(reporter->written, reporter->num_written + 1,
					 sizeof(*reporter->written));
	char *copy = strdup(answer->written);
	if (!reporter->written || !copy)
		out_of_memory();
	reporter->written[reporter->num_written++] = copy;
}

static void clear(void *context, pid_t writer)
{
	const struct reporter *reporter = context;
	DIR *folder = opendir(reporter->folder);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		if (is_scratch(entry->d_name, (int)writer))
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	if (folder)
		closedir(folder);
}

// ---- All reports -------------------------------------------------------------------------------

static bool has_several(void *context)
{
	const struct reporter *reporter = context;

	return reporter->num_written > 1;
}

/** Make one picture of all. */
static void merge_all(void *context, struct answer *answer)
{
	const struct reporter *reporter = context;
	struct failure failure = { 0 };
	char *path;

	if (asprintf(&path, "%s/all.html", reporter->folder) < 0)
		out_of_memory();
	int status =
		merge_reports(NULL, path, NULL, reporter->written, reporter->num_written, &failure);
	if (failure.status)
		answer_line(answer, "%s", failure.reason.data);
	else if (status <= STATUS_UNREADABLE)
		answer_line(answer, "all of them: %s", path);
	failure_deinit(&failure);
	free(path);
}

int run_run(const struct arguments *arguments, struct failure *failure)
{
	struct reporter reporter = { .folder = arguments->folder, .prints = arguments->print };
	const struct reports reports = {
		.context = &reporter,
		.say = say_line,
		.look = look_at_halted,
		.take = take,
		.clear = clear,
		.finish = merge_all,
		.has_to_finish = has_several,
	};
	struct arena arena = { 0 };
	struct recording recording;
	const char *why = NULL;
	bool records = !arguments->no_record && recording_find(&arena, &recording, &why);
	const struct plan plan = {
		.command = arguments->words,
		.recording = records ? &recording : NULL,
		.timeout = arguments->timeout,
		.report_seconds = arguments->report_timeout,
		.on_hang = arguments->on_hang,
		.on_term = arguments->on_term,
		.traces = !arguments->no_trace,
		.with_core = arguments->core,
	};

	(void)failure;
	if (records)
		why = recording_obstacle(&arena, arguments->words[0]);
	if (why)
		say_line("%s.", why);
	return supervise(&plan, &reports);
}
