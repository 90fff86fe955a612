// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a report is about: which process or core file, of which program, on which machine.

#ifndef OMPDBG_ABOUT_H
#define OMPDBG_ABOUT_H

#include "looking.h"
#include "run/ranks.h"

struct about {
	struct looked *looked;
	const char *name;
	pid_t pid;	     // 0: unknown
	const char *program; // NULL: unknown
	const char *const *command;
	size_t num_words;
	const char *host; // NULL: unknown
	struct rank rank;
	const char *signal; // that has ended the program; "": none; NULL: unknown, or a process
	bool has_crash;
	struct crash crash;
	const char *taken; // when: "2026-11-21T12:00:00Z"; NULL: unknown
	const char *cause; // why now; NULL
};

/** Look at what is known. @p crash: the signal that is about to end a process, or NULL; @p cause as in
 *  the structure. */
void about_find(struct looked *looked, const struct crash *crash, const char *cause,
		struct about *ret);
/** Write it as JSON, with more problems than those of the target. @p context: a struct about. */
void json_about(void *context, struct json *json, const char *const *problems, size_t count);
/** Write "hung, process 4711 on node3, 2026-11-21T12:00:00Z". */
const char *about_headline(const struct about *about);

#endif
