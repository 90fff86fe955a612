// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report.h"

#include <string.h>

#include "mapped_files.h"
#include "options.h"
#include "output/json/documents.h"
#include "output/text/palette.h"
#include "owner.h"
#include "pages.h"
#include "terminal.h"

// ---- As text -----------------------------------------------------------------------------------

#define SIGNAL NUM_VIEWS // a section that no command has

/** The target of a report and how it is printed. */
struct text {
	struct looked *looked;
	const struct about *about;
	const struct form *form;
	struct sink *sink;
	struct thread **openmp;
	size_t num_openmp;
};

static struct ompdbg_error *print(const struct text *text, const char *line)
{
	return print_line(text->looked->process, line, text->form, text->sink);
}

/** Print the signal, and the stack of the thread that it has reached. */
static struct ompdbg_error *print_signal(const struct text *text)
{
	const struct crash *crash = &text->about->crash;
	struct process *process = text->looked->process;
	struct thread *thread = crash_thread(process, crash);
	struct ompdbg_error *error =
		print_crash(process, crash, text->about->pid, text->form, text->sink);
	const struct view_options options = { .threads = &thread, .num_threads = 1 };

	if (error || !thread)
		return error;
	return print_view(process, VIEW_STACKS, &options, text->form, text->sink);
}

/** Print what a command shows. */
static struct ompdbg_error *print_one(const struct text *text, enum view view)
{
	struct process *process = text->looked->process;
	struct view_options options = {
		.threads = process->threads,
		.num_threads = process->num_targets,
		.last = SHOWN_EVENTS,
	};

	if (view == VIEW_ICVS) {
		options.threads = text->openmp;
		options.num_threads = text->num_openmp;
		if (!text->num_openmp)
			return NULL;
	}
	if (view == VIEW_WHY)
		options.findings = diagnose(process, NULL, &options.num_findings);
	return print_view(process, view, &options, text->form, text->sink);
}

/** Check for a recording, be it one that cannot be read. */
static bool is_recorded(struct process *process)
{
	return process_history(process) || history_problem(process);
}

/** Print what the report is about. */
static struct ompdbg_error *print_head(const struct text *text)
{
	const struct about *about = text->about;
	struct ompdbg_error *error = print(text, about_headline(about));
	struct buffer command = { 0 };

	for (size_t i = 0; i < about->num_words; i++)
		buffer_printf(&command, " %s", about->command[i]);
	if (!error && command.size)
		error = print(text, arena_printf(&text->looked->arena, "Command:%s", command.data));
	buffer_deinit(&command);
	for (size_t i = 0; i < text->looked->num_problems && !error; i++)
		error = print(text, arena_printf(&text->looked->arena, "Warning: %s",
						 text->looked->problems[i]));
	return error;
}

/** Print a section, or why it is missing. Errors are those of the output. */
static struct ompdbg_error *print_section(const struct text *text, const char *title,
					  enum view view, const struct spool *spool)
{
	struct arena *arena = &text->looked->process->arena;
	const struct paper paper = { .arena = arena, .color = text->form->color };
	const char *head =
		arena_printf(arena, "\n%s\n",
			     paint(&paper, STYLE_TITLE, arena_printf(arena, "== %s ==", title)));
	struct ompdbg_error *error = text->sink->write(text->sink->context, head, strlen(head));

	if (!error)
		error = view == SIGNAL ? print_signal(text) : print_one(text, view);
	if (!error || spool->number || ends_command(error))
		return error;
	const char *line = arena_printf(&text->looked->arena, "unavailable: %s", error->message);
	ompdbg_error_destroy(error);
	return print(text, line);
}

/** Check for a section that has something to say; after a crash, a diagnosis without more findings has not. */
static bool is_shown(const struct text *text, enum view view)
{
	const struct about *about = text->about;
	struct process *process = text->looked->process;
	bool has_others = false;
	size_t count;

	if (view == SIGNAL)
		return about->has_crash;
	if (view == VIEW_HISTORY)
		return is_recorded(process);
	if (view != VIEW_WHY || !about->has_crash || !crash_is_own(&about->crash, about->pid))
		return true;
	const struct finding *findings = diagnose(process, NULL, &count);
	for (size_t i = 0; i < count; i++)
		has_others |= findings[i].rule != RULE_SIGNAL;
	return has_others;
}

