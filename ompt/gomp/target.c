// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs for devices, as the host sees them: where each begins and ends. What libgomp does with a
// device in between, it does not show.

#include "state.h"

/** A construct while its thread is in it. */
struct construct {
	ompt_target_t kind;
	int device;
	ompt_data_t data;
	uint64_t outer_id; // of the construct around it
	int outer_device, state;
	const void *code;
};

/** Return the number of the device that a construct is for, as the program sees it. */
static int device_number(int device)
{
	enum { DEFAULT = -1, HOST = -2, INVALID = -4 };

	if (device >= 0)
		return device;
	if (device == DEFAULT && gomp_ask.omp_get_default_device)
		return gomp_ask.omp_get_default_device();
	if (device == HOST && gomp_ask.omp_get_initial_device)
		return gomp_ask.omp_get_initial_device();
	return device;
}

static void tell(struct thread *thread, struct construct *construct, ompt_scope_endpoint_t endpoint)
{
	ompt_callback_target_emi_t emi = CALLBACK(ompt_callback_target_emi);
	ompt_callback_target_t target = CALLBACK(ompt_callback_target);

	if (emi)
		emi(construct->kind, endpoint, construct->device, &thread->task->data, NULL,
		    &construct->data, construct->code);
	if (target)
		target(construct->kind, endpoint, construct->device, &thread->task->data,
		       thread->target_id, construct->code);
}

static void begin_construct(struct thread *thread, struct construct *construct, ompt_target_t kind,
			    unsigned flags, int device, const void *code)
{
	construct->kind = kind;
	if (flags & GOMP_TARGET_NOWAIT)
		construct->kind += ompt_target_nowait - ompt_target;
	construct->device = device_number(device);
	construct->data = (ompt_data_t){ 0 };
	construct->outer_id = thread->target_id;
	construct->outer_device = thread->target_device;
	construct->code = code;
	thread->target_id = gomp_unique_id();
	thread->target_device = construct->device;
	tell(thread, construct, ompt_scope_begin);
	construct->state = set_state(thread, ompt_state_wait_target);
}

static void end_construct(struct thread *thread, struct construct *construct)
{
	thread->state = construct->state;
	tell(thread, construct, ompt_scope_end);
	thread->target_id = construct->outer_id;
	thread->target_device = construct->outer_device;
	leave_frame(thread);
}

#define TARGET(name, kind, flags, device, params, args)                                   \
	ENTRY(void, name, params, args)                                                   \
	{                                                                                 \
		struct thread *thread = this_thread();                                    \
		struct construct construct;                                               \
                                                                                          \
		enter_frame(thread, FRAME_ADDRESS);                                       \
		begin_construct(thread, &construct, kind, flags, device, RETURN_ADDRESS); \
		gomp_real.name args;                                                      \
		end_construct(thread, &construct);                                        \
	}

TARGET(GOMP_target, ompt_target, 0, device,
       (int device, gomp_body_fn *fn, const void *unused, size_t mapnum, void **hostaddrs,
	size_t *sizes, unsigned char *kinds),
       (device, fn, unused, mapnum, hostaddrs, sizes, kinds))
TARGET(GOMP_target_ext, ompt_target, flags, device,
       (int device, gomp_body_fn *fn, size_t mapnum, void **hostaddrs, size_t *sizes,
	unsigned short *kinds, unsigned flags, void **depend, void **args),
       (device, fn, mapnum, hostaddrs, sizes, kinds, flags, depend, args))
TARGET(GOMP_target_data, ompt_target_enter_data, 0, device,
       (int device, const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
	unsigned char *kinds),
       (device, unused, mapnum, hostaddrs, sizes, kinds))
TARGET(GOMP_target_data_ext, ompt_target_enter_data, 0, device,
       (int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds),
       (device, mapnum, hostaddrs, sizes, kinds))
TARGET(GOMP_target_end_data, ompt_target_exit_data, 0, -1, (void), ())
TARGET(GOMP_target_update, ompt_target_update, 0, device,
       (int device, const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
	unsigned char *kinds),
       (device, unused, mapnum, hostaddrs, sizes, kinds))
TARGET(GOMP_target_update_ext, ompt_target_update, flags, device,
       (int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds,
	unsigned flags, void **depend),
       (device, mapnum, hostaddrs, sizes, kinds, flags, depend))
TARGET(GOMP_target_enter_exit_data,
       flags &GOMP_TARGET_EXIT_DATA ? ompt_target_exit_data : ompt_target_enter_data, flags, device,
       (int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds,
	unsigned flags, void **depend),
       (device, mapnum, hostaddrs, sizes, kinds, flags, depend))
