// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines for the memory of devices. On the host they allocate and copy as well.

#include "target.h"

/** A data operation while its thread is in it. */
struct operation {
	ompt_target_data_op_t optype;
	int src_device, dest_device;
	void *src, *dest;
	size_t bytes;
	ompt_id_t host_op_id;
	ompt_data_t no_construct;
	const void *code;
};

/** Return the number of a device that a program names, or -1: there is none. */
static int device_number(int device)
{
	enum { INITIAL = -1 }; // since GCC 13, which also has the function asked for here
	int host = gomp_host_device();

	if (device == INITIAL && gomp_ask.omp_get_mapped_ptr)
		return host;
	// GCC 10 has a number of its own for the host.
	if (gomp_ask.omp_get_initial_device && device == gomp_ask.omp_get_initial_device())
		return host;
	return device >= 0 && device < host ? device : -1;
}

static void tell(struct thread *thread, struct operation *operation, ompt_scope_endpoint_t endpoint)
{
	ompt_callback_target_data_op_emi_t callback = CALLBACK(ompt_callback_target_data_op_emi);
	ompt_data_t *task = &thread->task->data;

	if (callback)
		callback(endpoint, thread->task->flags & ompt_task_target ? task : NULL,
			 thread->target_data ? thread->target_data : &operation->no_construct,
			 &operation->host_op_id, operation->optype, operation->src,
			 operation->src_device, operation->dest, operation->dest_device,
			 operation->bytes, operation->code);
}

static void begin_operation(struct thread *thread, struct operation *operation)
{
	gomp_use_device(operation->src_device);
	gomp_use_device(operation->dest_device);
	tell(thread, operation, ompt_scope_begin);
}

ENTRY(void *, omp_target_alloc, (size_t size, int device), (size, device))
{
	struct thread *thread = this_thread();
	struct operation operation = {
		.optype = ompt_target_data_alloc,
		.src_device = gomp_host_device(),
		.dest_device = device_number(device),
		.bytes = size,
		.code = RETURN_ADDRESS,
	};

	if (operation.dest_device < 0)
		return gomp_real.omp_target_alloc(size, device);
	enter_frame(thread, FRAME_ADDRESS);
	begin_operation(thread, &operation);
	operation.dest = gomp_real.omp_target_alloc(size, device);
	tell(thread, &operation, ompt_scope_end);
	leave_frame(thread);
	return operation.dest;
}

ENTRY(void, omp_target_free, (void *address, int device), (address, device))
{
	struct thread *thread = this_thread();
	struct operation operation = {
		.optype = ompt_target_data_delete,
		.src = address,
		.src_device = device_number(device),
		.dest_device = -1,
		.code = RETURN_ADDRESS,
	};

	if (!address || operation.src_device < 0) {
		gomp_real.omp_target_free(address, device);
		return;
	}
	enter_frame(thread, FRAME_ADDRESS);
	begin_operation(thread, &operation);
	gomp_real.omp_target_free(address, device);
	tell(thread, &operation, ompt_scope_end);
	leave_frame(thread);
}

/** Return which way a copy goes. Between two devices, or on one, it goes to a device. */
static ompt_target_data_op_t direction(const struct operation *operation, bool async)
{
	int host = gomp_host_device();
	ompt_target_data_op_t optype = operation->dest_device == host &&
						       operation->src_device != host ?
					       ompt_target_data_transfer_from_device :
					       ompt_target_data_transfer_to_device;

	return async ? optype + (ompt_target_data_alloc_async - ompt_target_data_alloc) : optype;
}

// Define a function that copies BYTES, if COPIES: if its arguments can be right.
#define COPY(name, async, from, to, copies, bytes_, params, args)                       \
	ENTRY(int, name, params, args)                                                  \
	{                                                                               \
		struct thread *thread = this_thread();                                  \
		struct operation operation = {                                          \
			.src = (void *)(uintptr_t)(from),                               \
			.src_device = device_number(src_device),                        \
			.dest = (to),                                                   \
			.dest_device = device_number(dest_device),                      \
			.code = RETURN_ADDRESS,                                         \
		};                                                                      \
		int result;                                                             \
                                                                                        \
		if (!(copies) || operation.src_device < 0 || operation.dest_device < 0) \
			return gomp_real.name args;                                     \
		operation.optype = direction(&operation, async);                        \
		operation.bytes = (bytes_);                                             \
		enter_frame(thread, FRAME_ADDRESS);                                     \
		begin_operation(thread, &operation);                                    \
		result = gomp_real.name args;                                           \
		if (result)                                                             \
			operation.bytes = 0;                                            \
		tell(thread, &operation, ompt_scope_end);                               \
		leave_frame(thread);                                                    \
		return result;                                                          \
	}

COPY(omp_target_memcpy, false, (const char *)src + src_offset, (char *)dest + dest_offset,
     src &&dest, length,
     (void *dest, const void *src, size_t length, size_t dest_offset, size_t src_offset,
      int dest_device, int src_device),
     (dest, src, length, dest_offset, src_offset, dest_device, src_device))
COPY(omp_target_memcpy_async, true, (const char *)src + src_offset, (char *)dest + dest_offset,
     src &&dest, length,
     (void *dest, const void *src, size_t length, size_t dest_offset, size_t src_offset,
      int dest_device, int src_device, int num_depends, void **depends),
     (dest, src, length, dest_offset, src_offset, dest_device, src_device, num_depends, depends))

/** Return the size of a part of an array. */
static size_t volume_bytes(size_t element_size, int num_dims, const size_t *volume)
{
	size_t bytes = element_size;

	for (int i = 0; i < num_dims; i++)
		bytes *= volume[i];
	return bytes;
}

COPY(omp_target_memcpy_rect, false, src, dest, src &&dest &&num_dims > 0,
     volume_bytes(element_size, num_dims, volume),
     (void *dest, const void *src, size_t element_size, int num_dims, const size_t *volume,
      const size_t *dest_offsets, const size_t *src_offsets, const size_t *dest_dimensions,
      const size_t *src_dimensions, int dest_device, int src_device),
     (dest, src, element_size, num_dims, volume, dest_offsets, src_offsets, dest_dimensions,
      src_dimensions, dest_device, src_device))
COPY(omp_target_memcpy_rect_async, true, src, dest, src &&dest &&num_dims > 0,
     volume_bytes(element_size, num_dims, volume),
     (void *dest, const void *src, size_t element_size, int num_dims, const size_t *volume,
      const size_t *dest_offsets, const size_t *src_offsets, const size_t *dest_dimensions,
      const size_t *src_dimensions, int dest_device, int src_device, int num_depends,
      void **depends),
     (dest, src, element_size, num_dims, volume, dest_offsets, src_offsets, dest_dimensions,
      src_dimensions, dest_device, src_device, num_depends, depends))
