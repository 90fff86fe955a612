// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "damaged_model.h"

#include "../recorded/printer/recorded_services.h"
#include "memory_damage.h"
#include "ompdbg/ompdbg.h"

enum { MAX_DAMAGES = 8 };

static struct recorded_target *targets;
static uint32_t target_count;
static const char *ompd;

void model_targets(const char *path, const char *library)
{
	target_count = recorded_open(path, &targets);
	ompd = library;
}

static struct ompdbg_error *count(void *context, const char *text, size_t size)
{
	size_t *printed = context;

	(void)text;
	*printed += size;
	return NULL;
}

static size_t print(struct ompdbg_program *program, enum ompdbg_view view)
{
	size_t printed = 0;

	for (int is_json = 0; is_json < 2; is_json++) {
		const struct ompdbg_form form = { .is_json = is_json, .width = 80 };

		ompdbg_error_destroy(ompdbg_print(program, view, &form, count, &printed));
	}
	return printed;
}

size_t model_ask(const uint8_t *data, size_t size)
{
	enum { TARGET, AFTER, VIEW, DAMAGES };
	struct ompdbg_program *program = NULL;
	size_t printed = 0;

	if (size < DAMAGES)
		return 0;
	struct recorded_target *target = &targets[data[TARGET] % target_count];
	const struct ompdbg_services services = recorded_services(target);
	bool is_after = data[AFTER] % 2;

	if (is_after)
		ompdbg_error_destroy(ompdbg_program_open(&services, ompd, &program));
	for (size_t i = 0; i < MAX_DAMAGES && DAMAGES + (i + 1) * INPUT_DAMAGE_SIZE <= size; i++)
		damage_memory(target, data + DAMAGES + i * INPUT_DAMAGE_SIZE);
	if (!is_after)
		ompdbg_error_destroy(ompdbg_program_open(&services, ompd, &program));
	else if (program)
		ompdbg_error_destroy(ompdbg_program_refresh(program));
	if (program)
		printed = print(program, data[VIEW] % (OMPDBG_VIEW_ENVIRONMENT + 1));
	recorded_mend();
	ompdbg_program_close(program);
	return printed;
}
