// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs for devices. The host is a device, too, and the only one where libgomp has no plug-in for
// another: there a construct maps nothing, and its kernel is a function that some thread calls. What
// libgomp does with another device, it does not show.
//
// A kernel for the host is replaced by a function here, and gets what that needs in front of the
// addresses that the program's kernel gets. The tool sees a kernel that may wait (nowait) as a task: its
// construct begins and ends when that runs.

#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"
#include "task.h"

/** A construct while its thread is in it. */
struct construct {
	ompt_target_t kind;
	int device;
	ompt_data_t data;
	ompt_data_t *outer; // data of the construct around it
	int state;
	const void *code;
};

/** The memory in front of a kernel's addresses. */
struct kernel {
	gomp_body_fn *fn;
	struct construct *construct; // null: the kernel is a task
	struct target_task *task;
	const void *code;
	uint64_t num_teams; // that were requested; 0: as many as the device likes
};

/** A kernel that may wait. Lost if libgomp discards it. */
struct target_task {
	struct task task;
	struct kernel *kernel; // once it runs
};

static bool host_initialized;

/** Tell the tool that the host is a device. */
static void initialize_host(void)
{
	ompt_callback_device_initialize_t callback = CALLBACK(ompt_callback_device_initialize);

	if (callback)
		callback(gomp_host_device(), "host", &host_initialized, NULL, NULL);
	__atomic_store_n(&host_initialized, true, __ATOMIC_RELEASE);
}

void gomp_finalize_host_device(void)
{
	ompt_callback_device_finalize_t callback = CALLBACK(ompt_callback_device_finalize);

	if (__atomic_exchange_n(&host_initialized, false, __ATOMIC_ACQ_REL) && callback)
		callback(gomp_host_device());
}

int gomp_host_device(void)
{
	return gomp_ask.omp_get_num_devices ? gomp_ask.omp_get_num_devices() : 0;
}

void gomp_use_device(int device)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (device == gomp_host_device())
		pthread_once(&once, initialize_host);
}

/** Return the number of the device that a construct is for. */
static int device_number(int device)
{
	enum { DEFAULT = -1 };
	int host = gomp_host_device();

	if (device == DEFAULT && host && gomp_ask.omp_get_default_device)
		device = gomp_ask.omp_get_default_device();
	return device >= 0 && device < host ? device : host;
}

static void tell(struct thread *thread, struct construct *construct, ompt_scope_endpoint_t endpoint)
{
	ompt_callback_target_emi_t target = CALLBACK(ompt_callback_target_emi);
	ompt_data_t *task = &thread->task->data;
	bool is_task = thread->task->flags & ompt_task_target;

	if (target)
		target(construct->kind, endpoint, construct->device, task, is_task ? task : NULL,
		       &construct->data, construct->code);
}

static void begin_construct(struct thread *thread, struct construct *construct, ompt_target_t kind,
			    unsigned flags, int device, const void *code)
{
	construct->kind = kind;
	if (flags & GOMP_TARGET_NOWAIT)
		construct->kind += ompt_target_nowait - ompt_target;
	construct->device = device_number(device);
	construct->data = (ompt_data_t){ 0 };
	construct->outer = thread->target_data;
	construct->code = code;
	gomp_use_device(construct->device);
	thread->target_data = &construct->data;
	tell(thread, construct, ompt_scope_begin);
	construct->state = set_state(thread, ompt_state_wait_target);
}

