// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages of target memory, kept until the target moves. Knows neither Python nor OMPD: where bytes
// come from is a table of functions.

#ifndef OMPDBG_CACHE_H
#define OMPDBG_CACHE_H

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

enum {
	CACHE_PAGE = 4096,    // unit of caching, whatever the target's page size
	CACHE_FRAMES = 16384, // 64 MiB of pages at most
	CACHE_KEPT = 1024,    // 4 MiB whose memory is not given back, so that it stays mapped
	CACHE_AHEAD = 64,     // pages of the longest read ahead, 256 KiB
	CACHE_STREAMS = 8,    // walks through memory that are told apart
	CACHE_BAD = 1024,     // pages remembered as unreadable
};

/** How hard a read shall try. */
enum cache_effort {
	CACHE_TRY,    // failure is expected and leaves no trace
	CACHE_INSIST, // the last attempt: failure is the caller's to report
};

/** Where pages come from. */
struct cache_source {
	/**
	 * Reads [@p address, @p address + @p size) into @p buffer.
	 * @return bytes read from the start of the range, 0 if nothing could be read, -1 if the
	 *         whole request is to be given up (an interrupt).
	 */
	ssize_t (*read)(void *context, uint64_t address, void *buffer, size_t size,
			enum cache_effort effort);
	/** Narrows [*@p start, *@p end) to what may be read ahead around @p address. */
	void (*bounds)(void *context, uint64_t address, uint64_t *start, uint64_t *end);
};

/** The pages that one walk fetched last. */
struct cache_stream {
	uint64_t start, end; // page numbers; empty if equal
	uint32_t length;     // of the last fetch, in pages
	uint32_t age;
};

/** All zero is an empty cache. */
struct cache {
	uint64_t last_page; // shortcut, meaningful if last is set
	const uint8_t *last;
	struct cache_index *index; // NULL until the first read
	uint8_t *frames;
	uint32_t hand;	 // frame that is filled next
	uint32_t filled; // frames from the first on that hold, or have held, a page
	uint32_t clock;
	struct cache_stream streams[CACHE_STREAMS];
	uint64_t bad[CACHE_BAD]; // page number + 1, at the place of its hash
};

/** Copies memory that the shortcut covers. Returns 0 if it does not. */
static inline int cache_hit(const struct cache *cache, uint64_t address, void *buffer, size_t size)
{
	uint64_t offset = address % CACHE_PAGE;

	if (!cache->last || address / CACHE_PAGE != cache->last_page || size > CACHE_PAGE - offset)
		return 0;
	memcpy(buffer, cache->last + offset, size);
	return 1;
}

/** Reads memory through the cache. @return 0, or -1 if a byte of it is unreadable. */
int cache_read(struct cache *cache, const struct cache_source *source, void *context,
	       uint64_t address, void *buffer, size_t size);

/**
 * Like cache_read(), up to and including the first zero byte.
 * @return 0; 1 if there is no zero byte in @p size bytes; -1 if unreadable before that.
 */
int cache_read_string(struct cache *cache, const struct cache_source *source, void *context,
		      uint64_t address, char *buffer, size_t size);

/** Forgets all pages, and gives their memory back if they were many. */
void cache_drop(struct cache *cache);

/** Releases everything; the cache is empty and usable afterwards. */
void cache_deinit(struct cache *cache);

#endif
