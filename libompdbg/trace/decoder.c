// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the events of a chunk (include/ompt/trace.h).

#include <stddef.h>

#include "ompt/omp-tools.h"
#include "trace/room.h"

enum { VARINT_BITS = 7, VARINT_MORE = 1 << VARINT_BITS, WORD_BITS = 64 };

void decoder_init(struct decoder *decoder, const unsigned char *bytes, size_t size, uint64_t time)
{
	decoder->at = bytes;
	decoder->end = bytes + size;
	decoder->time = time;
	decoder->num_templates = 0;
	decoder->latest_code = 0;
	decoder->latest = NULL;
	decoder->created = decoder->current = 0;
	decoder->num_suspended = 0;
	for (int i = 0; i < TRACE_GROUPS; i++)
		decoder->last[i] = 0;
}

/** Take a number, of at most ten bytes. */
static uint64_t take_varint(struct decoder *decoder)
{
	uint64_t value = 0;

	for (int shift = 0; shift < WORD_BITS; shift += VARINT_BITS) {
		unsigned char byte = *decoder->at++;

		value |= (uint64_t)(byte & (VARINT_MORE - 1)) << shift;
		if (!(byte & VARINT_MORE))
			break;
	}
	return value;
}

static uint64_t take_signed(struct decoder *decoder)
{
	uint64_t value = take_varint(decoder);

	return value >> 1 ^ -(value & 1);
}

/** Take a new template. @return NULL: it is damaged. */
static struct template *take_template(struct decoder *decoder)
{
	struct template *template = &decoder->templates[decoder->num_templates++ % TRACE_TEMPLATES];

	template->kind = *decoder->at++;
	template->object = *decoder->at++;
	template->detail = (uint16_t)take_varint(decoder);
	template->code = decoder->latest_code += take_signed(decoder);
	template->number = (uint32_t)take_varint(decoder);
	template->next = 0;
	return template->object < TRACE_OBJECT_MODES ? template : NULL;
}

/** Take a template and the time. @return NULL: it is damaged. */
static struct template *take_front(struct decoder *decoder)
{
	unsigned int byte = *decoder->at++;
	struct template *template;

	if (byte == TRACE_NEW_TEMPLATE) {
		template = take_template(decoder);
		decoder->time += take_varint(decoder);
		return template;
	}
	if (byte < VARINT_MORE) {
		decoder->time += byte;
		byte = decoder->latest ? decoder->latest->next : 0;
	} else {
		byte -= VARINT_MORE;
		decoder->time += take_varint(decoder);
	}
	return byte < TRACE_TEMPLATES && byte < decoder->num_templates ? &decoder->templates[byte] :
									 NULL;
}

/** Return the object that is expected of an event of this kind. */
static uint64_t expected_object(const struct decoder *decoder, unsigned int kind)
{
	switch (kind) {
	case RECORD_TASK_CREATE:
		return decoder->created + 1;
	case RECORD_TASK_BEGIN:
		return decoder->created;
	case RECORD_TASK_END:
		return decoder->current;
	default:
		return decoder->last[trace_group(kind)];
	}
}

/** Note the end of a task, or its suspension. */
static void end_task(struct decoder *decoder, const struct trace_event *event)
{
	if (event->detail != ompt_task_complete && event->detail != ompt_task_cancel &&
	    event->object == decoder->current && decoder->num_suspended < TRACE_MAX_SUSPENDED)
		decoder->suspended[decoder->num_suspended++] = event->object;
	decoder->current = 0;
}

/** Note what has happened to tasks and other objects. */
static void note_object(struct decoder *decoder, const struct trace_event *event)
{
	switch (event->kind) {
	case RECORD_TASK_CREATE:
		decoder->created = event->object;
		break;
	case RECORD_TASK_BEGIN:
		decoder->current = event->object;
		if (decoder->num_suspended &&
		    decoder->suspended[decoder->num_suspended - 1] == event->object)
			decoder->num_suspended--;
		break;
	case RECORD_TASK_END:
		end_task(decoder, event);
		break;
	default:
		decoder->last[trace_group(event->kind)] = event->object;
	}
}

bool decoder_next(struct decoder *decoder, struct trace_event *event)
{
	struct template *template;

	if (decoder->at >= decoder->end)
		return false;
	template = take_front(decoder);
	if (!template)
		return false;
	event->kind = template->kind;
	event->detail = template->detail;
	event->code = template->code;
	event->number = template->number;
	if (template->kind == RECORD_DEPENDENCE)
		event->number += (uint32_t)decoder->created;
	if (template->object == TRACE_OBJECT_SUSPENDED) {
		if (!decoder->num_suspended)
			return false;
		event->object = decoder->suspended[decoder->num_suspended - 1];
	} else {
		event->object = expected_object(decoder, template->kind);
		if (template->object == TRACE_OBJECT_DIFFERENCE)
			event->object += take_signed(decoder);
	}
	note_object(decoder, event);
	if (decoder->latest)
		decoder->latest->next = (uint8_t)(template - decoder->templates);
	decoder->latest = template;
	return decoder->at <= decoder->end;
}
