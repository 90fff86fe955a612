// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the runtimes that lie on a stack: who made them, and which functions they are of.

#include "base/text.h"
#include "stack/names.h"
#include "stack/walk.h"

bool only_passes_on(const char *outer, const char *inner)
{
	return is_debug_body(inner) && !is_debug_body(outer);
}

static void append(struct walk *walk, struct runtime_call call)
{
	struct arena *arena = &walk->thread->runtime->process->arena;

	walk->call_at[call.begin] = (int)walk->num_calls;
	*ARENA_APPEND(arena, walk->calls, walk->num_calls, walk->capacity) = call;
}

/** Find the thread as the runtime knows it to which a frame belongs. */
static struct thread *in_runtime_of(struct walk *walk, const struct stack_frame *frame)
{
	const char *name = runtime_of_object(frame->at.object);

	for (size_t i = 0; name && i < walk->num_views; i++) {
		struct runtime *runtime = walk->views[i].thread->runtime;

		if (runtime->name && strcmp(runtime->name, name) == 0)
			return walk->views[i].thread;
	}
	return walk->thread;
}

/** Tell what a call is of by the name of its function, for OMPD libraries that cannot be asked. */
static int kind_by_name(const char *symbol)
{
	static const char *const opens_region[] = { "__kmpc_fork_call", "__kmpc_fork_teams",
						    "GOMP_parallel" };

	for (size_t i = 0; symbol && i < sizeof(opens_region) / sizeof(opens_region[0]); i++) {
		if (starts_with(symbol, opens_region[i]))
			return ompd_ext_wait_parallel;
	}
	return NOT_KNOWN;
}

/** Tell what a call is of. */
static int kind_of_call(struct walk *walk, struct thread *thread, size_t caller, size_t outermost)
{
	struct runtime *runtime = thread->runtime;
	ompd_ext_wait_site site;

	if (caller >= walk->depth)
		return NOT_KNOWN;
	struct stack_frame *user = walk->frames[caller];
	if (user->at.is_call && classify_call(runtime, user, &site))
		return (int)site.kind;
	if (classify_frame(runtime, thread, walk->frames[outermost], &site))
		return (int)site.kind;
	return runtime_is_extended(runtime) ? NOT_KNOWN : kind_by_name(symbol_of(walk, outermost));
}

void find_calls(struct walk *walk)
{
	for (size_t i = 0; i < walk->depth;) {
		size_t begin = i, outermost = i, depth = 0;

		if (walk->owners[i] != FRAME_RUNTIME) {
			i++;
			continue;
		}
		for (; i < walk->depth && walk->owners[i] != FRAME_USER; i++) {
			if (walk->owners[i] == FRAME_RUNTIME &&
			    !is_interposer_object(walk->frames[i]->at.object)) {
				outermost = i;
				depth++;
			}
		}
		struct thread *thread = in_runtime_of(walk, walk->frames[outermost]);
		int kind = kind_of_call(walk, thread, i, outermost);
		append(walk, (struct runtime_call){ begin, i, depth, thread->runtime, kind });
	}
}

/** Check for code of Clang's that calls that of a region itself, between two calls that tell the
 *  runtime so: a condition of the construct is false there. */
static bool runs_region(const struct walk *walk, size_t index)
{
	const struct ompdbg_frame *code = &walk->frames[index - 1]->at;

	if (walk->owners[index] != FRAME_USER || walk->owners[index - 1] != FRAME_USER)
		return false;
	if (code->is_inlined || code->is_signal || !is_clangs_name(symbol_of(walk, index - 1)))
		return false;
	const char *outer = function_of(walk, index), *inner = function_of(walk, index - 1);
	if (is_task_entry(outer) || is_task_entry(inner))
		return false;
	return !only_passes_on(outer, inner) || !is_outlined_name(symbol_of(walk, index));
}

/** Find the runtime of code that Clang compiled. */
static struct runtime *runtime_of_clang(const struct walk *walk)
{
	for (size_t i = 0; i < walk->num_views; i++) {
		struct runtime *runtime = walk->views[i].thread->runtime;

		if (!runtime->name || strcmp(runtime->name, "libgomp") != 0)
			return runtime;
	}
	return walk->thread->runtime;
}

void add_regions_run_by_code(struct walk *walk)
{
	const struct runtime_call *before = walk->calls;
	size_t num_before = walk->num_calls, next = 0;

	walk->calls = NULL;
	walk->num_calls = walk->capacity = 0;
	for (size_t i = 0; i < walk->depth; i++) {
		if (next < num_before && before[next].begin == i)
			append(walk, before[next++]);
		else if (i && runs_region(walk, i))
			append(walk, (struct runtime_call){ i, i, 0, runtime_of_clang(walk),
							    ompd_ext_wait_parallel });
	}
}
