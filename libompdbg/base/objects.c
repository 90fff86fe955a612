// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared objects and symbols that are known by their names.

#include "base/objects.h"
#include "base/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *runtime_of_object(const char *path)
{
	static const char *const names[] = { "libgomp", "libomp", "libiomp5" };
	const char *name = path ? base_name(path) : "";

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *rest = name + strlen(names[i]);

		if (starts_with(name, names[i]) && !is_word_character(*rest) && strstr(rest, ".so"))
			return names[i];
	}
	return NULL;
}

bool is_interposer_object(const char *path)
{
	return path && starts_with(base_name(path), "libompt-gomp.so");
}

bool is_recorder_object(const char *path)
{
	return path && starts_with(base_name(path), "libompdbg-recorder.so");
}

/** Check for ".so", perhaps after a version: "-2.31.so". */
static bool is_object_suffix(const char *text)
{
	if (starts_with(text, ".so"))
		return true;
	if (*text != '-')
		return false;
	size_t length = strspn(text + 1, "0123456789.");
	return length >= 2 && text[length] == '.' && starts_with(text + length + 1, "so");
}

/** Check for the dynamic linker: "ld-linux-x86-64.so.2". */
static bool is_dynamic_linker(const char *name)
{
	static const char prefix[] = "ld-linux";

	if (starts_with(name, "ld") && is_object_suffix(name + 2))
		return true;
	if (!starts_with(name, prefix))
		return false;
	const char *end = name + sizeof(prefix) - 1;
	while (is_word_character(*end) || *end == '-') {
		if (is_object_suffix(end))
			return true;
		end++;
	}
	return is_object_suffix(end);
}

bool is_system_object(const char *path)
{
	static const char *const libraries[] = { "libc",       "libm",	    "libmvec",
						 "libpthread", "librt",	    "libdl",
						 "libgcc_s",   "libstdc++", "libgfortran",
						 "libquadmath" };
	static const char *const sanitizers[] = { "libasan.so", "liblsan.so", "libtsan.so",
						  "libubsan.so" };

	if (!path)
		return false;
	if (strcmp(path, "[vdso]") == 0 || is_recorder_object(path))
		return true;
	const char *name = base_name(path);
	for (size_t i = 0; i < COUNT(libraries); i++) {
		if (starts_with(name, libraries[i]) &&
		    is_object_suffix(name + strlen(libraries[i])))
			return true;
	}
	for (size_t i = 0; i < COUNT(sanitizers); i++) {
		if (starts_with(name, sanitizers[i]))
			return true;
	}
	return is_dynamic_linker(name);
}

bool is_runtime_stub(const char *symbol)
{
	static const char *const prefixes[] = { "GOMP_", "omp_", "GOACC_", "acc_", "__kmpc_" };
	const char *rest = NULL;

	for (size_t i = 0; symbol && !rest && i < COUNT(prefixes); i++) {
		if (starts_with(symbol, prefixes[i]))
			rest = symbol + strlen(prefixes[i]);
	}
	if (!rest || !is_word_character(*rest))
		return false;
	while (is_word_character(*rest))
		rest++;
	return strcmp(rest, "@plt") == 0;
}

bool is_runtime_symbol(const char *symbol)
{
	static const char *const prefixes[] = { "gomp_",  "igomp_", "GOMP_", "omp_",
						"goacc_", "GOACC_", "acc_" };
	static const char critical[] = "gomp_critical_user_"; // a variable of the program's

	if (starts_with(symbol, critical) || starts_with(symbol, "igomp_critical_user_"))
		return false;
	for (size_t i = 0; i < COUNT(prefixes); i++) {
		if (starts_with(symbol, prefixes[i]))
			return true;
	}
	return false;
}
