// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines for people, and words that several commands use.

#include "output/text/text.h"

#include <string.h>

#include "base/buffer.h"
#include "base/foreign.h"
#include "diagnose/words.h"

// Programs may have types and names without end.
enum {
	MOST_COLUMNS = 199,
	LONGEST_CYCLE = 32, // a call by std::function is five frames, a grammar's rules are more
};

void text_init(struct text *text, struct process *process, const struct form *form)
{
	size_t width = form->width && form->width < MOST_COLUMNS ? form->width : MOST_COLUMNS;

	*text = (struct text){ .process = process,
			       .addresses = form->addresses,
			       .paper = { .arena = &process->arena,
					  .width = width,
					  .color = form->color,
					  .palette = form->palette } };
}

void text_add(struct text *text, const char *line)
{
	lines_add(&text->lines, &text->paper, line);
}

void text_wrap(struct text *text, const char *line)
{
	lines_wrap(&text->lines, &text->paper, line, " ");
}

void text_cut(struct text *text, const char *line, painter *paint)
{
	const char *visible = foreign_visible(text->paper.arena, line);

	if (text->paper.width)
		visible = cut_end(&text->paper, visible, text->paper.width);
	text_add(text, paint ? paint(&text->paper, visible) : visible);
}

void text_table_add(struct text *text, struct text_table *table)
{
	const char *const *lines = text_table_lines(table);

	for (size_t i = 0; i <= table->num_rows; i++)
		text_add(text, lines[i]);
}

/** Return a line that is no longer than any may be: one that was cut has no styles. */
static const char *bounded(struct arena *arena, const char *line)
{
	struct buffer plain = { 0 };
	const char *found = line;

	if (strlen(line) <= MOST_COLUMNS)
		return line;
	for (const char *at = line; *at; at++) {
		if (at[0] == '\033' && at[1] == '[')
			at += strcspn(at, "m");
		else
			buffer_put_bytes(&plain, at, 1);
		if (!*at)
			break;
	}
	buffer_put(&plain, "");
	if (foreign_width(plain.data) > MOST_COLUMNS)
		found = foreign_cut(arena, plain.data, MOST_COLUMNS);
	buffer_deinit(&plain);
	return found;
}

struct ompdbg_error *text_write(struct text *text, struct sink *sink)
{
	struct ompdbg_error *error = NULL;

	for (size_t i = 0; i < text->lines.count && !error; i++) {
		struct arena *arena = text->paper.arena;
		const char *line =
			arena_printf(arena, "%s\n", bounded(arena, text->lines.lines[i]));
		error = sink->write(sink->context, line, strlen(line));
	}
	return error;
}

// ---- Words -------------------------------------------------------------------------------------

const char *grouped_text(struct arena *arena, uint64_t number)
{
	enum { GROUP = 1000 };
	const char *text = "";

	for (; number >= GROUP; number /= GROUP)
		text = arena_printf(arena, ",%03lu%s", (unsigned long)(number % GROUP), text);
	return arena_printf(arena, "%lu%s", (unsigned long)number, text);
}

const char *place_text(struct arena *arena, const struct location *location)
{
	if (!location)
		return "";
	if (!location->function)
		return location->title;
	return at_text(arena, location->function, location->file, location->line);
}

const char *function_place_text(struct arena *arena, const struct task_function *function)
{
	return function ? at_text(arena, function->name, function->file, function->line) : "";
}

/** Check for a thread that waits while the code of its region has no frame: it has ended, or jumped to the
 *  function that waits. */
static bool is_not_in_body(struct thread *thread)
{
	const struct wait *wait = thread_wait(thread);
	const struct evidence *evidence = &thread_verdict(thread)->evidence;

	if (!wait || !thread->team || wait->kind == ompd_ext_wait_idle)
		return false;
	return !thread_location(thread) ||
	       (evidence->has_call && evidence->call.kind == ompd_ext_wait_parallel);
}

const char *where_text(struct thread *thread)
{
	struct arena *arena = &thread->runtime->process->arena;

	if (!is_not_in_body(thread))
		return place_text(arena, thread_location(thread));
	const char *opened = place_text(arena, team_opened(thread->team));
	return *opened && !is_end_of_region(thread_wait(thread)) ?
		       arena_printf(arena, "region of %s", opened) :
		       opened;
}

/** Write a number in a team: "3/8". */
static const char *share_of_team(struct arena *arena, int number, int size)
{
	return size == NOT_KNOWN ? arena_printf(arena, "%d/?", number) :
				   arena_printf(arena, "%d/%d", number, size);
}

const char *number_text(struct arena *arena, struct thread *thread)
{
	if (thread->is_helper)
		return "helper";
	if (thread_is_openmp(thread) == NO)
		return "none";
	if (thread->thread_num == NOT_KNOWN)
		return "";
	return share_of_team(arena, thread->thread_num, thread_team_size(thread));
}

