// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake OMPD library's states, display control variables, and ICVs, which drive the callbacks.

#include <string.h>

#include "fake_ompd.h"

static char *copy(const char *string)
{
	void *memory;

	if (fake.callbacks->alloc_memory(strlen(string) + 1, &memory) != ompd_rc_ok)
		return NULL;
	return strcpy(memory, string);
}

// ---- Enumerations ----------------------------------------------------------------------------

static const struct {
	ompd_word_t state;
	const char *name;
} states[] = {
	{ ompt_state_work_serial, "ompt_state_work_serial" },
	{ ompt_state_wait_barrier, "ompt_state_wait_barrier" },
	{ ompt_state_undefined, "ompt_state_undefined" },
};

ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *handle, ompd_word_t current,
				ompd_word_t *next, const char **name, ompd_word_t *more)
{
	int index = 0;

	(void)handle;
	FAIL_ON_DEMAND("ompd_enumerate_states");
	while (current != ompt_state_undefined && states[index].state != current)
		index++;
	if (current != ompt_state_undefined)
		index++;
	*next = states[index].state;
	*name = copy(states[index].name);
	*more = index < 2;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *handle,
					const char *const **variables)
{
	static const char *const values[] = { "OMP_NUM_THREADS=4", "OMP_DYNAMIC=false", NULL };
	void *memory;

	(void)handle;
	fake.callbacks->alloc_memory(sizeof(values), &memory);
	memcpy(memory, values, sizeof(values));
	*variables = memory;
	return ompd_rc_ok;
}

ompd_rc_t ompd_rel_display_control_vars(const char *const **variables)
{
	fake.callbacks->free_memory((void *)*variables);
	*variables = NULL;
	return ompd_rc_ok;
}

ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current,
			      ompd_icv_id_t *next, const char **name, ompd_scope_t *scope,
			      int *more)
{
	char text[] = "fake-00-var";

	(void)handle;
	FAIL_ON_DEMAND("ompd_enumerate_icvs");
	*next = current + 1;
	text[5] = (char)('0' + *next / 10);
	text[6] = (char)('0' + *next % 10);
	*name = copy(text);
	*scope = *next == FAKE_ICV_SCOPE  ? ompd_scope_implicit_task :
		 *next == FAKE_ICV_GLOBAL ? ompd_scope_global :
					    ompd_scope_address_space;
	*more = *next < FAKE_ICV_LAST || fake_failing("endless");
	return ompd_rc_ok;
}

// ---- ICVs ------------------------------------------------------------------------------------

static ompd_rc_t read_all(ompd_address_space_context_t *context, bool ignore, ompd_word_t *sum)
{
	static uint8_t buffer[1 << 20];

	*sum = 0;
	for (int i = 0; i < fake.num_reads; i++) {
		ompd_address_t address = { 0, fake.reads[i].address };
		ompd_rc_t rc = fake.callbacks->read_memory(context, NULL, &address,
							   fake.reads[i].size, buffer);

		if (rc != ompd_rc_ok && !ignore)
			return rc;
		for (uint64_t byte = 0; rc == ompd_rc_ok && byte < fake.reads[i].size; byte++)
			*sum += buffer[byte];
	}
	return ompd_rc_ok;
}

static ompd_rc_t convert(ompd_address_space_context_t *context, ompd_word_t *value)
{
	const uint32_t in[3] = { 1, 2, 0x12345678 };
	uint32_t out[3] = { 0 }, back[3] = { 0 };
	ompd_device_type_sizes_t sizes;

	fake.callbacks->sizeof_type(context, &sizes);
	fake.callbacks->device_to_host(context, in, 4, 3, out);
	fake.callbacks->host_to_device(context, out, 4, 3, back);
	bool overflow = fake.callbacks->device_to_host(context, in, UINT64_MAX, 2, out) ==
			ompd_rc_bad_input;
	*value = overflow && memcmp(in, back, sizeof(in)) == 0 && sizes.sizeof_char == 1 &&
		 sizes.sizeof_short == 2 && sizes.sizeof_int == 4 && sizes.sizeof_long == 8 &&
		 sizes.sizeof_long_long == 8 && sizes.sizeof_pointer == 8;
	return ompd_rc_ok;
}

static ompd_rc_t symbol_of_thread(ompd_address_space_context_t *context, ompd_word_t *value)
{
	ompd_thread_context_t *thread = NULL;
	ompd_address_t address = { 0 };
	const int32_t lwp = FAKE_LWP + 1;
	ompd_rc_t rc = fake.callbacks->get_thread_context_for_thread_id(context, ompd_thread_id_lwp,
									sizeof(lwp), &lwp, &thread);

	if (rc == ompd_rc_ok && !thread)
		rc = ompd_rc_error;
	if (rc == ompd_rc_ok)
		rc = fake.callbacks->symbol_addr_lookup(context, thread, "tls", &address, NULL);
	*value = (ompd_word_t)address.address;
	return rc;
}

ompd_rc_t ompd_get_icv_from_scope(void *memory, ompd_scope_t scope, ompd_icv_id_t id,
				  ompd_word_t *value)
{
	struct handle *handle = memory;
	ompd_address_t address = { 0 };
	ompd_rc_t rc;

	FAIL_ON_DEMAND("ompd_get_icv_from_scope");
	switch (id) {
	case FAKE_ICV_SCOPE:
	case FAKE_ICV_GLOBAL:
		*value = scope;
		return ompd_rc_ok;
	case FAKE_ICV_READ:
	case FAKE_ICV_IGNORE:
		return read_all(handle->context, id == FAKE_ICV_IGNORE, value);
	case FAKE_ICV_SYMBOL:
		rc = fake.callbacks->symbol_addr_lookup(handle->context, NULL, "name", &address,
							"file");
		*value = (ompd_word_t)address.address;
		return rc;
	case FAKE_ICV_CONTEXT:
		return symbol_of_thread(handle->context, value);
	case FAKE_ICV_PRINT:
		*value = 0;
		return fake.callbacks->print_string("said\n", 3);
	case FAKE_ICV_WRITE:
		*value = fake.callbacks->write_memory(handle->context, NULL, &address, 1, "");
		return ompd_rc_ok;
	case FAKE_ICV_CONVERT:
		return convert(handle->context, value);
	default:
		return ompd_rc_bad_input;
	}
}

ompd_rc_t ompd_get_icv_string_from_scope(void *memory, ompd_scope_t scope, ompd_icv_id_t id,
					 const char **string)
{
	struct handle *handle = memory;
	char buffer[64] = "";

	(void)scope;
	if (id != FAKE_ICV_STRING)
		return ompd_rc_bad_input;
	ompd_address_t address = { 0, fake.reads[0].address };
	ompd_rc_t rc = fake.callbacks->read_string(handle->context, NULL, &address,
						   fake.reads[0].size, buffer);
	if (rc != ompd_rc_ok)
		return rc;
	*string = copy(buffer);
	return *string ? ompd_rc_ok : ompd_rc_nomem;
}

#ifndef FAKE_SPARSE
ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread, ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	FAIL_ON_DEMAND("ompd_get_state");
	*state = ompt_state_wait_barrier;
	*wait_id = 0xfedcba9876543210 + ((struct handle *)thread)->value;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
			     ompd_address_t *ptr)
{
	(void)handle;
	*value = -1;
	*ptr = (ompd_address_t){ 0, 0x5000u + scope };
	return ompd_rc_ok;
}
#endif
