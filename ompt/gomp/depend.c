// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences of tasks. The compiler passes an array of one of two forms: "count, outs, addresses"
// with outs first, or "0, count, outs, mutexinoutsets, ins, addresses, omp_depend_t objects".

#include <stdlib.h>

#include "task.h"

size_t gomp_num_dependences(void **depend)
{
	return (size_t)(depend[0] ? depend[0] : depend[1]);
}

/** Return a dependence on an address; null stands for omp_all_memory where a task writes. */
static ompt_dependence_t dependence(void *address, ompt_dependence_type_t type)
{
	ompt_dependence_t result = { .variable.ptr = address, .dependence_type = type };

	if (!address && type == ompt_dependence_type_out)
		result.dependence_type = ompt_dependence_type_out_all_memory;
	else if (!address && type == ompt_dependence_type_inout)
		result.dependence_type = ompt_dependence_type_inout_all_memory;
	return result;
}

/** Return the dependence that an omp_depend_t stands for. */
static ompt_dependence_t depend_object(void **object)
{
	static const ompt_dependence_type_t types[] = {
		[GOMP_DEPEND_IN] = ompt_dependence_type_in,
		[GOMP_DEPEND_OUT] = ompt_dependence_type_out,
		[GOMP_DEPEND_INOUT] = ompt_dependence_type_inout,
		[GOMP_DEPEND_MUTEXINOUTSET] = ompt_dependence_type_mutexinoutset,
		[GOMP_DEPEND_INOUTSET] = ompt_dependence_type_inoutset,
	};
	uintptr_t kind = (uintptr_t)object[1];

	return dependence(object[0], kind < sizeof(types) / sizeof(types[0]) ?
					     types[kind] :
					     ompt_dependence_type_inout);
}

static void fill(ompt_dependence_t *list, void **depend, size_t count)
{
	size_t outs = (size_t)(depend[0] ? depend[1] : depend[2]);

	if (depend[0]) {
		for (size_t i = 0; i < count; i++)
			list[i] = dependence(depend[2 + i], i < outs ? ompt_dependence_type_inout :
								       ompt_dependence_type_in);
		return;
	}
	size_t mutexes = outs + (size_t)depend[3], ins = mutexes + (size_t)depend[4];

	for (size_t i = 0; i < count; i++) {
		void *item = depend[5 + i];

		if (i >= ins)
			list[i] = depend_object(item);
		else if (i >= mutexes)
			list[i] = dependence(item, ompt_dependence_type_in);
		else if (i >= outs)
			list[i] = dependence(item, ompt_dependence_type_mutexinoutset);
		else
			list[i] = dependence(item, ompt_dependence_type_inout);
	}
}

void gomp_dependences(ompt_data_t *task, void **depend)
{
	ompt_callback_dependences_t event = CALLBACK(ompt_callback_dependences);
	size_t count = gomp_num_dependences(depend);
	ompt_dependence_t few[32], *list = few;

	if (!event || !count)
		return;
	if (count > sizeof(few) / sizeof(few[0]))
		list = malloc(count * sizeof(*list));
	if (!list)
		return;
	fill(list, depend, count);
	event(task, list, (int)count);
	if (list != few)
		free(list);
}
