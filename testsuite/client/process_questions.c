// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about the process.

#include <string.h>

#include "answer.h"
#include "debugger.h"

// What is only like a release, or cannot be read whole, is "a kin of" the release that it is most like, or
// "an unknown release" if that is the newest. A debugger that does not find a symbol makes it another.
static void say_release(struct answer *answer, const char *release)
{
	if (strstr(release, "a kin of ") || strstr(release, "unknown release"))
		say(answer, " release=unknown");
	else
		say(answer, " release=%s", release);
}

ASK(process)
{
	ompd_address_space_handle_t *space;
	ompd_ext_layout_info layout = { .size = sizeof(layout) };
	ompd_word_t version = 0;
	ompd_rc_t rc = ompd_process_initialize(debugger_context(), &space);

	(void)handles;
	(void)variant;
	if (rc != ompd_rc_ok)
		return rc;
	ompd_get_omp_version(space, &version);
	ompd_ext_get_layout_info(space, &layout);
	say(answer, "%lld %s %u", (long long)version, layout.runtime, layout.source);
	say_release(answer, layout.release);
	ompd_rel_address_space_handle(space);
	return rc;
}

ASK(version_string)
{
	const char *text = NULL;
	ompd_rc_t rc = ompd_get_omp_version_string(handles->space, &text);

	(void)variant;
	if (rc == ompd_rc_ok) {
		say(answer, "%.6s", text);
		say_release(answer, strstr(text, " of ") + 4);
		free_block(text);
	}
	return rc;
}

ASK(thread_id_kinds)
{
	ompd_thread_id_t *kinds = NULL;
	ompd_size_t *sizes = NULL;
	int count = 0;
	ompd_rc_t rc = ompd_get_device_thread_id_kinds(handles->space, &kinds, &sizes, &count);

	(void)variant;
	for (int i = 0; rc == ompd_rc_ok && i < count; i++)
		say(answer, "%d:%d ", (int)kinds[i], (int)sizes[i]);
	if (rc == ompd_rc_ok) {
		free_block(kinds);
		free_block(sizes);
	}
	return rc;
}

ASK(states)
{
	ompd_word_t state = ompt_state_undefined, more = 1;
	ompd_rc_t rc = ompd_rc_ok;
	const char *name;

	(void)variant;
	while (rc == ompd_rc_ok && more) {
		rc = ompd_enumerate_states(handles->space, state, &state, &name, &more);
		say_text(rc, &name, answer);
	}
	return rc;
}

ASK(icvs)
{
	ompd_rc_t rc = ompd_rc_ok;
	ompd_icv_id_t id = 0;
	ompd_scope_t scope;
	const char *name;
	int more = 1;

	(void)variant;
	while (rc == ompd_rc_ok && more) {
		rc = ompd_enumerate_icvs(handles->space, id, &id, &name, &scope, &more);
		say_text(rc, &name, answer);
	}
	return rc;
}

ASK(control_variables)
{
	const char *const *variables;
	ompd_rc_t rc = ompd_get_display_control_vars(handles->space, &variables);

	(void)variant;
	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; variables[i]; i++)
		say(answer, "%s\n", variables[i]);
	ompd_rel_display_control_vars(&variables);
	return rc;
}

ASK(environment)
{
	static const char *const names[] = { "OMP_NUM_THREADS", "OMPDBG_THAT_NOBODY_SETS" };
	const char *text = NULL;

	return say_text(ompd_ext_get_environment(handles->space, names[variant], &text), &text,
			answer);
}

ASK(threads)
{
	ompd_thread_handle_t **threads = NULL;
	size_t count = 0;
	ompd_rc_t rc = ompd_ext_get_threads(handles->space, variant ? &threads : NULL, &count);

	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
		say_number(answer, "count", true, (long long)count);
	for (size_t i = 0; threads && i < count; i++)
		say_thread(ompd_rc_ok, &threads[i], answer);
	if (threads)
		free_block(threads);
	return rc;
}

ASK(thread_by_id)
{
	ompd_thread_handle_t *thread = NULL;
	const struct scene_note *note = &truth.notes[variant / 2];
	ompd_rc_t rc;

	if (variant / 2 >= truth.count)
		return ompd_rc_bad_input;
	if (variant % 2)
		rc = ompd_get_thread_handle(handles->space, ompd_thread_id_lwp, sizeof(note->lwp),
					    &note->lwp, &thread);
	else
		rc = ompd_get_thread_handle(handles->space, ompd_thread_id_pthread,
					    sizeof(note->pthread), &note->pthread, &thread);
	return say_thread(rc, &thread, answer);
}

ASK(state_tracking)
{
	ompd_rc_t rc = ompd_ext_get_state_tracking(handles->space);

	(void)variant;
	(void)answer;
	return rc;
}

ASK(lock)
{
	static const uint32_t kinds[] = { ompd_ext_lock_simple, ompd_ext_lock_nested };
	ompd_ext_lock_info info = { 0 };
	uint64_t address = variant ? truth.nest_lock : truth.lock;

	if (!address)
		return ompd_rc_bad_input;
	ompd_rc_t rc = ompd_ext_get_lock_info(handles->space, kinds[variant], address, &info);

	say(answer, "held %u depth %u", info.held, info.depth);
	say_address(answer, "thread", info.thread);
	return rc;
}

ASK(calls)
{
	ompd_ext_wait_site site = { 0 };
	ompd_ext_argument argument = { 0 };
	uint64_t address = code_addresses[variant / 4];
	ompd_rc_t rc;

	if (!address)
		return ompd_rc_bad_input;
	if (variant % 4 == 0)
		rc = ompd_ext_classify_call(handles->space, address, &site);
	else if (variant % 4 == 1)
		rc = ompd_ext_get_call_target(handles->space, address, &site.entry);
	else if (variant % 4 == 2)
		rc = ompd_ext_classify_entry(handles->space, address, &site);
	else
		rc = ompd_ext_get_lock_argument(handles->space, address, &argument);
	say(answer, "%u %llx %s %s %llx", site.kind, (unsigned long long)site.entry,
	    site.function ? site.function : "",
	    argument.register_name ? argument.register_name : "",
	    (unsigned long long)argument.value);
	return rc;
}

ASK(ompt_numbers)
{
	int number = 0, more = 0;
	const char *name = "";
	ompd_rc_t rc = variant ? ompd_ext_enumerate_mutex_impls(handles->space, variant - 1,
								&number, &name, &more) :
				 ompd_ext_get_num_devices(handles->space, &number);

	say(answer, "%d %s %d", number, name, more);
	return rc;
}
