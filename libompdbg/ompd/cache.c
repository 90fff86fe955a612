// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames form a ring: a fetch fills the next ones, which evicts what they held. So the pages of one
// fetch are neighbours in the ring too and arrive by a single copy.

#include "ompd/cache.h"

#include <sys/mman.h>

#include "base/budget.h"

enum { BUCKETS = 2 * CACHE_FRAMES };

struct frame {
	uint64_t page; // page number + 1, 0 if the frame is free
	uint32_t next; // frame + 1, 0 ends the chain
};

/** Tells which frame holds which page. All zero is empty: fresh mappings need no set-up. */
struct cache_index {
	uint32_t bucket[BUCKETS]; // frame + 1, 0 if empty
	struct frame frames[CACHE_FRAMES];
};

static const size_t index_bytes =
	(sizeof(struct cache_index) + CACHE_PAGE - 1) / CACHE_PAGE * CACHE_PAGE;
static const size_t frames_bytes = (size_t)CACHE_FRAMES * CACHE_PAGE;

static uint32_t hash(uint64_t page)
{
	return (page * UINT64_C(0x9e3779b97f4a7c15)) >> 40;
}

static bool prepare(struct cache *cache)
{
	if (cache->index)
		return true;
	void *map = mmap(NULL, index_bytes + frames_bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	// Only a wish: long walks fill frames faster than small pages can be zeroed.
	madvise(map, index_bytes + frames_bytes, MADV_HUGEPAGE);
	cache->index = map;
	cache->frames = (uint8_t *)map + index_bytes;
	return true;
}

static uint8_t *frame_bytes(const struct cache *cache, uint32_t frame)
{
	return cache->frames + (size_t)frame * CACHE_PAGE;
}

static const uint8_t *find(const struct cache *cache, uint64_t page)
{
	const struct cache_index *index = cache->index;

	for (uint32_t link = index->bucket[hash(page) % BUCKETS]; link;
	     link = index->frames[link - 1].next) {
		if (index->frames[link - 1].page == page + 1)
			return frame_bytes(cache, link - 1);
	}
	return NULL;
}

static void evict(struct cache *cache, uint32_t frame)
{
	struct cache_index *index = cache->index;

	if (!index->frames[frame].page)
		return;
	uint32_t *link = &index->bucket[hash(index->frames[frame].page - 1) % BUCKETS];
	while (*link != frame + 1)
		link = &index->frames[*link - 1].next;
	*link = index->frames[frame].next;
	index->frames[frame].page = 0;
}

static void insert(struct cache *cache, uint32_t frame, uint64_t page)
{
	struct cache_index *index = cache->index;
	uint32_t *bucket = &index->bucket[hash(page) % BUCKETS];

	index->frames[frame].page = page + 1;
	index->frames[frame].next = *bucket;
	*bucket = frame + 1;
}

static bool is_bad(const struct cache *cache, uint64_t page)
{
	return cache->bad[hash(page) % CACHE_BAD] == page + 1;
}

static void mark_bad(struct cache *cache, uint64_t page)
{
	cache->bad[hash(page) % CACHE_BAD] = page + 1;
}

/**
 * Read pages into the ring. *got: all of them could be read.
 * @return an error only if the user wants everything to end.
 */
static struct ompdbg_error *fetch(struct cache *cache, uint64_t first, uint32_t count, bool *got)
{
	*got = false;
	if (cache->services->interrupted(cache->services->context))
		return interruption();
	if (cache->hand + count > CACHE_FRAMES)
		cache->hand = 0;
	for (uint32_t i = 0; i < count; i++)
		evict(cache, cache->hand + i);
	cache->last = NULL;
	cache->fetches++;
	struct ompdbg_error *error = cache->services->read_memory(cache->services->context,
								  first * CACHE_PAGE,
								  frame_bytes(cache, cache->hand),
								  (size_t)count * CACHE_PAGE);
	if (ends_command(error))
		return error;
	ompdbg_error_destroy(error);
	if (error)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		insert(cache, cache->hand + i, first + i);
	cache->hand += count;
	if (cache->hand > cache->filled)
		cache->filled = cache->hand;
	cache->fetched += (uint64_t)count * CACHE_PAGE;
	*got = true;
	return NULL;
}

/** Find the walk that @p page continues; else empty the one that has been idle for longest. */
static struct cache_stream *stream_of(struct cache *cache, uint64_t page)
{
	struct cache_stream *oldest = &cache->streams[0];

	cache->clock++;
	for (int i = 0; i < CACHE_STREAMS; i++) {
		struct cache_stream *stream = &cache->streams[i];
		bool ahead = page >= stream->end && page - stream->end <= stream->length;
		bool behind = page < stream->start && stream->start - page <= stream->length + 1;

		if (stream->length && (ahead || behind)) {
			stream->age = cache->clock;
			return stream;
		}
		if (cache->clock - stream->age > cache->clock - oldest->age)
			oldest = stream;
	}
	*oldest = (struct cache_stream){ .start = page, .end = page, .age = cache->clock };
	return oldest;
}

/** Choose the pages to fetch for a miss at @p page: twice as many as the walk's last time. */
static void plan(const struct cache *cache, const struct cache_stream *stream, uint64_t page,
		 uint64_t *first, uint32_t *count)
{
	const uint64_t end = UINT64_MAX / CACHE_PAGE;
	uint32_t length = stream->length ? 2 * stream->length : 1;

	if (length > CACHE_AHEAD)
		length = CACHE_AHEAD;
	*first = page;
	*count = 1;
	if (page >= stream->end) {
		while (*count < length && page + *count < end && !find(cache, page + *count) &&
		       !is_bad(cache, page + *count))
			++*count;
	} else {
		while (*count < length && *first && !find(cache, *first - 1) &&
		       !is_bad(cache, *first - 1)) {
			--*first;
			++*count;
		}
	}
}

/** Bring a page in, if it can be had as a whole. */
static struct ompdbg_error *load(struct cache *cache, uint64_t page)
{
	uint64_t first;
	uint32_t count;
	bool got;

	if (is_bad(cache, page))
		return NULL;
	struct cache_stream *stream = stream_of(cache, page);
	plan(cache, stream, page, &first, &count);
	struct ompdbg_error *error = fetch(cache, first, count, &got);
	if (!error && !got && count > 1) { // not all of what lies ahead can be read
		first = page;
		count = 1;
		error = fetch(cache, page, 1, &got);
	}
	if (error)
		return error;
	if (!got) {
		*stream = (struct cache_stream){ 0 };
		mark_bad(cache, page);
		return NULL;
	}
	stream->start = first;
	stream->end = first + count;
	stream->length = count;
	return NULL;
}

/** Read bytes within one page. */
static struct ompdbg_error *read_part(struct cache *cache, uint64_t address, void *buffer,
				      size_t size)
{
	uint64_t page = address / CACHE_PAGE;

	if (prepare(cache)) {
		const uint8_t *bytes = find(cache, page);

		if (!bytes) {
			struct ompdbg_error *error = load(cache, page);

			if (error)
				return error;
			bytes = find(cache, page);
		}
		if (bytes) {
			cache->last_page = page;
			cache->last = bytes;
			memcpy(buffer, bytes + address % CACHE_PAGE, size);
			return NULL;
		}
	}
	if (cache->services->interrupted(cache->services->context))
		return interruption();
	cache->fetches++;
	struct ompdbg_error *error =
		cache->services->read_memory(cache->services->context, address, buffer, size);
	if (!error)
		cache->fetched += size;
	return error;
}

static size_t within_page(uint64_t address, size_t size)
{
	size_t room = CACHE_PAGE - address % CACHE_PAGE;

	return size < room ? size : room;
}

struct ompdbg_error *cache_read(struct cache *cache, uint64_t address, void *buffer, size_t size)
{
	uint8_t *to = buffer;

	if (size && address + (size - 1) < address)
		return ompdbg_error_unreadable(address);
	while (size) {
		size_t part = within_page(address, size);
		struct ompdbg_error *error = read_part(cache, address, to, part);

		if (error)
			return error;
		to += part;
		address += part;
		size -= part;
	}
	return NULL;
}

struct ompdbg_error *cache_read_string(struct cache *cache, uint64_t address, char *buffer,
				       size_t size, bool *ended)
{
	*ended = false;
	while (size && !*ended) {
		// What follows the zero byte need not be readable.
		bool is_whole = !is_bad(cache, address / CACHE_PAGE);
		size_t part = is_whole ? within_page(address, size) : 1;
		struct ompdbg_error *error = read_part(cache, address, buffer, part);

		if (error && !ends_command(error) && part > 1) {
			ompdbg_error_destroy(error);
			part = 1;
			error = read_part(cache, address, buffer, part);
		}
		if (error)
			return error;
		*ended = memchr(buffer, 0, part) != NULL;
		buffer += part;
		address += part;
		size -= part;
	}
	return NULL;
}

void cache_drop(struct cache *cache)
{
	if (cache->index && cache->filled <= CACHE_KEPT) {
		for (uint32_t frame = 0; frame < cache->filled; frame++)
			evict(cache, frame);
	} else if (cache->index &&
		   madvise(cache->index, index_bytes + frames_bytes, MADV_DONTNEED) != 0) {
		memset(cache->index, 0, sizeof(*cache->index));
	}
	cache->filled = 0;
	cache->last = NULL;
	cache->hand = 0;
	memset(cache->streams, 0, sizeof(cache->streams));
	memset(cache->bad, 0, sizeof(cache->bad));
}

void cache_deinit(struct cache *cache)
{
	if (cache->index)
		munmap(cache->index, index_bytes + frames_bytes);
	*cache = (struct cache){ .services = cache->services };
}
