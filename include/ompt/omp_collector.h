// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collector interface of 2007 ("An OpenMP Runtime API for Profiling", a white paper of the OpenMP
// ARB) with the requests, events and states that OpenUH added for tasks. libompdbg-collector.so
// implements it on libgomp and on LLVM's libomp; docs/collector.md says what differs between these.
//
// A collector finds the function __omp_collector_api with dlsym and passes it one or more entries,
// back to back, and after the last an int that is 0. Every entry begins with four ints at an address
// that is a multiple of four:
//
//	size		bytes of the whole entry: at least 16, and a multiple of four
//	request		OMP_COLLECTORAPI_REQUEST
//	error		OMP_COLLECTORAPI_EC, an answer
//	returned	bytes of the answer in the memory; if that is too small, the bytes it needs
//
// The entry's memory follows: parameters of the request, or room for its answer, without padding. The
// function returns 0, or -1 at a size that is not valid: it has then answered what comes before.

#ifndef OMPDBG_OMP_COLLECTOR_H
#define OMPDBG_OMP_COLLECTOR_H

#ifdef __cplusplus
extern "C" {
#endif

#define OMP_COLLECTOR_API "__omp_collector_api"
#define OMP_COLLECTORAPI_HEADERSIZE 16

int __omp_collector_api(void *message);

/** Requests. STATE, CURRENT_PRID, TASK_ID and TASK_PID may come from a signal handler. */
typedef enum {
	OMP_REQ_START = 0, // first of all; once more only after STOP
	OMP_REQ_REGISTER =
		1, // takes an event (int) and a callback (pointer); replaces an earlier one
	OMP_REQ_UNREGISTER = 2, // takes an event (int)
	OMP_REQ_STATE = 3, // answers a state (int); if the thread waits, also a wait id (uint64_t)
	OMP_REQ_CURRENT_PRID = 4, // answers the id of a parallel region (uint64_t); 0: in none
	OMP_REQ_PARENT_PRID = 5,  // answers the id of the region around that; 0: none
	OMP_REQ_STOP = 6,	  // forgets all callbacks
	OMP_REQ_PAUSE = 7,	  // no callbacks until RESUME
	OMP_REQ_RESUME = 8,
	OMP_REQ_TASK_ID = 9,   // answers an id (uint64_t, or int if there is room for no more)
	OMP_REQ_TASK_PID = 10, // the same, of the task that created this; 0: none
	OMP_REQ_LAST
} OMP_COLLECTORAPI_REQUEST;

/** Errors. */
typedef enum {
	OMP_ERRCODE_OK = 0,
	OMP_ERRCODE_ERROR = 1,	 // the memory has not the size of the parameters
	OMP_ERRCODE_UNKNOWN = 2, // no such request or event
	OMP_ERRCODE_UNSUPPORTED =
		3, // the runtime does not report this event; START: nothing at all
	OMP_ERRCODE_SEQUENCE_ERR = 4, // not started, or started already
	OMP_ERRCODE_OBSOLETE = 5,     // never
	OMP_ERRCODE_THREAD_ERR = 6,   // this thread cannot know
	OMP_ERRCODE_MEM_TOO_SMALL = 7,
	OMP_ERRCODE_LAST
} OMP_COLLECTORAPI_EC;

/** Events. The thread in which one happens calls the callback with the event's number. */
typedef enum {
	OMP_EVENT_FORK = 1, // CURRENT_PRID is the new region, PARENT_PRID that in which it is
	OMP_EVENT_JOIN = 2,
	OMP_EVENT_THR_BEGIN_IDLE = 3,
	OMP_EVENT_THR_END_IDLE = 4,
	OMP_EVENT_THR_BEGIN_IBAR = 5, // implicit barrier
	OMP_EVENT_THR_END_IBAR = 6,
	OMP_EVENT_THR_BEGIN_EBAR = 7, // explicit barrier
	OMP_EVENT_THR_END_EBAR = 8,
	OMP_EVENT_THR_BEGIN_LKWT = 9, // wait for a lock
	OMP_EVENT_THR_END_LKWT = 10,
	OMP_EVENT_THR_BEGIN_CTWT = 11, // wait before a critical region
	OMP_EVENT_THR_END_CTWT = 12,
	OMP_EVENT_THR_BEGIN_ODWT = 13, // wait before an ordered region
	OMP_EVENT_THR_END_ODWT = 14,
	OMP_EVENT_THR_BEGIN_MASTER = 15,
	OMP_EVENT_THR_END_MASTER = 16,
	OMP_EVENT_THR_BEGIN_SINGLE = 17,
	OMP_EVENT_THR_END_SINGLE = 18,
	OMP_EVENT_THR_BEGIN_ORDERED = 19,
	OMP_EVENT_THR_END_ORDERED = 20,
	OMP_EVENT_THR_BEGIN_ATWT = 21, // wait before an atomic update
	OMP_EVENT_THR_END_ATWT = 22,
	// Events of OpenUH. In those that end a creation, and in END_FINISH_TASK, TASK_ID and TASK_PID
	// answer about the task that was created, or has finished.
	OMP_EVENT_THR_BEGIN_CREATE_TASK = 23,
	OMP_EVENT_THR_END_CREATE_TASK_IMM = 24, // the task is executed at once
	OMP_EVENT_THR_END_CREATE_TASK_DEL = 25, // the task is deferred
	OMP_EVENT_THR_BEGIN_SCHD_TASK = 26,
	OMP_EVENT_THR_END_SCHD_TASK = 27,
	OMP_EVENT_THR_BEGIN_SUSPEND_TASK = 28, // a task waits for those that it created
	OMP_EVENT_THR_END_SUSPEND_TASK = 29,
	OMP_EVENT_THR_BEGIN_STEAL_TASK = 30,
	OMP_EVENT_THR_END_STEAL_TASK = 31,
	OMP_EVENT_THR_FETCHED_TASK = 32,
	OMP_EVENT_THR_BEGIN_EXEC_TASK = 33,
	OMP_EVENT_THR_BEGIN_FINISH_TASK = 34,
	OMP_EVENT_THR_END_FINISH_TASK = 35,
	OMP_EVENT_THR_RESERVED_IMPL = 4096,
	OMP_EVENT_LAST
} OMP_COLLECTORAPI_EVENT;

/** States of a thread, and what the wait id is. */
typedef enum {
	THR_OVHD_STATE = 1, // work of the runtime for a parallel region
	THR_WORK_STATE = 2, // the program's work in a parallel region
	THR_IBAR_STATE = 3, // the id of the team's region
	THR_EBAR_STATE = 4, // the same
	THR_IDLE_STATE = 5,
	THR_SERIAL_STATE = 6, // in no parallel region
	THR_REDUC_STATE = 7,
	THR_LKWT_STATE = 8,  // the lock
	THR_CTWT_STATE = 9,  // the lock of the critical region
	THR_ODWT_STATE = 10, // the ordered region
	THR_ATWT_STATE = 11, // the lock of the atomic update
	// States of OpenUH.
	THR_TASK_CREATE_STATE = 12,
	THR_TASK_SCHEDULE_STATE = 13,
	THR_TASK_SUSPEND_STATE = 14,
	THR_TASK_STEAL_STATE = 15,
	THR_TASK_FINISH_STATE = 16,
	THR_LAST_STATE
} OMP_COLLECTOR_API_THR_STATE;

#ifdef __cplusplus
}
#endif

#endif
