// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes events (include/ompt/trace.h).

#include "spill.h"
#include "spill_system.h"

#define VARINT_BITS 7
#define VARINT_MORE (1u << VARINT_BITS)

void encoder_init(struct encoder *encoder, uint64_t time)
{
	encoder->time = time;
	encoder->num_templates = 0;
	encoder->latest_code = 0;
	encoder->latest = NULL;
	encoder->created = encoder->current = 0;
	encoder->num_suspended = 0;
	clear_bytes(encoder->last, sizeof(encoder->last));
	clear_bytes(encoder->slots, sizeof(encoder->slots));
}

/** Append a number. */
static unsigned char *put_varint(unsigned char *out, uint64_t value)
{
	while (UNLIKELY(value >= VARINT_MORE)) {
		*out++ = (unsigned char)(value | VARINT_MORE);
		value >>= VARINT_BITS;
	}
	*out++ = (unsigned char)value;
	return out;
}

/** Append a signed number. */
static unsigned char *put_signed(unsigned char *out, uint64_t value)
{
	return put_varint(out, value << 1 ^ -(value >> 63));
}

/** Return the object that is expected of an event of this kind. */
static inline uint64_t expected_object(const struct encoder *encoder, uint32_t kind)
{
	switch (kind) {
	case RECORD_TASK_CREATE:
		return encoder->created + 1;
	case RECORD_TASK_BEGIN:
		return encoder->created;
	case RECORD_TASK_END:
		return encoder->current;
	default:
		return encoder->last[trace_group(kind)];
	}
}

/** Note what has happened to tasks and other objects. */
static inline void note_object(struct encoder *encoder, const struct record_event *event)
{
	uint64_t object = event->object;
	uint32_t top = encoder->num_suspended;

	switch (event->kind) {
	case RECORD_TASK_CREATE:
		encoder->created = object;
		break;
	case RECORD_TASK_BEGIN:
		encoder->current = object;
		if (top && encoder->suspended[top - 1] == object)
			encoder->num_suspended = top - 1;
		break;
	case RECORD_TASK_END:
		if (event->detail != ompt_task_complete && event->detail != ompt_task_cancel &&
		    object == encoder->current && top < TRACE_MAX_SUSPENDED) {
			encoder->suspended[top] = object;
			encoder->num_suspended = top + 1;
		}
		encoder->current = 0;
		break;
	default:
		encoder->last[trace_group(event->kind)] = object;
	}
}

/** Check whether two templates tell the same. */
static inline bool is_same(const struct encoder_template *a, const struct encoder_template *b)
{
	return a->code == b->code && a->number == b->number && a->detail == b->detail &&
	       a->kind == b->kind && a->object == b->object;
}

/** Return the slot of a template. */
static inline uint8_t slot_of(const struct encoder_template *wanted)
{
	uint64_t hash = wanted->code ^ (uint64_t)wanted->number << 32 ^
			(uint64_t)wanted->kind << 56 ^ (uint64_t)wanted->object << 52 ^
			(uint64_t)wanted->detail << 20;

	return (uint8_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

/** Define a template. */
static struct encoder_template *define(struct encoder *encoder,
				       const struct encoder_template *wanted, uint8_t slot,
				       unsigned char **out)
{
	uint32_t number = (uint32_t)(encoder->num_templates++ % TRACE_TEMPLATES);
	struct encoder_template *template = &encoder->templates[number];

	if (encoder->num_templates > TRACE_TEMPLATES &&
	    encoder->slots[template->slot] == number + 1)
		encoder->slots[template->slot] = 0;
	*template = *wanted;
	template->next = 0;
	template->slot = slot;
	encoder->slots[slot] = (uint8_t)(number + 1);
	*(*out)++ = TRACE_NEW_TEMPLATE;
	*(*out)++ = template->kind;
	*(*out)++ = template->object;
	*out = put_varint(*out, template->detail);
	*out = put_signed(*out, template->code - encoder->latest_code);
	*out = put_varint(*out, template->number);
	encoder->latest_code = template->code;
	return template;
}

/** Append the template of an event, and its time. */
static inline struct encoder_template *put_front(struct encoder *encoder,
						 const struct encoder_template *wanted,
						 uint64_t passed, unsigned char **out)
{
	uint32_t guess = encoder->latest ? encoder->latest->next : 0;
	struct encoder_template *template = &encoder->templates[guess];
	uint8_t slot, found;

	if (LIKELY(passed < VARINT_MORE && guess < encoder->num_templates &&
		   is_same(template, wanted))) {
		*(*out)++ = (unsigned char)passed;
		return template;
	}
	slot = slot_of(wanted);
	found = encoder->slots[slot];
	if (found && is_same(&encoder->templates[found - 1], wanted)) {
		template = &encoder->templates[found - 1];
		*(*out)++ = (unsigned char)(VARINT_MORE + found - 1);
	} else {
		template = define(encoder, wanted, slot, out);
	}
	*out = put_varint(*out, passed);
	return template;
}

unsigned char *encoder_put(struct encoder *encoder, const struct record_event *event, uint64_t time,
			   unsigned char *out)
{
	uint64_t expected = expected_object(encoder, event->kind), passed = 0;
	struct encoder_template wanted = { .code = event->code,
					   .number = event->number,
					   .detail = event->detail,
					   .kind = event->kind,
					   .object = TRACE_OBJECT_EXPECTED };
	struct encoder_template *template;
	uint32_t top = encoder->num_suspended;

	if (event->kind == RECORD_DEPENDENCE)
		wanted.number -= (uint32_t)encoder->created;
	if (event->object != expected)
		wanted.object = event->kind == RECORD_TASK_BEGIN && top &&
						encoder->suspended[top - 1] == event->object ?
					TRACE_OBJECT_SUSPENDED :
					TRACE_OBJECT_DIFFERENCE;
	if (LIKELY(time > encoder->time)) {
		passed = time - encoder->time;
		encoder->time = time;
	}
	template = put_front(encoder, &wanted, passed, &out);
	if (wanted.object == TRACE_OBJECT_DIFFERENCE)
		out = put_signed(out, event->object - expected);
	note_object(encoder, event);
	if (encoder->latest)
		encoder->latest->next = (uint8_t)(template - encoder->templates);
	encoder->latest = template;
	return out;
}
