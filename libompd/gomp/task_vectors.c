// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/task_vectors.h"

enum { FIRST_CAPACITY = 64 };

static ompd_rc_t grow(struct task_vectors *vectors, const struct target *target)
{
	size_t capacity = vectors->capacity ? 2 * vectors->capacity : FIRST_CAPACITY;
	struct task_vector *ring = target_alloc(target, capacity * sizeof(*ring));

	if (!ring)
		return ompd_rc_nomem;
	for (size_t i = 0; i < vectors->count; i++)
		ring[i] = vectors->ring[(vectors->begin + i) & (vectors->capacity - 1)];
	target_free(target, vectors->ring);
	vectors->ring = ring;
	vectors->begin = 0;
	vectors->capacity = capacity;
	return ompd_rc_ok;
}

ompd_rc_t task_vectors_add(struct task_vectors *vectors, const struct runtime *runtime,
			   uint64_t vector, uint64_t parent)
{
	const struct target *target = &runtime->target;
	uint32_t elements = runtime->layout.field[GOMP_FIELD_gomp_dependers_vec__elem].offset;
	struct gomp_record record = { .address = vector };

	if (vector % 8 != 0 || elements + 8 > sizeof(record.bytes))
		return ompd_rc_error;
	ompd_rc_t rc = target_read(target, vector, record.bytes, elements + 8);

	if (rc != ompd_rc_ok)
		return rc;
	uint64_t count = gomp_get(runtime, &record, 0, GOMP_FIELD_gomp_dependers_vec__n_elem);

	if (count > UINT32_MAX)
		return ompd_rc_error;
	if (count == 0)
		return ompd_rc_ok;
	if (vectors->count == vectors->capacity) {
		rc = grow(vectors, target);
		if (rc != ompd_rc_ok)
			return rc;
	}
	size_t end = (vectors->begin + vectors->count++) & (vectors->capacity - 1);

	vectors->ring[end] = (struct task_vector){
		.elements = vector + elements,
		.first = target_uint(record.bytes + elements, 8),
		.parent = parent,
		.count = count,
	};
	return ompd_rc_ok;
}

void task_vectors_drop(struct task_vectors *vectors)
{
	vectors->begin = (vectors->begin + 1) & (vectors->capacity - 1);
	vectors->count--;
	vectors->chunk_address = 0;
}

static ompd_rc_t read_element(struct task_vectors *vectors, const struct target *target,
			      const struct task_vector *vector, uint64_t *ret)
{
	uint32_t first = vector->next / TASK_VECTORS_CHUNK * TASK_VECTORS_CHUNK;
	uint32_t count = vector->count - first;
	uint64_t address = vector->elements + 8 * (uint64_t)first;

	if (vectors->chunk_address != address) {
		if (count > TASK_VECTORS_CHUNK)
			count = TASK_VECTORS_CHUNK;
		ompd_rc_t rc = target_read(target, address, vectors->chunk, 8 * (size_t)count);

		if (rc != ompd_rc_ok)
			return rc;
		vectors->chunk_address = address;
	}
	*ret = target_uint(&vectors->chunk[vector->next - first], 8);
	return ompd_rc_ok;
}

ompd_rc_t task_vectors_take(struct task_vectors *vectors, const struct runtime *runtime,
			    uint64_t *task, uint64_t *parent)
{
	if (!vectors->count)
		return ompd_rc_unavailable;
	struct task_vector *vector = &vectors->ring[vectors->begin];

	*parent = vector->parent;
	*task = vector->first;
	if (vector->next != 0 &&
	    read_element(vectors, &runtime->target, vector, task) != ompd_rc_ok) {
		task_vectors_drop(vectors);
		return ompd_rc_error;
	}
	if (++vector->next == vector->count)
		task_vectors_drop(vectors);
	return ompd_rc_ok;
}

void task_vectors_close(struct task_vectors *vectors, const struct runtime *runtime)
{
	target_free(&runtime->target, vectors->ring);
	*vectors = (struct task_vectors){ 0 };
}
