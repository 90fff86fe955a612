// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of the program: which were loaded, where and when.

#include <string.h>

#include "base/table.h"
#include "trace/room.h"

enum { PADDING = 8 };

/** A part of a chunk that has not been read. */
struct rest {
	const unsigned char *at;
	size_t size;
};

/** Take bytes off the rest. @return NULL: there are not so many. */
static const void *take_bytes(struct rest *rest, uint64_t size)
{
	const unsigned char *bytes = rest->at;

	if (size > rest->size)
		return NULL;
	rest->at += size;
	rest->size -= (size_t)size;
	return bytes;
}

/** Take a module off the rest. @return false: it is damaged. */
static bool take_module(struct trace *trace, struct rest *rest, struct trace_module *ret)
{
	struct trace_module_head head;
	const void *bytes = take_bytes(rest, sizeof(head));

	if (!bytes)
		return false;
	memcpy(&head, bytes, sizeof(head));
	const char *path = take_bytes(rest, head.path_size);
	const unsigned char *build_id =
		take_bytes(rest, ((uint64_t)head.build_id_size + PADDING - 1) / PADDING * PADDING);
	const void *ranges =
		take_bytes(rest, (uint64_t)head.num_ranges * sizeof(struct trace_range_entry));
	if (!path || !build_id || !ranges || !head.path_size || path[head.path_size - 1] ||
	    !head.num_ranges)
		return false;
	struct trace_range *copy = ARENA_ARRAY(trace->arena, struct trace_range, head.num_ranges);
	for (uint32_t i = 0; i < head.num_ranges; i++) {
		struct trace_range_entry entry;
		memcpy(&entry, (const unsigned char *)ranges + i * sizeof(entry), sizeof(entry));
		copy[i] = (struct trace_range){ entry.start, entry.end, entry.offset };
	}
	*ret = (struct trace_module){ .path = path,
				      .build_id = build_id,
				      .build_id_size = head.build_id_size,
				      .bias = head.bias,
				      .ranges = copy,
				      .num_ranges = head.num_ranges };
	return true;
}

static bool is_same_module(const struct trace_module *a, const struct trace_module *b)
{
	if (strcmp(a->path, b->path) != 0 || a->bias != b->bias ||
	    a->build_id_size != b->build_id_size || a->num_ranges != b->num_ranges ||
	    memcmp(a->build_id, b->build_id, a->build_id_size) != 0)
		return false;
	for (size_t i = 0; i < a->num_ranges; i++)
		if (a->ranges[i].start != b->ranges[i].start ||
		    a->ranges[i].end != b->ranges[i].end)
			return false;
	return true;
}

/** Note a module of a list. Of those that were there before, `until` is 0. */
static void note_module(struct trace *trace, const struct trace_module *module, uint64_t since)
{
	struct arena *arena = trace->arena;
	size_t *place = (size_t *)table_put(&trace->by_start, arena, module->ranges[0].start);

	if (*place) {
		struct trace_module *known = &trace->modules[*place - 1];
		if (known->until == 0 && is_same_module(known, module)) {
			known->until = UINT64_MAX;
			return;
		}
	}
	struct trace_module *new =
		ARENA_APPEND(arena, trace->modules, trace->num_modules, trace->modules_capacity);
	unsigned char *build_id = arena_alloc(arena, module->build_id_size + 1);
	memcpy(build_id, module->build_id, module->build_id_size);
	*new = *module;
	new->path = arena_strdup(arena, module->path);
	new->build_id = build_id;
	new->since = since;
	new->until = UINT64_MAX;
	*place = trace->num_modules;
}

bool trace_take_modules(struct trace *trace, const unsigned char *content, size_t size)
{
	struct rest rest = { content, size };
	const void *bytes = take_bytes(&rest, sizeof(struct trace_module_list));
	size_t num_before = trace->num_modules;
	struct trace_module_list list;

	if (!bytes)
		return false;
	memcpy(&list, bytes, sizeof(list));
	uint64_t looked = trace_ticks(trace, list.looked);
	uint64_t since = list.since ? trace_ticks(trace, list.since) : 0;
	for (size_t i = 0; i < num_before; i++)
		if (trace->modules[i].until == UINT64_MAX)
			trace->modules[i].until = 0; // is it still there?
	bool is_whole = true;
	for (uint32_t i = 0; i < list.count && is_whole; i++) {
		struct trace_module module;
		is_whole = take_module(trace, &rest, &module);
		if (is_whole)
			note_module(trace, &module, since);
	}
	for (size_t i = 0; i < num_before; i++)
		if (trace->modules[i].until == 0)
			trace->modules[i].until = looked ? looked : 1;
	return is_whole;
}

const struct trace_module *trace_modules(const struct trace *trace, size_t *count)
{
	*count = trace->num_modules;
	return trace->modules;
}

static bool has_code(const struct trace_module *module, uint64_t code)
{
	for (size_t i = 0; i < module->num_ranges; i++)
		if (code >= module->ranges[i].start && code < module->ranges[i].end)
			return true;
	return false;
}

const struct trace_module *trace_module_at(const struct trace *trace, uint64_t code, uint64_t time)
{
	const struct trace_module *found = NULL;

	for (size_t i = 0; i < trace->num_modules; i++) {
		const struct trace_module *module = &trace->modules[i];
		if (time < module->since || time > module->until || !has_code(module, code))
			continue;
		if (found)
			return NULL;
		found = module;
	}
	return found;
}
