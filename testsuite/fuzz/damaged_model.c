// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "damaged_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "../recorded/printer/recorded_services.h"
#include "kept_program.h"
#include "memory_damage.h"

enum { MAX_DAMAGES = 8 };

static struct recorded_target *targets;
static uint32_t target_count;
static const char *ompd;

void model_targets(const char *path, const char *library)
{
	target_count = recorded_open(path, &targets);
	ompd = library;
	kept_programs_open(library, targets, target_count);
}

static struct ompdbg_error *add(void *context, const char *text, size_t size)
{
	struct model_answer *answer = context;

	for (size_t i = 0; i < size; i++)
		answer->sum = (answer->sum ^ (uint8_t)text[i]) * 0x100000001b3u;
	answer->size += size;
	return NULL;
}

struct model_answer model_print(struct ompdbg_program *program, enum ompdbg_view view)
{
	struct model_answer answer = { 0 };

	for (int is_json = 0; is_json < 2; is_json++) {
		const struct ompdbg_form form = { .is_json = is_json, .width = 80 };

		ompdbg_error_destroy(ompdbg_print(program, view, &form, add, &answer));
	}
	return answer;
}

static void damage(struct recorded_target *target, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < MAX_DAMAGES && (i + 1) * INPUT_DAMAGE_SIZE <= size; i++)
		damage_memory(target, data + i * INPUT_DAMAGE_SIZE);
}

/** Ask about memory that is damaged before it is looked at for the first time. */
static struct model_answer ask_fresh(uint32_t number, enum ompdbg_view view, const uint8_t *data,
				     size_t size)
{
	struct recorded_target *target = &targets[number];
	const struct ompdbg_services services = recorded_services(target);
	struct ompdbg_program *program = NULL;
	struct model_answer answer = { 0 };
	size_t blocks = recorded_blocks;

	recorded_begin_call();
	damage(target, data, size);
	ompdbg_error_destroy(ompdbg_program_open(&services, ompd, &program));
	if (program)
		answer = model_print(program, view);
	recorded_mend();
	ompdbg_program_close(program);
	if (recorded_blocks != blocks) {
		fprintf(stderr, "%s: blocks of memory are left\n", target->name);
		abort();
	}
	return answer;
}

struct model_answer model_ask(const uint8_t *data, size_t size)
{
	if (size < MODEL_DAMAGES)
		return (struct model_answer){ 0 };
	uint32_t number = data[MODEL_TARGET] % target_count;
	enum ompdbg_view view = data[MODEL_VIEW] % MODEL_VIEWS;
	struct model_answer answer;

	if (data[MODEL_AFTER] % 2 == 0)
		return ask_fresh(number, view, data + MODEL_DAMAGES, size - MODEL_DAMAGES);
	struct ompdbg_program *program = kept_program_take(number);

	damage(&targets[number], data + MODEL_DAMAGES, size - MODEL_DAMAGES);
	ompdbg_error_destroy(ompdbg_program_refresh(program));
	answer = model_print(program, view);
	recorded_mend();
	kept_program_return(number);
	return answer;
}