static struct ompdbg_error *print_report(struct looked *looked, const struct about *about,
					 const struct form *form, struct spool *spool)
{
	static const struct {
		const char *title;
		enum view view;
	} sections[] = {
		{ "Signal", SIGNAL },
		{ "Diagnosis", VIEW_WHY },
		{ "Regions", VIEW_REGIONS },
		{ "Threads", VIEW_THREADS },
		{ "Stacks", VIEW_STACKS },
		{ "Tasks", VIEW_TASKS },
		{ "Locks", VIEW_LOCKS },
		{ "Latest events", VIEW_HISTORY },
		{ "Control variables", VIEW_ICVS },
		{ "Environment", VIEW_ENVIRONMENT },
		{ "Runtime", VIEW_STATUS },
	};
	struct process *process = looked->process;
	struct text text = { looked, about, form, &spool->sink, NULL, 0 };

	text.openmp = ARENA_ARRAY(&looked->arena, struct thread *, process->num_targets);
	for (size_t i = 0; i < process->num_targets; i++) {
		if (process->threads[i]->handle)
			text.openmp[text.num_openmp++] = process->threads[i];
	}
	// What is missing shows when it is asked for.
	for (size_t i = 0; i < process->num_targets; i++)
		thread_location(process->threads[i]);
	note_split(looked);
	struct ompdbg_error *error = print_head(&text);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !error; i++) {
		if (is_shown(&text, sections[i].view))
			error = print_section(&text, sections[i].title, sections[i].view, spool);
	}
	return error;
}

// ---- As JSON -----------------------------------------------------------------------------------

/** Note the worst of what was found. */
static void judge(struct report *report, struct looked *looked, const struct about *about)
{
	struct process *process = looked->process;
	size_t count;
	const struct finding *findings = diagnose(process, NULL, &count);
	const struct finding *worst = worst_finding(findings, count);

	report->is_suspicious = is_suspicious(worst) ||
				(about->has_crash && crash_is_own(&about->crash, about->pid));
	report->severity = worst ? worst->severity : SEVERITY_WAITING;
	buffer_put(&report->verdict, about->has_crash ?
					     crash_text(process, &about->crash, about->pid) :
					     verdict_text(worst));
}

/** Note with whose rights the page's source lines are read. */
static void note_owner(struct report *report, const struct target_owner *owner)
{
	if (!owner)
		return;
	buffer_printf(&report->owner, "%u:%u", owner->user, owner->group);
	for (size_t i = 0; i < owner->num_groups; i++)
		buffer_printf(&report->owner, ",%u", owner->groups[i]);
}

bool report_make(struct report *report, struct looked *looked, const struct report_files *files,
		 const struct crash *crash, const char *cause, const struct form *form,
		 struct failure *failure)
{
	struct sink keeper = buffer_sink(&report->document);
	bool waits = looked->pid != 0;
	struct about about;

	*report = (struct report){ .html = files->html };
	about_find(looked, crash, cause, &about);
	judge(report, looked, &about);
	note_owner(report, target_owner(looked->target));
	if (files->json || files->html) {
		if (!looked_check(looked, json_report(looked->process, json_about, &about, &keeper),
				  failure))
			return false;
	}
	if (files->json && !spool_begin(&report->json, files->json, waits, failure))
		return false;
	if (files->json) {
		const struct buffer *document = &report->document;
		struct sink *sink = &report->json.sink;
		ompdbg_error_destroy(sink->write(sink->context, document->data, document->size));
		if (!spool_check(&report->json, failure))
			return false;
	}
	if (!files->text)
		return true;
	if (!spool_begin(&report->text, files->text, waits, failure))
		return false;
	struct ompdbg_error *error = print_report(looked, &about, form, &report->text);
	return spool_check(&report->text, failure) & looked_check(looked, error, failure);
}

bool report_finish(struct report *report, struct failure *failure)
{
	return spool_end(&report->json, failure) && spool_end(&report->text, failure) &&
	       (!report->html ||
		write_page(report->html, &report->document, report->owner.data, failure));
}

bool report_print_diagnosis(struct looked *looked, const struct crash *crash, const char *cause,
			    const struct form *form, struct sink *sink, struct failure *failure)
{
	struct about about;

	about_find(looked, crash, cause, &about);
	const struct text text = { .looked = looked, .about = &about, .form = form, .sink = sink };
	struct ompdbg_error *error = about.has_crash ? print_signal(&text) : NULL;

	return looked_check(looked, error ? error : print_one(&text, VIEW_WHY), failure);
}

void report_deinit(struct report *report)
{
	spool_drop(&report->json);
	spool_drop(&report->text);
	buffer_deinit(&report->document);
	buffer_deinit(&report->owner);
	buffer_deinit(&report->verdict);
}

int run_report(const struct arguments *arguments, struct failure *failure)
{
	const struct place place = {
		.name = arguments->target,
		.is_kept = arguments->coredump,
		.program = arguments->program,
		.sysroot = arguments->sysroot,
	};
	struct report_files files = { arguments->text, arguments->html, arguments->json_file };
	struct form form = { .width = FILE_WIDTH, .addresses = true };
	struct looked looked;
	struct report report;

	if (!files.text && !files.html && !files.json)
		files.text = STANDARD_OUTPUT;
	if (files.text && strcmp(files.text, STANDARD_OUTPUT) == 0)
		form = terminal_form(false, COLOR_AUTO);
	if (!look_at(&place, &looked, failure))
		return failure->status;
	bool ok = report_make(&report, &looked, &files, NULL, NULL, &form, failure);
	looked_close(&looked);
	looked_warn(&looked, failure);
	if (ok)
		report_finish(&report, failure);
	report_deinit(&report);
	return report.is_suspicious ? STATUS_FOUND : STATUS_FINE;
}
