// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tr2_here.h"

void meet(void){
#pragma omp barrier
}

uint64_t self(void)
{
	return (uint64_t)pthread_self();
}

ompd_rc_t open_handles(struct handles *handles)
{
	uint64_t id = self();
	ompd_rc_t rc;

	memset(handles, 0, sizeof(*handles));
	rc = ompd_process_initialize(tr2_host_context(), &handles->space);
	if (rc == ompd_rc_ok)
		rc = ompd_get_thread_handle(handles->space, ompd_osthread_pthread, sizeof(id), &id,
					    &handles->thread);
	if (rc == ompd_rc_ok)
		rc = ompd_get_top_parallel_region(handles->thread, &handles->parallel);
	if (rc == ompd_rc_ok)
		rc = ompd_get_top_task_region(handles->thread, &handles->task);
	return rc;
}

void close_handles(struct handles *handles)
{
	if (handles->task)
		assert_int_equal(ompd_release_task_handle(handles->task), ompd_rc_ok);
	if (handles->parallel)
		assert_int_equal(ompd_release_parallel_handle(handles->parallel), ompd_rc_ok);
	if (handles->thread)
		assert_int_equal(ompd_release_thread_handle(handles->thread), ompd_rc_ok);
	if (handles->space)
		assert_int_equal(ompd_release_address_space_handle(handles->space), ompd_rc_ok);
	memset(handles, 0, sizeof(*handles));
}

int initialize(void **state)
{
	(void)state;
	memset(&tr2_host, 0, sizeof(tr2_host));
	here_blocks = 0;
	return ompd_initialize(&tr2_host_callbacks) != ompd_rc_ok;
}

int finalize(void **state)
{
	(void)state;
	ompd_rc_t rc = ompd_finalize();

	if (here_blocks)
		fprintf(stderr, "%ld blocks are not freed\n", here_blocks);
	return rc != ompd_rc_ok || here_blocks != 0;
}
