// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations of a loop nest that wait for others (ordered with doacross). The functions that wait take
// one number for each level of the nest. They are declared here with as many as are observed: all
// arguments lie where they would for fewer, so a call can be passed on as it came.

#include "state.h"

/** Tell the tool of an iteration that others wait for, or that one waits for. */
static void iteration(struct thread *thread, const uint64_t *numbers, ompt_dependence_type_t type)
{
	ompt_callback_dependences_t callback = CALLBACK(ompt_callback_dependences);
	unsigned levels = thread->implicit->loop.levels;
	ompt_dependence_t list[DOACROSS_MAX];

	if (!callback)
		return;
	if (levels > DOACROSS_MAX)
		levels = DOACROSS_MAX;
	for (unsigned i = 0; i < levels; i++) {
		list[i].variable.value = numbers[i];
		list[i].dependence_type = type;
	}
	callback(&thread->implicit->task.data, list, (int)levels);
}

#define POST(name, type)                                                                  \
	ENTRY(void, name, (type * counts), (counts))                                      \
	{                                                                                 \
		struct thread *thread = this_thread();                                    \
                                                                                          \
		enter_frame(thread, FRAME_ADDRESS);                                       \
		iteration(thread, (const uint64_t *)counts, ompt_dependence_type_source); \
		gomp_real.name(counts);                                                   \
		leave_frame(thread);                                                      \
	}

#define WAIT(name, type)                                                              \
	ENTRY(void, name, DOACROSS_PARAMS(type), DOACROSS_ARGS)                       \
	{                                                                             \
		const uint64_t numbers[DOACROSS_MAX] = DOACROSS_LIST(uint64_t);       \
		struct thread *thread = this_thread();                                \
		int state = set_state(thread, ompt_state_wait_ordered);               \
                                                                                      \
		enter_frame(thread, FRAME_ADDRESS);                                   \
		thread->wait_id = (uint64_t)(uintptr_t)thread->implicit->task.region; \
		gomp_real.name DOACROSS_ARGS;                                         \
		thread->state = state;                                                \
		iteration(thread, numbers, ompt_dependence_type_sink);                \
		leave_frame(thread);                                                  \
	}

POST(GOMP_doacross_post, long)
POST(GOMP_doacross_ull_post, ull)
WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, ull)
