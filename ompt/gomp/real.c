// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libgomp itself: which libgomp, and where they are.

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

struct entry_points gomp_real;
struct entry_points gomp_now = {
#define OBSERVED(name) .name = start_##name,
#include "entry_points.def"
};
bool gomp_observes;
struct gomp_queries gomp_ask;

static void *libgomp; // as of dlopen

/** End the program: it calls a function that no library has. */
static void missing(void)
{
	static const char text[] = "libompt-gomp: this process has no libgomp that can be called\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	abort();
}

/** Return a handle of the object that holds an address, or null. */
static void *open_object(const void *address)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!address || !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return NULL;
	return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

struct search {
	void *self;
	void *found;
};

/** Check whether an object exports GOMP_parallel, and is neither this library nor one that only
 *  depends on libgomp. */
static int check_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	void *handle, *function, *owner;

	(void)size;
	if (!info->dlpi_name || !info->dlpi_name[0] || !strstr(info->dlpi_name, "gomp"))
		return 0;
	handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return 0;
	function = dlsym(handle, "GOMP_parallel");
	owner = open_object(function);
	if (function && owner == handle && owner != search->self)
		search->found = handle;
	else
		dlclose(handle);
	if (owner)
		dlclose(owner);
	return search->found != NULL;
}

/** Return a handle of the libgomp that calls would go to without this library, or null. */
static void *find_libgomp(void)
{
	struct search search = { .self = open_object(&gomp_real) };

	search.found = open_object(dlsym(RTLD_NEXT, "GOMP_parallel"));
	// Loaded by dlopen with a scope of its own, as by an interpreter.
	if (!search.found)
		dl_iterate_phdr(check_object, &search);
	if (search.self)
		dlclose(search.self);
	return search.found;
}

bool gomp_find_real(void)
{
	if (libgomp)
		return !dlsym(libgomp, "__kmpc_fork_call");
	libgomp = find_libgomp();
#define OBSERVED(name)                                                                \
	gomp_real.name = libgomp ? (__typeof__(&(name)))dlsym(libgomp, #name) : NULL; \
	if (!gomp_real.name)                                                          \
		gomp_real.name = (__typeof__(&(name)))missing;
#include "entry_points.def"
	if (!libgomp)
		return false;
#define ASK(name) gomp_ask.name = (__typeof__(gomp_ask.name))dlsym(libgomp, #name)
	ASK(omp_get_num_threads);
	ASK(omp_get_thread_num);
	ASK(omp_get_max_threads);
	ASK(omp_get_level);
	ASK(omp_get_team_num);
	ASK(omp_get_num_teams);
	ASK(omp_get_cancellation);
	ASK(omp_get_num_procs);
	ASK(omp_get_num_places);
	ASK(omp_get_place_num_procs);
	ASK(omp_get_place_proc_ids);
	ASK(omp_get_place_num);
	ASK(omp_get_partition_num_places);
	ASK(omp_get_partition_place_nums);
	ASK(omp_get_num_devices);
	ASK(omp_get_default_device);
	ASK(omp_get_initial_device);
	ASK(omp_get_schedule);
#undef ASK
	// LLVM's libomp answers to GCC's names as well, and has OMPT of its own.
	return !dlsym(libgomp, "__kmpc_fork_call");
}

/** Return the number of symbols that a GNU hash table covers. */
static uint32_t count_symbols(const uint32_t *table)
{
	uint32_t num_buckets = table[0], first = table[1], bloom_words = table[2], last = 0;
	const uint32_t *buckets = table + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chains = buckets + num_buckets;

	for (uint32_t i = 0; i < num_buckets; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < first)
		return first;
	while (!(chains[last - first] & 1))
		last++;
	return last + 1;
}

/** Check whether a function is in the table. */
static bool is_known(const char *name)
{
	static const char *const known[] = {
#define OBSERVED(name) #name,
#define PASSED(name, reason) #name,
#include "entry_points.def"
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

void gomp_name_unknown(void (*say)(const char *line))
{
	const ElfW(Sym) *symbols = NULL;
	const uint32_t *hash = NULL;
	const char *strings = NULL;
	struct link_map *map = NULL;
	uint32_t count;

	if (!libgomp || dlinfo(libgomp, RTLD_DI_LINKMAP, &map))
		return;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			strings = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_GNU_HASH)
			hash = (const void *)entry->d_un.d_ptr;
	}
	if (!symbols || !strings || !hash)
		return;
	count = count_symbols(hash);
	for (uint32_t i = 0; i < count; i++) {
		const char *name = strings + symbols[i].st_name;
		char line[200];

		if (symbols[i].st_shndx == SHN_UNDEF ||
		    ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || strncmp(name, "GOMP_", 5) ||
		    is_known(name))
			continue;
		snprintf(line, sizeof(line), "%s: unknown to libompt-gomp, passed to libgomp",
			 name);
		say(line);
	}
}
