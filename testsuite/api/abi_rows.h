// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, offsets and enumerators of the OMPD interface, as whichever header was included before
// has them. Each including file names its table with ABI_TABLE.

#include <stddef.h>

#include "abi.h"

#define SIZE(type)                            \
	{                                     \
		"sizeof " #type, sizeof(type) \
	}
#define OFFSET(type, member)                                          \
	{                                                             \
		"offsetof " #type "." #member, offsetof(type, member) \
	}
#define VALUE(name)         \
	{                   \
#name, name \
	}

const struct abi_row ABI_TABLE[] = {
	SIZE(ompd_size_t),
	SIZE(ompd_wait_id_t),
	SIZE(ompd_addr_t),
	SIZE(ompd_word_t),
	SIZE(ompd_seg_t),
	SIZE(ompd_device_t),
	SIZE(ompd_thread_id_t),
	SIZE(ompd_icv_id_t),
	SIZE(ompd_rc_t),
	SIZE(ompd_scope_t),
	SIZE(ompt_state_t),
	SIZE(ompd_address_t),
	OFFSET(ompd_address_t, segment),
	OFFSET(ompd_address_t, address),
	SIZE(ompd_frame_info_t),
	OFFSET(ompd_frame_info_t, frame_address),
	OFFSET(ompd_frame_info_t, frame_flag),
	SIZE(ompd_device_type_sizes_t),
	OFFSET(ompd_device_type_sizes_t, sizeof_char),
	OFFSET(ompd_device_type_sizes_t, sizeof_short),
	OFFSET(ompd_device_type_sizes_t, sizeof_int),
	OFFSET(ompd_device_type_sizes_t, sizeof_long),
	OFFSET(ompd_device_type_sizes_t, sizeof_long_long),
	OFFSET(ompd_device_type_sizes_t, sizeof_pointer),
	SIZE(ompd_callbacks_t),
	OFFSET(ompd_callbacks_t, alloc_memory),
	OFFSET(ompd_callbacks_t, free_memory),
	OFFSET(ompd_callbacks_t, print_string),
	OFFSET(ompd_callbacks_t, sizeof_type),
	OFFSET(ompd_callbacks_t, symbol_addr_lookup),
	OFFSET(ompd_callbacks_t, read_memory),
	OFFSET(ompd_callbacks_t, write_memory),
	OFFSET(ompd_callbacks_t, read_string),
	OFFSET(ompd_callbacks_t, device_to_host),
	OFFSET(ompd_callbacks_t, host_to_device),
	OFFSET(ompd_callbacks_t, get_thread_context_for_thread_id),
	VALUE(ompd_segment_none),
	VALUE(ompd_scope_global),
	VALUE(ompd_scope_address_space),
	VALUE(ompd_scope_thread),
	VALUE(ompd_scope_parallel),
	VALUE(ompd_scope_implicit_task),
	VALUE(ompd_scope_task),
	VALUE(ompd_rc_ok),
	VALUE(ompd_rc_unavailable),
	VALUE(ompd_rc_stale_handle),
	VALUE(ompd_rc_bad_input),
	VALUE(ompd_rc_error),
	VALUE(ompd_rc_unsupported),
	VALUE(ompd_rc_needs_state_tracking),
	VALUE(ompd_rc_incompatible),
	VALUE(ompd_rc_device_read_error),
	VALUE(ompd_rc_device_write_error),
	VALUE(ompd_rc_nomem),
	VALUE(ompd_rc_incomplete),
	VALUE(ompd_rc_callback_error),
	VALUE(ompt_state_work_serial),
	VALUE(ompt_state_work_parallel),
	VALUE(ompt_state_work_reduction),
	VALUE(ompt_state_wait_barrier),
	VALUE(ompt_state_wait_barrier_implicit_parallel),
	VALUE(ompt_state_wait_barrier_implicit_workshare),
	VALUE(ompt_state_wait_barrier_implicit),
	VALUE(ompt_state_wait_barrier_explicit),
	VALUE(ompt_state_wait_barrier_implementation),
	VALUE(ompt_state_wait_barrier_teams),
	VALUE(ompt_state_wait_taskwait),
	VALUE(ompt_state_wait_taskgroup),
	VALUE(ompt_state_wait_mutex),
	VALUE(ompt_state_wait_lock),
	VALUE(ompt_state_wait_critical),
	VALUE(ompt_state_wait_atomic),
	VALUE(ompt_state_wait_ordered),
	VALUE(ompt_state_wait_target),
	VALUE(ompt_state_wait_target_map),
	VALUE(ompt_state_wait_target_update),
	VALUE(ompt_state_idle),
	VALUE(ompt_state_overhead),
	VALUE(ompt_state_undefined),
	{ NULL, 0 },
};
