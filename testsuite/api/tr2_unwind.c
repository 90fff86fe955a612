// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section 11.4, literally: which frames of the threads' stacks are the program's, told by the exit
// and reentry addresses of tasks. From the thread's task it goes to that task's scheduling ancestor,
// for what is on the thread's own stack; or to its generating ancestor, for the logical stack, which
// crosses from one thread's stack to another's.

#include <inttypes.h>
#include <stdlib.h>

#include "tr2_client.h"

enum { MAX_FRAMES = 256, NOWHERE = -1 };

struct stack {
	int lwp;
	struct tr2_frame frames[MAX_FRAMES];
	int count;
};

typedef ompd_rc_t (*ancestor_fn)(ompd_task_handle_t *, ompd_task_handle_t **);

static struct stack *stacks;
static size_t num_stacks;

// The frame that an address lies in: between its own stack pointer and that of its caller.
static int frame_at(const struct stack *stack, uint64_t address)
{
	for (int i = 0; address && i + 1 < stack->count; i++) {
		if (address >= stack->frames[i].sp && address < stack->frames[i + 1].sp)
			return i;
	}
	return NOWHERE;
}

static const struct stack *stack_with(const struct stack *first, uint64_t address)
{
	if (frame_at(first, address) != NOWHERE)
		return first;
	for (size_t i = 0; i < num_stacks; i++) {
		if (frame_at(&stacks[i], address) != NOWHERE)
			return &stacks[i];
	}
	return NULL;
}

// The frames of a task: behind the one at which its code called the runtime, if it has, up to the
// one at which the runtime called its code, if it did. False if they are unknown.
static bool show_task(const struct stack *own, ompd_task_handle_t *task, bool top, const char *kind,
		      FILE *out)
{
	ompd_address_t leave, enter;
	const struct stack *stack = own;

	ompd_rc_t rc = client.ompd_get_task_frame(task, &leave, &enter);

	// What the runtime recorded is no frame of the thread's stack: the recipe finds no more.
	if (rc == ompd_rc_unavailable)
		fprintf(out, "%d %s 0x0\n", own->lwp, kind);
	if (rc == ompd_rc_unavailable)
		return false;
	client_check(rc, "frame of a task");
	// An implicit task that waits at the end of its region has left its code; what runs on top of
	// it has not.
	if (!top && !leave.address && !enter.address)
		return true;
	if (leave.address || enter.address)
		stack = stack_with(own, leave.address ? leave.address : enter.address);
	if (!stack)
		return true;
	int last = leave.address ? frame_at(stack, leave.address) : stack->count;
	int first = frame_at(stack, enter.address) + 1;

	// LLVM's runtime leaves in an explicit task where some thread called it from another task.
	if (first > last)
		first = 0;
	for (int i = first; i < last; i++) {
		if (tr2_is_program(stack->frames[i].pc))
			fprintf(out, "%d %s 0x%" PRIx64 "\n", own->lwp, kind, stack->frames[i].pc);
	}
	return true;
}

static void show_thread(const struct stack *own, ompd_thread_handle_t *thread, const char *kind,
			ancestor_fn ancestor, FILE *out)
{
	ompd_task_handle_t *task, *next;
	ompd_rc_t rc = client.ompd_get_top_task_region(thread, &task);
	bool top = true, known = true;

	while (rc == ompd_rc_ok) {
		known = known && show_task(own, task, top, kind, out);
		top = false;
		rc = ancestor(task, &next);
		client_check(client.ompd_release_task_handle(task), "release");
		task = next;
	}
	if (rc != ompd_rc_unavailable)
		client_check(rc, "ancestor");
}

void unwind_2016(void *library, FILE *out)
{
	ompd_address_space_handle_t *space = client_open(library);
	ompd_thread_handle_t *thread;

	num_stacks = tr2_num_threads();
	stacks = calloc(num_stacks, sizeof(*stacks));
	for (size_t i = 0; i < num_stacks; i++) {
		stacks[i].lwp = tr2_lwp(i);
		stacks[i].count = (int)tr2_frames(i, stacks[i].frames, MAX_FRAMES);
	}
	for (size_t i = 0; i < num_stacks; i++) {
		if (client.ompd_get_thread_handle(space, ompd_osthread_lwp, sizeof(stacks[i].lwp),
						  &stacks[i].lwp, &thread) != ompd_rc_ok)
			continue;
		show_thread(&stacks[i], thread, "own",
			    client.ompd_get_scheduling_ancestor_task_region, out);
		show_thread(&stacks[i], thread, "logical",
			    client.ompd_get_generating_ancestor_task_region, out);
		client_check(client.ompd_release_thread_handle(thread), "release");
	}
	free(stacks);
	client_close(space);
}