static void end_construct(struct thread *thread, struct construct *construct)
{
	thread->state = construct->state;
	tell(thread, construct, ompt_scope_end);
	thread->target_data = construct->outer;
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

// ---- Kernels ---------------------------------------------------------------------------------

/** Run a kernel of a construct, between two events. A part of the function that calls it, whose frame
 *  is where the kernel's task begins. */
INLINED void run_kernel(struct thread *thread, struct construct *construct, struct kernel *kernel)
{
	ompt_callback_target_submit_emi_t submit = CALLBACK(ompt_callback_target_submit_emi);
	unsigned requested = (unsigned)kernel->num_teams;
	void *enter_frame = thread->task->frame.enter_frame.ptr;
	int num_teams = thread->num_teams, state;
	ompt_id_t host_op_id = ompt_id_none;

	if (submit)
		submit(ompt_scope_begin, &construct->data, &host_op_id, requested);
	state = set_state(thread, construct->state);
	thread->num_teams = 1;
	leave_frame(thread);
	kernel->fn(kernel + 1);
	thread->task->frame.enter_frame.ptr = enter_frame;
	thread->state = state;
	if (submit)
		submit(ompt_scope_end, &construct->data, &host_op_id, requested);
	thread->num_teams = num_teams;
}

/** Run the kernel of a construct that its thread is in: what libgomp calls. */
static void kernel_body(void *data)
{
	struct kernel *kernel = data;

	run_kernel(&gomp_thread, kernel->construct, kernel);
}

/** Run the construct of a kernel that is a task: the task's function. */
static void target_construct(void *data)
{
	struct target_task *target = (struct target_task *)((struct task *)data - 1);
	struct thread *thread = &gomp_thread;
	struct construct construct;

	target->task.fn = target->kernel->fn; // the program's
	target->task.frame.exit_frame.ptr = FRAME_ADDRESS;
	begin_construct(thread, &construct, ompt_target, GOMP_TARGET_NOWAIT, gomp_host_device(),
			target->kernel->code);
	run_kernel(thread, &construct, target->kernel);
	end_construct(thread, &construct);
}

/** Run the task of a kernel: what libgomp calls. */
static void target_task_body(void *data)
{
	struct kernel *kernel = data;
	struct target_task *target = kernel->task;

	target->kernel = kernel;
	gomp_task_body(&target->task);
	free(target);
}

/** Make the task of a kernel that may wait. */
static struct target_task *make_target_task(struct thread *thread, void **depend, const void *code)
{
	struct target_task *target = malloc(sizeof(*target));
	struct source source = {
		.fn = target_construct,
		.code = code,
		.header_size = sizeof(target->task),
		.flags = ompt_task_target,
	};

	if (!target)
		abort();
	init_task(thread, &target->task, &source);
	task_created(thread, &target->task, depend, code);
	return target;
}

/** Return how many teams a construct asks for; 0: any number, or one that the kernel computes. Without
 *  `teams` it is one, for which GCC says -2 since 13. */
static uint64_t requested_teams(void **args)
{
	const intptr_t no_league = -2;

	for (; args && *args; args++) {
		intptr_t arg = (intptr_t)*args, value = arg >> GOMP_TARGET_ARG_SHIFT;

		if (arg & GOMP_TARGET_ARG_NEXT_WORD)
			value = (intptr_t) * ++args;
		if (!(arg & GOMP_TARGET_ARG_DEVICE) &&
		    (arg & GOMP_TARGET_ARG_ID) == GOMP_TARGET_ARG_NUM_TEAMS)
			return value == no_league ? 1 : value > 0 ? (uint64_t)value : 0;
	}
	return 0;
}

/** Return an array with room in front; its new part is zero. */
static void *put_behind(void *array, const void *from, size_t added, size_t count, size_t size)
{
	memset(array, 0, added * size);
	if (count)
		memcpy((char *)array + added * size, from, count * size);
	return array;
}

ENTRY(void, GOMP_target_ext,
      (int device, gomp_body_fn *fn, size_t mapnum, void **hostaddrs, size_t *sizes,
       unsigned short *kinds, unsigned flags, void **depend, void **args),
      (device, fn, mapnum, hostaddrs, sizes, kinds, flags, depend, args))
{
	struct thread *thread = this_thread();
	bool on_host = device_number(device) == gomp_host_device();
	bool is_task = on_host && flags & GOMP_TARGET_NOWAIT;
	struct construct construct;
	struct kernel kernel = { fn, &construct, NULL, RETURN_ADDRESS, requested_teams(args) };
	size_t added = 0, room;

	enter_frame(thread, FRAME_ADDRESS);
	if (is_task)
		kernel.task = make_target_task(thread, depend, RETURN_ADDRESS);
	else
		begin_construct(thread, &construct, ompt_target, flags, device, RETURN_ADDRESS);
	if (on_host) {
		fn = is_task ? target_task_body : kernel_body;
		added = sizeof(kernel) / sizeof(void *);
		room = added + mapnum;
		hostaddrs = put_behind(alloca(room * sizeof(*hostaddrs)), hostaddrs, added, mapnum,
				       sizeof(*hostaddrs));
		sizes = put_behind(alloca(room * sizeof(*sizes)), sizes, added, mapnum,
				   sizeof(*sizes));
		kinds = put_behind(alloca(room * sizeof(*kinds)), kinds, added, mapnum,
				   sizeof(*kinds));
		for (size_t i = 0; i < added; i++)
			kinds[i] = GOMP_MAP_VALUE;
		memcpy(hostaddrs, &kernel, sizeof(kernel));
	}
	gomp_real.GOMP_target_ext(device, fn, mapnum + added, hostaddrs, sizes, kinds, flags,
				  depend, args);
	if (is_task)
		leave_frame(thread);
	else
		end_construct(thread, &construct);
}

/** Note how many teams there are on the host: no more than there must be. */
ENTRY(bool, GOMP_teams4, (unsigned lower, unsigned upper, unsigned thread_limit, bool first),
      (lower, upper, thread_limit, first))
{
	if (first)
		gomp_thread.num_teams = lower ? (int)lower : 1;
	return gomp_real.GOMP_teams4(lower, upper, thread_limit, first);
}

int gomp_granted_num_teams(void)
{
	return gomp_thread.num_teams;
}
