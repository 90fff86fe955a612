// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collector, written from the documents of the interface: it registers for every event, and at each
// asks for everything in one message. At the program's end it writes into the file COLLECTOR_OUT:
//
//	register EVENT ERROR	what each registration answered
//	event EVENT NUMBER
//	late NUMBER		ends of barriers of regions that had ended before
//	samples NUMBER		what a signal handler asked, if COLLECTOR_SAMPLE is set
//	task ID PARENT		each explicit task, from the events that end its creation
//	complaint TEXT		what contradicts the documents; of each text the first
#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "omp_collector.h"

enum { MAX_EVENTS = 64, MAX_TASKS = 1 << 20, MAX_DEPTH = 64, MAX_COMPLAINTS = 16 };

typedef int collector_api(void *message);

static collector_api *api;
static int answers[MAX_EVENTS];
static uint64_t counts[MAX_EVENTS], late;

/** Tasks, by their ids. */
static struct {
	uint64_t parent;
	uint32_t created, begun, ending, ended;
} tasks[MAX_TASKS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char complaints[MAX_COMPLAINTS][128];
static int num_complaints;

/** Regions that a thread has forked, and is in. */
static __thread uint64_t forked[MAX_DEPTH];
static __thread int depth;

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list arguments;

	pthread_mutex_lock(&mutex);
	if (num_complaints < MAX_COMPLAINTS) {
		va_start(arguments, format);
		vsnprintf(complaints[num_complaints++], sizeof(complaints[0]), format, arguments);
		va_end(arguments);
	}
	pthread_mutex_unlock(&mutex);
}

/** Answers of a thread. */
struct answer {
	int state;
	uint64_t wait_id, region, parent_region, task, parent;
	int errors[5], sizes[5];
};

/** Ask for everything. */
static struct answer ask(int event)
{
	static const int requests[] = { OMP_REQ_STATE, OMP_REQ_CURRENT_PRID, OMP_REQ_PARENT_PRID,
					OMP_REQ_TASK_ID, OMP_REQ_TASK_PID };
	struct {
		int size, request, error, returned;
		char memory[16];
	} entries[6];
	struct answer answer;

	memset(entries, 0, sizeof(entries));
	memset(&answer, 0, sizeof(answer));
	for (int i = 0; i < 5; i++) {
		entries[i].size = sizeof(entries[i]);
		entries[i].request = requests[i];
		entries[i].error = -1;
	}
	if (api(entries))
		complain("%d: a message was not answered", event);
	for (int i = 0; i < 5; i++) {
		answer.errors[i] = entries[i].error;
		answer.sizes[i] = entries[i].returned;
	}
	memcpy(&answer.state, entries[0].memory, sizeof(int));
	memcpy(&answer.wait_id, entries[0].memory + sizeof(int), sizeof(uint64_t));
	memcpy(&answer.region, entries[1].memory, sizeof(uint64_t));
	memcpy(&answer.parent_region, entries[2].memory, sizeof(uint64_t));
	memcpy(&answer.task, entries[3].memory, sizeof(uint64_t));
	memcpy(&answer.parent, entries[4].memory, sizeof(uint64_t));
	return answer;
}

/** The state that each event begins; 0: none of its own. */
static const int states[MAX_EVENTS] = {
	[OMP_EVENT_FORK] = THR_OVHD_STATE,
	[OMP_EVENT_THR_BEGIN_IDLE] = THR_IDLE_STATE,
	[OMP_EVENT_THR_BEGIN_IBAR] = THR_IBAR_STATE,
	[OMP_EVENT_THR_BEGIN_EBAR] = THR_EBAR_STATE,
	[OMP_EVENT_THR_BEGIN_LKWT] = THR_LKWT_STATE,
	[OMP_EVENT_THR_BEGIN_CTWT] = THR_CTWT_STATE,
	[OMP_EVENT_THR_BEGIN_ODWT] = THR_ODWT_STATE,
	[OMP_EVENT_THR_BEGIN_ATWT] = THR_ATWT_STATE,
	[OMP_EVENT_THR_BEGIN_CREATE_TASK] = THR_TASK_CREATE_STATE,
	[OMP_EVENT_THR_BEGIN_SUSPEND_TASK] = THR_TASK_SUSPEND_STATE,
	[OMP_EVENT_THR_BEGIN_FINISH_TASK] = THR_TASK_FINISH_STATE,
};