const char *thread_text(struct arena *arena, struct thread *thread)
{
	const char *label = thread->target->label, *number = number_text(arena, thread);

	return *number && thread_is_openmp(thread) != NO ?
		       arena_printf(arena, "thread %s (%s)", label, number) :
		       arena_printf(arena, "thread %s", label);
}

const char *task_thread_text(const struct task *task)
{
	struct arena *arena = &task->runtime->process->arena;
	struct team *team = task_team(task);
	int number = task_thread_num(task);
	const struct thread *thread = task_runner(task);
	const char *who = task_is_lost(task) ? "a thread that does not exist" :
					       arena_printf(arena, "thread %s",
							    thread ? thread->target->label : "?");

	if (number == NOT_KNOWN)
		return who;
	return arena_printf(arena, "%s (%s)", who,
			    share_of_team(arena, number, team ? team->size : NOT_KNOWN));
}

const char *task_title(struct task *task)
{
	struct arena *arena = &task->runtime->process->arena;
	const struct task_function *function;
	const char *noun;

	if (task->info.kind == ompd_ext_task_initial)
		return "initial task";
	if (task->info.kind == ompd_ext_task_implicit)
		return arena_printf(arena, "implicit task of %s", task_thread_text(task));
	noun = task->info.kind == ompd_ext_task_target ? "target task" : "task";
	function = task_function(task);
	if (!function)
		return noun;
	return arena_printf(arena, "%s of %s", noun, function_place_text(arena, function));
}

const char *numbered_title(struct task *task)
{
	struct arena *arena = &task->runtime->process->arena;
	uint64_t number = task_number(task);
	const char *title = task_title(task);

	return number ? arena_printf(arena, "#%lu %s", (unsigned long)number, title) : title;
}

// ---- What stands out ----

/** List the threads that can never go on. */
static struct table *find_stuck(struct process *process)
{
	struct table *stuck = ARENA_NEW(&process->arena, struct table);
	size_t count;
	const struct finding *findings = diagnose(process, NULL, &count);

	for (size_t i = 0; i < count; i++) {
		const struct thread_list *waiters = &findings[i].waiters;
		for (size_t k = 0; k < waiters->count && findings[i].severity == SEVERITY_STUCK;
		     k++)
			*table_put(stuck, &process->arena,
				   (uint64_t)waiters->all[k]->target->number) = waiters->all[k];
	}
	return stuck;
}

enum style thread_style(struct text *text, struct thread *thread)
{
	if (!text->paper.color) // a diagnosis takes its time
		return STYLE_NONE;
	if (!text->stuck)
		text->stuck = find_stuck(text->process);
	if (thread_signal(thread))
		return STYLE_ERROR;
	if (table_get(text->stuck, (uint64_t)thread->target->number))
		return STYLE_STUCK;
	return thread_wait(thread) ? STYLE_METADATA : STYLE_NONE;
}

size_t cycle_at(const struct cycle_list *list, size_t index, size_t least, size_t *times)
{
	for (size_t length = 1; length <= LONGEST_CYCLE; length++) {
		size_t end = index + length;
		while (end < list->count && list->are_equal(list->items, end, end - length))
			end++;
		*times = (end - index) / length;
		if (*times >= least)
			return length;
	}
	return 0;
}

const char *doing_text(struct arena *arena, const char *what, size_t count)
{
	static const char *const verbs[] = { "sleeps", "spins", "works" };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs) && count != 1; i++) {
		size_t length = strlen(verbs[i]);
		if (strncmp(what, verbs[i], length) == 0 && (!what[length] || what[length] == ' '))
			return arena_printf(arena, "%.*s%s", (int)length - 1, what, what + length);
	}
	return what;
}

// ---- What nobody knows -------------------------------------------------------------------------

static void count_unseen(struct process *process, size_t *running, size_t *failed,
			 const char **reason)
{
	*running = *failed = 0;
	for (size_t i = 0; i < process->num_targets; i++) {
		*running += process->targets[i].running;
		if (process->threads[i]->error && !(*failed)++)
			*reason = process->threads[i]->error;
	}
}

void text_nobody(struct text *text, const char *does)
{
	struct process *process = text->process;
	size_t running, failed;
	const char *reason = NULL;

	count_unseen(process, &running, &failed, &reason);
	if (process->num_targets && running + failed == process->num_targets)
		return;
	TEXT_WRAP(text, "No %sthread %s.", failed ? "examined " : running ? "stopped " : "", does);
}

void text_unseen(struct text *text)
{
	struct arena *arena = text->paper.arena;
	size_t running, failed;
	const char *reason = NULL;

	count_unseen(text->process, &running, &failed, &reason);
	if (running)
		TEXT_WRAP(text, "%zu running thread%s not examined.", running,
			  running == 1 ? " was" : "s were");
	if (failed)
		TEXT_WRAP(text, "Cannot read %s: %s.", counted_text(arena, failed, "thread"),
			  reason);
}
