// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the threads, teams and tasks of a core file through the public interface, as JSON:
// print_model LIBOMPD CORE
// Or a view of it, by its number: print_model LIBOMPD CORE VIEW json|text

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompdbg/ompdbg.h"
#include "ompdbg/target.h"

static const char *separator;

static void begin_list(const char *name)
{
	printf("%s\"%s\": [", name[0] == 't' && name[1] == 'h' ? "{" : "],\n", name);
	separator = "";
}

static void begin_object(void)
{
	printf("%s\n{", separator);
	separator = "";
}

static void end_object(void)
{
	printf("}");
	separator = ",";
}

static void put_string(const char *name, const char *text)
{
	printf("%s\"%s\": ", separator, name);
	separator = ", ";
	if (!text) {
		printf("null");
		return;
	}
	putchar('"');
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte < 0x20 || byte == '"' || byte == '\\')
			printf("\\u%04x", byte);
		else
			putchar(byte);
	}
	putchar('"');
}

static void put_int(const char *name, int64_t number)
{
	printf("%s\"%s\": %" PRId64, separator, name, number);
	separator = ", ";
}

static void put_id(const char *name, uint64_t id)
{
	printf("%s\"%s\": %" PRIu64, separator, name, id);
	separator = ", ";
}

static void put_place(const struct ompdbg_place *place)
{
	put_string("function", place->function);
	put_string("file", place->file);
	put_int("line", place->line);
}

static struct ompdbg_error *print_thread(void *context, const struct ompdbg_thread *thread)
{
	(void)context;
	begin_object();
	put_int("number", thread->number);
	put_int("lwp", thread->lwp);
	put_string("name", thread->name);
	put_int("running", thread->is_running);
	put_int("openmp", thread->is_openmp);
	put_int("helper", thread->is_helper);
	put_string("error", thread->error);
	put_string("runtime", thread->runtime);
	put_string("team", thread->team);
	put_int("thread_num", thread->thread_num);
	put_int("team_size", thread->team_size);
	put_int("level", thread->level);
	put_int("active_level", thread->active_level);
	put_id("task", thread->task);
	put_string("task_kind", thread->task_kind);
	put_string("state", thread->state);
	put_string("state_reason", thread->state_reason);
	put_string("wait", thread->wait);
	put_string("wait_function", thread->wait_function);
	put_string("wait_symbol", thread->wait_symbol);
	put_id("wait_address", thread->wait_address);
	put_place(&thread->place);
	end_object();
	return NULL;
}

static struct ompdbg_error *print_team(void *context, const struct ompdbg_team *team)
{
	(void)context;
	begin_object();
	put_string("label", team->label);
	put_string("runtime", team->runtime);
	put_int("level", team->level);
	put_int("active_level", team->active_level);
	put_int("size", team->size);
	put_string("parent", team->parent);
	put_int("primary", team->primary);
	printf(", \"threads\": [");
	for (size_t i = 0; i < team->num_threads; i++)
		printf("%s%d", i ? ", " : "", team->threads[i]);
	printf("]");
	put_place(&team->opened);
	end_object();
	return NULL;
}

static struct ompdbg_error *print_task(void *context, const struct ompdbg_task *task)
{
	(void)context;
	begin_object();
	put_id("id", task->id);
	put_id("parent", task->parent);
	put_string("runtime", task->runtime);
	put_string("team", task->team);
	put_string("kind", task->kind);
	put_string("status", task->status);
	put_int("thread_num", task->thread_num);
	put_int("priority", task->priority);
	put_place(&task->code);
	end_object();
	return NULL;
}

static struct ompdbg_error *write_text(void *context, const char *text, size_t size)
{
	(void)context;
	fwrite(text, 1, size, stdout);
	return NULL;
}

static struct ompdbg_error *print_view(struct ompdbg_program *program, const char *view,
				       const char *form)
{
	struct ompdbg_form own = { .is_json = strcmp(form, "json") == 0 };

	return ompdbg_print(program, (enum ompdbg_view)atoi(view), &own, write_text, NULL);
}

static struct ompdbg_error *print(struct ompdbg_program *program)
{
	int is_damaged = 0;

	begin_list("threads");
	struct ompdbg_error *error = ompdbg_visit_threads(program, print_thread, NULL);
	begin_list("teams");
	if (!error)
		error = ompdbg_visit_teams(program, print_team, NULL);
	begin_list("tasks");
	if (!error)
		error = ompdbg_visit_tasks(program, print_task, NULL, &is_damaged);
	if (error && error->code == OMPDBG_UNAVAILABLE) { // a library without extensions
		ompdbg_error_destroy(error);
		error = NULL;
	}
	printf("],\n\"damaged\": %s}\n", is_damaged ? "true" : "false");
	return error;
}

int main(int argc, char **argv)
{
	struct ompdbg_target *target = NULL;
	struct ompdbg_program *program = NULL;

	if (argc != 3 && argc != 5) {
		fprintf(stderr, "usage: %s LIBOMPD CORE [VIEW FORM]\n", argv[0]);
		return 2;
	}
	struct ompdbg_error *error = ompdbg_target_open_core(argv[2], NULL, NULL, &target);
	if (!error)
		error = ompdbg_program_open(ompdbg_target_services(target), argv[1], &program);
	if (!error)
		error = argc == 5 ? print_view(program, argv[3], argv[4]) : print(program);
	if (error)
		fprintf(stderr, "%s\n", error->message);
	int status = error ? 1 : 0;
	ompdbg_error_destroy(error);
	ompdbg_program_close(program);
	ompdbg_target_close(target);
	return status;
}
