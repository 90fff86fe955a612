// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libgomp itself: which libgomp, and where they are.

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
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
enum gomp_observes gomp_observes;
struct gomp_queries gomp_ask;

static void *libgomp; // as of dlopen; null: not found, or not looked for yet
static bool local;    // only part of the program sees it

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

/** Return a handle of the libgomp that an object, or one that it needs, has; or null. */
static void *libgomp_of(void *object)
{
	void *self = open_object(&gomp_real), *found = NULL;

	if (object)
		found = open_object(dlsym(object, "GOMP_parallel"));
	if (found && found == self) {
		dlclose(found);
		found = NULL;
	}
	if (self)
		dlclose(self);
	return found;
}

/** Return a handle of the libgomp that the object around an address would use by itself, or null. */
static void *libgomp_of_caller(const void *caller)
{
	void *object = open_object(caller), *found = libgomp_of(object);

	if (object)
		dlclose(object);
	return found;
}

/** Check whether a loaded object is a libgomp. */
static int check_object(struct dl_phdr_info *info, size_t size, void *data)
{
	void **found = data, *object;

	(void)size;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "gomp"))
		return 0;
	object = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	*found = libgomp_of(object);
	if (object)
		dlclose(object);
	return *found != NULL;
}

/** Find the libgomp that a caller's calls would go to without this library. */
static void find_libgomp(const void *caller)
{
	libgomp = open_object(dlsym(RTLD_NEXT, "GOMP_parallel"));
	if (libgomp)
		return;
	// Loaded by dlopen with a scope of its own, as by an interpreter.
	local = true;
	libgomp = libgomp_of_caller(caller);
	if (!libgomp)
		dl_iterate_phdr(check_object, &libgomp);
}

/** Return a function of a libgomp. LLVM's runtime, which answers to its names, has those for devices in
 *  another library. */
static void *find_function(void *handle, const char *name)
{
	void *found = handle ? dlsym(handle, name) : NULL;

	if (!found)
		found = dlsym(RTLD_NEXT, name);
	return found ? found : (void *)missing;
}

/** Fill a table with the functions of a libgomp. */
static void fill_table(struct entry_points *table, void *handle)
{
#define OBSERVED(name) table->name = (__typeof__(&(name)))find_function(handle, #name);
#include "entry_points.def"
}

bool gomp_find_real(const void *caller)
{
	find_libgomp(caller);
	fill_table(&gomp_real, libgomp);
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
	ASK(omp_get_wtime);
	ASK(omp_get_mapped_ptr);
	ASK(omp_control_tool);
	ASK(omp_control_tool_);
#undef ASK
	// LLVM's libomp answers to GCC's names as well, and has OMPT of its own.
	return !dlsym(libgomp, "__kmpc_fork_call");
}

bool gomp_is_local(void)
{
	return local;
}

/** Another libgomp than the observed one. */
struct other {
	struct other *next;
	void *handle;
	struct entry_points functions;
};

/** Return the functions of a libgomp: null for the observed one. */
static struct entry_points *functions_of(void *handle)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static struct other *others;
	struct other *other;

	if (!handle || handle == libgomp)
		return NULL;
	pthread_mutex_lock(&mutex);
	for (other = others; other && other->handle != handle; other = other->next)
		;
	if (!other) {
		other = malloc(sizeof(*other));
		if (!other)
			abort();
		other->handle = handle;
		fill_table(&other->functions, handle);
		other->next = others;
		others = other;
	}
	pthread_mutex_unlock(&mutex);
	return &other->functions;
}

/** Return the functions that the object around an address uses. To find its libgomp opens and closes
 *  objects, for which the writer of a trace looks at all of them: that is done once for each object. */
static struct entry_points *functions_for(const void *caller)
{
	enum { OBJECTS = 16 };
	static __thread struct {
		const struct link_map *map;
		const ElfW(Dyn) * dynamic; // another object may have its place later
		struct entry_points *functions;
	} known[OBJECTS];
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return functions_of(libgomp_of_caller(caller));
	size_t place = ((uintptr_t)map >> 4) % OBJECTS;
	if (known[place].map != map || known[place].dynamic != map->l_ld) {
		known[place].functions = functions_of(libgomp_of_caller(caller));
		known[place].map = map;
		known[place].dynamic = map->l_ld;
	}
	return known[place].functions;
}

struct entry_points *gomp_route(const void *caller)
{
	enum { PLACES = 64 };
	static __thread struct {
		const void *caller;
		struct entry_points *functions;
	} known[PLACES];
	size_t place = ((uintptr_t)caller >> 2) % PLACES;

	if (UNLIKELY(known[place].caller != caller)) {
		known[place].functions = functions_for(caller);
		known[place].caller = caller;
	}
	return known[place].functions;
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
		    ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC ||
		    strncmp(name, "GOMP_", 5) != 0 || is_known(name))
			continue;
		snprintf(line, sizeof(line), "%s: unknown to libompt-gomp, passed to libgomp",
			 name);
		say(line);
	}
}
