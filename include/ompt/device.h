// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native records in a device's trace, as ompt_get_record_native returns them for devices of the types
// "host" (GCC's libgomp) and "generic-64bit" (LLVM's libomptarget). See docs/device-tracing.md.

#ifndef OMPDBG_DEVICE_H
#define OMPDBG_DEVICE_H

#include "omp-tools.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of activity. */
enum device_activity_kind {
	// Numbers below are those of ompt_target_data_op_t, for data operations.
	DEVICE_KERNEL = 0x100,
	DEVICE_TRACE_STARTED = 0x101, // this and the next two are no activities, only notes
	DEVICE_TRACE_PAUSED = 0x102,
	DEVICE_TRACE_RESUMED = 0x103,
};

/** An activity of a device, from its begin to its end. */
struct device_activity {
	uint32_t size; // of this structure
	uint32_t kind;
	ompt_device_time_t start_time;
	ompt_device_time_t end_time; // ompt_time_none: not known
	ompt_hwid_t hwid;	     // number of the processor at the end, plus 1
	ompt_id_t target_id;	     // ompt_id_none: outside of any construct
	ompt_id_t host_op_id;
	ompt_id_t thread_id; // the system's number of the thread that ran it
	void *src_addr;	     // this and the next four: of a data operation
	void *dest_addr;
	int src_device_num;
	int dest_device_num;
	uint64_t bytes;
	uint32_t requested_num_teams; // this and the next: of a kernel
	uint32_t granted_num_teams;   // 0: not known
};

#ifdef __cplusplus
}
#endif

#endif
