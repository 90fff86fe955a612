// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of things as a whole.

#include <string.h>

#include "base/foreign.h"
#include "diagnose/words.h"
#include "output/status.h"
#include "output/text/text.h"

enum { LABEL_WIDTH = 14, NARROWEST = 2 * LABEL_WIDTH };

/** Add a label and its text, folded between words; a word longer than the line stays whole. */
static void add(struct text *text, const char *label, const char *words)
{
	struct arena *arena = text->paper.arena;
	size_t width = text->paper.width;
	const char *line = arena_printf(arena, "%-*s", LABEL_WIDTH, label);
	bool has_word = false;

	words = foreign_visible(arena, words);
	if (width && width < NARROWEST)
		width = NARROWEST;
	while (*words) {
		size_t length = strcspn(words, " ");
		const char *word = arena_strndup(arena, words, length);
		const char *joined = arena_printf(arena, "%s%s%s", line, has_word ? " " : "", word);
		words += length + strspn(words + length, " ");
		if (width && has_word && foreign_width(joined) > width) {
			text_add(text, line);
			joined = arena_printf(arena, "%*s%s", LABEL_WIDTH, "", word);
		}
		line = joined;
		has_word = true;
	}
	text_add(text, line);
}

static const char *layout_text(struct arena *arena, const ompd_ext_layout_info *layout)
{
	static const char *const sources[] = {
		[ompd_ext_layout_none] = "unknown",
		[ompd_ext_layout_runtime] = "described by the runtime itself",
		[ompd_ext_layout_debug_info] = "from debug information",
		[ompd_ext_layout_table] = "built-in table",
	};
	const char *text = layout->source < sizeof(sources) / sizeof(*sources) ?
				   sources[layout->source] :
				   sources[0];

	if (layout->probes_agreed || layout->probes_silent)
		text = arena_printf(arena, "%s, confirmed by %u code probes", text,
				    layout->probes_agreed);
	if (layout->probes_silent)
		text = arena_printf(arena, "%s; %u could not tell", text, layout->probes_silent);
	if (layout->doubted)
		text = arena_printf(arena, "%s; %s not proven, and not used", text,
				    counted_text(arena, layout->doubted, "field"));
	return text;
}

static void add_runtime(struct text *text, const struct runtime_status *runtime,
			bool is_one_of_several)
{
	struct arena *arena = text->paper.arena;
	const char *name = runtime->object_name ? runtime->object_name : "unknown";

	if (runtime->has_layout)
		name = arena_printf(arena, "%s, %s", runtime->layout.runtime,
				    runtime->layout.release);
	if (runtime->omp_version != NOT_KNOWN)
		name = arena_printf(arena, "%s, OpenMP %ld", name, (long)runtime->omp_version);
	add(text, "Runtime", name);
	add(text, "OMPD library", runtime->library.version);
	add(text, "", runtime->library.path);
	if (runtime->has_layout)
		add(text, "Layout", layout_text(arena, &runtime->layout));
	if (is_one_of_several)
		add(text, "",
		    arena_printf(arena, "%s, %s", counted_text(arena, runtime->threads, "thread"),
				 counted_text(arena, runtime->teams, "team")));
}

/** Add what cannot be told, one text for each reason. */
static void add_unavailable(struct text *text, const struct status *status)
{
	struct arena *arena = text->paper.arena;
	struct folds folds = { 0 };

	for (size_t i = 0; i < status->num_unavailable; i++) {
		const struct unavailable *one = &status->unavailable[i];
		const char *begin = one->runtime ? one->runtime : "";
		struct fold *fold =
			fold_of(&folds, arena, arena_printf(arena, "%s\n%s", begin, one->reason));
		fold->items = listed_text(arena, fold->items, one->what);
	}
	for (size_t i = 0; i < folds.count; i++) {
		int length = (int)strcspn(folds.all[i].text, "\n"); // of the runtime's title
		add(text, i ? "" : "Unavailable",
		    arena_printf(arena, "%.*s%s%s: %s", length, folds.all[i].text,
				 length ? ": " : "", folds.all[i].items,
				 folds.all[i].text + length + 1));
	}
}

/** Add what the recorder has. */
static void add_recording(struct text *text)
{
	struct arena *arena = text->paper.arena;
	const struct history *history = process_history(text->process);
	uint64_t events = 0;

	if (!history)
		return;
	for (size_t i = 0; i < history->num_threads; i++)
		events += history->threads[i].written - history->threads[i].lost;
	add(text, "Recording",
	    arena_printf(arena, "%s of %s, begun%s", counted_text(arena, events, "event"),
			 counted_text(arena, history->num_threads, "thread"),
			 ago_text(history, history->root.start_ticks)));
}

struct ompdbg_error *text_status(struct text *text, const struct view_options *options)
{
	struct arena *arena = text->paper.arena;
	const struct status *status = process_status(text->process);
	const char *threads = arena_printf(arena, "%zu, %zu of them OpenMP", status->threads,
					   status->openmp_threads);

	(void)options;
	for (size_t i = 0; i < status->num_runtimes; i++)
		add_runtime(text, &status->runtimes[i], status->num_runtimes > 1);
	if (status->running_threads)
		threads = arena_printf(arena, "%s, %zu running", threads, status->running_threads);
	add(text, "Threads", threads);
	add(text, "Teams",
	    status->teams ?
		    arena_printf(arena, "%zu, nested %d deep", status->teams, status->nesting) :
		    "0");
	add_recording(text);
	add_unavailable(text, status);
	return NULL;
}
