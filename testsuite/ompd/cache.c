// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames form a ring: a fetch fills the next ones, which evicts what they held. So the pages of one
// fetch are neighbours in the ring too and arrive by a single copy.

#include "cache.h"

#include <stdbool.h>
#include <sys/mman.h>

enum { BUCKETS = 2 * CACHE_FRAMES };

struct frame {
	uint64_t page; // page number + 1, 0 if the frame is free
	uint32_t next; // frame + 1, 0 ends the chain
};

/** Which frame holds which page. All zero is empty, so that fresh mappings need no set-up. */
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
 * Reads @p count pages into the ring.
 * @return pages obtained from the first one on, -1 to give up.
 */
static int fetch(struct cache *cache, const struct cache_source *source, void *context,
		 uint64_t first, uint32_t count, enum cache_effort effort)
{
	if (cache->hand + count > CACHE_FRAMES)
		cache->hand = 0;
	for (uint32_t i = 0; i < count; i++)
		evict(cache, cache->hand + i);
	cache->last = NULL;

	ssize_t got = source->read(context, first * CACHE_PAGE, frame_bytes(cache, cache->hand),
				   (size_t)count * CACHE_PAGE, effort);
	if (got < 0)
		return -1;
	uint32_t pages = got / CACHE_PAGE;
	for (uint32_t i = 0; i < pages; i++)
		insert(cache, cache->hand + i, first + i);
	cache->hand += pages;
	if (cache->hand > cache->filled)
		cache->filled = cache->hand;
	return (int)pages;
}

/** The walk that @p page continues, or else the one that has been idle for longest, made empty. */
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

/** Chooses the pages to fetch for a miss at @p page: twice as many as the walk's last time. */
static void plan(const struct cache *cache, const struct cache_source *source, void *context,
		 const struct cache_stream *stream, uint64_t page, uint64_t *first, uint32_t *count)
{
	uint32_t length = stream->length ? 2 * stream->length : 1;
	uint64_t start = 0, end = UINT64_MAX;

	if (length > CACHE_AHEAD)
		length = CACHE_AHEAD;
	*first = page;
	*count = 1;
	if (length == 1)
		return;
	source->bounds(context, page * CACHE_PAGE, &start, &end);
	start = (start + CACHE_PAGE - 1) / CACHE_PAGE;
	end /= CACHE_PAGE;
	if (page >= stream->end) {
		while (*count < length && page + *count < end && !find(cache, page + *count) &&
		       !is_bad(cache, page + *count))
			++*count;
	} else {
		while (*count<length && * first> start && !find(cache, *first - 1) &&
		       !is_bad(cache, *first - 1)) {
			--*first;
			++*count;
		}
	}
}

/** Brings @p page in. @return 0; 1 if it cannot be had as a whole; -1 to give up. */
static int load(struct cache *cache, const struct cache_source *source, void *context,
		uint64_t page)
{
	if (is_bad(cache, page))
		return 1;
	struct cache_stream *stream = stream_of(cache, page);
	uint64_t first;
	uint32_t count;

	plan(cache, source, context, stream, page, &first, &count);
	int got = fetch(cache, source, context, first, count, CACHE_TRY);
	if (got < 0)
		return -1;
	if (count > 1 && page - first >= (uint32_t)got) {
		first = page;
		count = 1;
		got = fetch(cache, source, context, page, 1, CACHE_TRY);
		if (got < 0)
			return -1;
	}
	if (!got) {
		*stream = (struct cache_stream){ 0 };
		mark_bad(cache, page);
		return 1;
	}
	stream->start = first;
	stream->end = first + (uint32_t)got;
	stream->length = (uint32_t)got;
	return 0;
}

/**
 * The bytes at @p address within one page: *@p data in the cache, or copied to @p buffer.
 * @return 0, -1 if unreadable.
 */
static int locate(struct cache *cache, const struct cache_source *source, void *context,
		  uint64_t address, void *buffer, size_t size, const uint8_t **data)
{
	uint64_t page = address / CACHE_PAGE;

	*data = NULL;
	if (prepare(cache)) {
		const uint8_t *bytes = find(cache, page);

		if (!bytes) {
			int missing = load(cache, source, context, page);

			if (missing < 0)
				return -1;
			bytes = missing ? NULL : find(cache, page);
		}
		if (bytes) {
			cache->last_page = page;
			cache->last = bytes;
			*data = bytes + address % CACHE_PAGE;
			return 0;
		}
	}
	ssize_t got = source->read(context, address, buffer, size, CACHE_INSIST);
	return got == (ssize_t)size ? 0 : -1;
}

static size_t within_page(uint64_t address, size_t size)
{
	size_t room = CACHE_PAGE - address % CACHE_PAGE;

	return size < room ? size : room;
}

int cache_read(struct cache *cache, const struct cache_source *source, void *context,
	       uint64_t address, void *buffer, size_t size)
{
	uint8_t *to = buffer;

	if (size && address + (size - 1) < address)
		return -1;
	while (size) {
		size_t part = within_page(address, size);
		const uint8_t *data;

		if (locate(cache, source, context, address, to, part, &data) < 0)
			return -1;
		if (data)
			memcpy(to, data, part);
		to += part;
		address += part;
		size -= part;
	}
	return 0;
}

int cache_read_string(struct cache *cache, const struct cache_source *source, void *context,
		      uint64_t address, char *buffer, size_t size)
{
	while (size) {
		size_t part = within_page(address, size);
		const uint8_t *data;

		if (is_bad(cache, address / CACHE_PAGE))
			part = 1; // what follows the zero byte need not be readable
		if (locate(cache, source, context, address, buffer, part, &data) < 0) {
			part = 1;
			if (locate(cache, source, context, address, buffer, part, &data) < 0)
				return -1;
		}
		if (data)
			memcpy(buffer, data, part);
		if (memchr(buffer, 0, part))
			return 0;
		buffer += part;
		address += part;
		size -= part;
	}
	return 1;
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
	memset(cache, 0, sizeof(*cache));
}
