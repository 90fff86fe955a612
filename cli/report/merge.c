// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ompdbg merge`: many reports in one picture.

#include <stdlib.h>

#include "base/arena.h"
#include "options.h"
#include "pages.h"

int run_merge(const struct arguments *arguments, struct failure *failure)
{
	const struct {
		char *name;
		const char *value;
	} options[] = {
		{ (char[]){ "--text" }, arguments->text },
		{ (char[]){ "--html" }, arguments->html },
		{ (char[]){ "--json" }, arguments->json_file },
	};
	char **words = calloc(arguments->num_words + 8, sizeof(*words));
	size_t count = 0;

	if (!words)
		out_of_memory();
	words[count++] = (char[]){ "merge" };
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (!options[i].value)
			continue;
		words[count++] = options[i].name;
		words[count++] = (char *)options[i].value;
	}
	words[count++] = (char[]){ "--" };
	for (size_t i = 0; i < arguments->num_words; i++)
		words[count++] = arguments->words[i];
	int status = merge_reports(words, count, failure);
	free(words);
	return status;
}