/** Check whether a state comes with a wait id. */
static bool has_wait_id(int state)
{
	return state == THR_IBAR_STATE || state == THR_EBAR_STATE ||
	       (state >= THR_LKWT_STATE && state <= THR_ATWT_STATE);
}

/** Check the state at an event. */
static void check_state(int event, const struct answer *answer)
{
	int size = (int)(has_wait_id(answer->state) ? sizeof(int) + sizeof(uint64_t) : sizeof(int));

	if (answer->errors[0] || answer->sizes[0] != size)
		complain("%d: error %d, %d bytes for state %d", event, answer->errors[0],
			 answer->sizes[0], answer->state);
	if (states[event] && answer->state != states[event])
		complain("%d: state %d", event, answer->state);
	if (states[event] && has_wait_id(states[event]) && !answer->wait_id)
		complain("%d: no wait id", event);
	if (event % 2 == 0 && event > OMP_EVENT_JOIN && event <= OMP_EVENT_THR_END_ATWT &&
	    states[event - 1] && answer->state == states[event - 1])
		complain("%d: the state goes on", event);
	if (event == OMP_EVENT_THR_BEGIN_EXEC_TASK && answer->state != THR_WORK_STATE &&
	    answer->state != THR_SERIAL_STATE)
		complain("%d: state %d", event, answer->state);
}

/** Check the regions at an event. */
static void check_regions(int event, const struct answer *answer)
{
	if (answer->errors[1])
		complain("%d: CURRENT_PRID: error %d", event, answer->errors[1]);
	if (event == OMP_EVENT_FORK) {
		if (!answer->region || answer->errors[2] ||
		    (depth && answer->parent_region != forked[depth - 1]))
			complain("fork: region %llu in %llu", (unsigned long long)answer->region,
				 (unsigned long long)answer->parent_region);
		if (depth < MAX_DEPTH)
			forked[depth] = answer->region;
		depth++;
	} else if (event == OMP_EVENT_JOIN) {
		depth--;
		if (depth && answer->region != forked[depth - 1])
			complain("join: in region %llu", (unsigned long long)answer->region);
	}
	if (event == OMP_EVENT_THR_END_IBAR && answer->state == THR_IDLE_STATE)
		__atomic_add_fetch(&late, 1, __ATOMIC_RELAXED);
	if (answer->state == THR_IDLE_STATE && answer->region)
		complain("%d: an idle thread is in region %llu", event,
			 (unsigned long long)answer->region);
}

/** Check the task at an event. */
static void check_task(int event, const struct answer *answer)
{
	uint64_t id = answer->task;

	if (event < OMP_EVENT_THR_END_CREATE_TASK_IMM)
		return;
	if (answer->errors[3] || answer->errors[4] || !id || id >= MAX_TASKS) {
		complain("%d: error %d, task %llu", event, answer->errors[3],
			 (unsigned long long)id);
		return;
	}
	switch (event) {
	case OMP_EVENT_THR_END_CREATE_TASK_IMM:
	case OMP_EVENT_THR_END_CREATE_TASK_DEL:
		tasks[id].parent = answer->parent;
		if (__atomic_exchange_n(&tasks[id].created, 1, __ATOMIC_RELEASE))
			complain("a task was created twice");
		break;
	case OMP_EVENT_THR_BEGIN_EXEC_TASK:
		if (!__atomic_load_n(&tasks[id].created, __ATOMIC_ACQUIRE) ||
		    tasks[id].parent != answer->parent)
			complain("task %llu begins, and was not created", (unsigned long long)id);
		if (__atomic_exchange_n(&tasks[id].begun, 1, __ATOMIC_RELAXED))
			complain("a task begins twice");
		break;
	case OMP_EVENT_THR_BEGIN_FINISH_TASK:
		if (!tasks[id].begun || __atomic_exchange_n(&tasks[id].ending, 1, __ATOMIC_RELAXED))
			complain("task %llu ends, and did not begin", (unsigned long long)id);
		break;
	case OMP_EVENT_THR_END_FINISH_TASK:
		if (!tasks[id].ending || __atomic_exchange_n(&tasks[id].ended, 1, __ATOMIC_RELAXED))
			complain("task %llu has ended, and did not end", (unsigned long long)id);
		break;
	default:
		break;
	}
}

