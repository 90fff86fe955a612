// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each command prints: a JSON document, or lines.

#include "output/json/documents.h"
#include "output/text/text.h"

/** Write lines that were made with or without an error. */
static struct ompdbg_error *finish(struct text *text, struct sink *sink, struct ompdbg_error *error)
{
	if (!error && process_is_interrupted(text->process))
		error = &ompdbg_error_interrupted;
	return error ? error : text_write(text, sink);
}

struct ompdbg_error *print_line(struct process *process, const char *line, const struct form *form,
				struct sink *sink)
{
	struct text text;

	text_init(&text, process, form);
	text_wrap(&text, line);
	return text_write(&text, sink);
}

struct ompdbg_error *print_threads(struct process *process, const struct threads_options *options,
				   const struct form *form, struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_threads(process, options, sink);
	text_init(&text, process, form);
	text_threads(&text, options);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_tasks(struct process *process, bool queued, const struct form *form,
				 struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_tasks(process, queued, sink);
	text_init(&text, process, form);
	return finish(&text, sink, text_tasks(&text, queued));
}

struct ompdbg_error *print_task(struct process *process, uint64_t number, const struct form *form,
				struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_one_task(process, number, sink);
	text_init(&text, process, form);
	return finish(&text, sink, text_task(&text, number));
}

struct ompdbg_error *print_tasks_by_function(struct process *process, const struct form *form,
					     struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_tasks_by_function(process, sink);
	text_init(&text, process, form);
	return finish(&text, sink, text_tasks_by_function(&text));
}

struct ompdbg_error *print_stacks(struct process *process, const struct bt_options *options,
				  const struct form *form, struct sink *sink)
{
	struct text text;

	if (form->json)
		return print_stacks_json(process, options, sink);
	text_init(&text, process, form);
	if (is_shown_as_tree(options))
		text_tree(&text, options);
	else
		text_stacks(&text, options, form);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_frame(struct process *process, struct thread *thread, int level,
				 const struct form *form, struct sink *sink)
{
	struct text text;

	text_init(&text, process, form);
	text_frame(&text, thread, level, form);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_values(struct process *process, const struct values *values,
				  const struct form *form, struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_values(process, values, sink);
	text_init(&text, process, form);
	text_values(&text, values);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_regions(struct process *process, const struct form *form,
				   struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_regions(process, sink);
	text_init(&text, process, form);
	text_regions(&text);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_locks(struct process *process, const struct form *form,
				 struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_locks(process, sink);
	text_init(&text, process, form);
	text_locks(&text);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_why(struct process *process, struct thread *thread,
			       const struct form *form, struct sink *sink, bool *suspicious)
{
	struct text text;
	size_t count;
	const struct finding *findings = diagnose(process, thread, &count);

	if (suspicious)
		*suspicious = is_suspicious(findings, count);
	if (form->json)
		return json_why(process, findings, count, sink);
	text_init(&text, process, form);
	text_why(&text, thread, findings, count);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_history(struct process *process, const struct history_options *options,
				   const struct form *form, struct sink *sink)
{
	struct history *history = process_history(process);
	const char *problem = history_problem(process);
	struct text text;

	if (problem)
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "cannot read the recording: %s",
					   problem);
	if (!history)
		return ompdbg_error_create(OMPDBG_UNAVAILABLE,
					   "nothing was recorded (start the program with \"ompdbg "
					   "record\")");
	if (options->thread && !history_of(options->thread))
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "thread %s was not recorded",
					   options->thread->target->label);
	if (form->json)
		return json_history(history, options, sink);
	text_init(&text, process, form);
	return finish(&text, sink, text_history(&text, history, options));
}

struct ompdbg_error *print_status(struct process *process, const struct form *form,
				  struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_status(process, sink);
	text_init(&text, process, form);
	text_status(&text);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_icvs(struct process *process, struct thread *const *threads,
				size_t num_threads, const char *scope, const struct form *form,
				struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_icvs(process, threads, num_threads, scope, sink);
	text_init(&text, process, form);
	text_icvs(&text, threads, num_threads, scope);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_environment(struct process *process, bool all, const struct form *form,
				       struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_environment(process, sink);
	text_init(&text, process, form);
	text_environment(&text, all);
	return finish(&text, sink, NULL);
}

struct ompdbg_error *print_inquiries(struct process *process, struct thread *const *threads,
				     size_t num_threads, enum inquiry_kind which, int level,
				     const struct form *form, struct sink *sink)
{
	struct text text;

	if (form->json)
		return json_inquiries(process, threads, num_threads, which, level, sink);
	text_init(&text, process, form);
	text_inquiries(&text, threads, num_threads, which, level);
	return finish(&text, sink, NULL);
}
