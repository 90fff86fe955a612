// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program says to the tool: omp_control_tool, which libgomp lacks, and the error directive.

#include "state.h"

enum {
	NO_TOOL = -2,
	NO_CALLBACK = -1,
};

/** Pass a command on to the tool. */
static int control(uint64_t command, uint64_t modifier, void *arg, void *frame, const void *code)
{
	ompt_callback_control_tool_t callback;
	struct thread *thread;
	int result;

	if (!gomp_start(code) || !gomp_has_tool())
		return NO_TOOL;
	callback = CALLBACK(ompt_callback_control_tool);
	if (!callback)
		return NO_CALLBACK;
	thread = this_thread();
	enter_frame(thread, frame);
	result = callback(command, modifier, arg, code);
	leave_frame(thread);
	return result;
}

/** Check whether the program's runtime passes commands on itself, to a tool of its own: LLVM's does. */
static bool runtime_controls(const void *code)
{
	return gomp_start(code) && !gomp_has_tool() && gomp_ask.omp_control_tool &&
	       gomp_ask.omp_control_tool_;
}

// Passed on by jumps: the runtime takes the return address for the program's.
EXPORT int omp_control_tool(int command, int modifier, void *arg);
EXPORT int omp_control_tool(int command, int modifier, void *arg)
{
	if (runtime_controls(RETURN_ADDRESS))
		return gomp_ask.omp_control_tool(command, modifier, arg);
	return control((uint64_t)command, (uint64_t)modifier, arg, FRAME_ADDRESS, RETURN_ADDRESS);
}

EXPORT int32_t omp_control_tool_(const int32_t *command, const int32_t *modifier);
EXPORT int32_t omp_control_tool_(const int32_t *command, const int32_t *modifier)
{
	if (runtime_controls(RETURN_ADDRESS))
		return gomp_ask.omp_control_tool_(command, modifier);
	return control((uint64_t)*command, (uint64_t)*modifier, NULL, FRAME_ADDRESS,
		       RETURN_ADDRESS);
}

/** Tell the tool of an error directive. */
static void error_event(ompt_severity_t severity, const char *message, size_t length, void *frame,
			const void *code)
{
	ompt_callback_error_t callback = CALLBACK(ompt_callback_error);
	struct thread *thread = this_thread();

	enter_frame(thread, frame);
	if (callback)
		callback(severity, message, length, code);
	leave_frame(thread);
}

ENTRY(void, GOMP_warning, (const char *message, size_t length), (message, length))
{
	error_event(ompt_warning, message, length, FRAME_ADDRESS, RETURN_ADDRESS);
	gomp_real.GOMP_warning(message, length);
}

ENTRY(void, GOMP_error, (const char *message, size_t length), (message, length))
{
	error_event(ompt_fatal, message, length, FRAME_ADDRESS, RETURN_ADDRESS);
	gomp_real.GOMP_error(message, length);
}