static void on_event(OMP_COLLECTORAPI_EVENT event)
{
	struct answer answer = ask((int)event);

	__atomic_add_fetch(&counts[event], 1, __ATOMIC_RELAXED);
	check_state((int)event, &answer);
	check_regions((int)event, &answer);
	check_task((int)event, &answer);
}

static uint64_t samples, bad_samples;

/** Ask in whatever the thread was doing. */
static void sample(int signal)
{
	struct answer answer = ask(0);

	(void)signal;
	__atomic_add_fetch(&samples, 1, __ATOMIC_RELAXED);
	if (answer.errors[0] || answer.errors[1] || answer.state < THR_OVHD_STATE ||
	    answer.state >= THR_LAST_STATE ||
	    (answer.errors[3] ? answer.errors[3] != OMP_ERRCODE_THREAD_ERR : !answer.task))
		__atomic_add_fetch(&bad_samples, 1, __ATOMIC_RELAXED);
}

static pthread_t sampler;
static bool sampling;

/** Interrupt all other threads again and again. */
static void *take_samples(void *nothing)
{
	while (__atomic_load_n(&sampling, __ATOMIC_RELAXED)) {
		DIR *threads = opendir("/proc/self/task");
		struct dirent *entry;

		while (threads && (entry = readdir(threads))) {
			pid_t thread = atoi(entry->d_name);

			if (thread > 0 && thread != gettid())
				syscall(SYS_tgkill, getpid(), thread, SIGPROF);
		}
		if (threads)
			closedir(threads);
		usleep(100);
	}
	return nothing;
}

static void begin_samples(void)
{
	struct sigaction action = { .sa_handler = sample, .sa_flags = SA_RESTART };

	sigaction(SIGPROF, &action, NULL);
	sampling = true;
	if (pthread_create(&sampler, NULL, take_samples, NULL))
		abort();
}

static void end_samples(void)
{
	if (!__atomic_exchange_n(&sampling, false, __ATOMIC_RELAXED))
		return;
	pthread_join(sampler, NULL);
	signal(SIGPROF, SIG_IGN);
}

/** Register for an event; return the error code. */
static int register_event(int event)
{
	struct {
		int size, request, error, returned, event;
		char callback[sizeof(void *)];
		int end;
	} message = { .size = 28, .request = OMP_REQ_REGISTER, .error = -1, .event = event };
	void (*callback)(OMP_COLLECTORAPI_EVENT) = on_event;

	memcpy(message.callback, &callback, sizeof(callback));
	return api(&message) ? -1 : message.error;
}

__attribute__((constructor)) static void begin(void)
{
	int message[] = { 16, OMP_REQ_START, -1, -1, 0 };

	api = (collector_api *)dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
	if (!api || api(message) || message[2]) {
		complain("START: error %d", message[2]);
		return;
	}
	for (int event = OMP_EVENT_FORK; event <= OMP_EVENT_THR_END_FINISH_TASK; event++)
		answers[event] = register_event(event);
	if (getenv("COLLECTOR_SAMPLE"))
		begin_samples();
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("COLLECTOR_OUT");
	FILE *file = path ? fopen(path, "we") : NULL;
	// Before the counts, which have it then: workers may go on.
	const uint64_t were_late = __atomic_load_n(&late, __ATOMIC_RELAXED);

	end_samples();
	if (!file)
		return;
	for (int event = OMP_EVENT_FORK; event <= OMP_EVENT_THR_END_FINISH_TASK; event++)
		fprintf(file, "register %d %d\nevent %d %llu\n", event, answers[event], event,
			(unsigned long long)__atomic_load_n(&counts[event], __ATOMIC_RELAXED));
	if (bad_samples)
		complain("%llu samples are wrong", (unsigned long long)bad_samples);
	fprintf(file, "samples %llu\n", (unsigned long long)samples);
	fprintf(file, "late %llu\n", (unsigned long long)were_late);
	for (unsigned int id = 1; id < MAX_TASKS; id++)
		if (tasks[id].created)
			fprintf(file, "task %u %llu\n", id, (unsigned long long)tasks[id].parent);
	for (int i = 0; i < num_complaints; i++)
		fprintf(file, "complaint %s\n", complaints[i]);
	fclose(file);
}
