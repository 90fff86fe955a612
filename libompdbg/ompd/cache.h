// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages of target memory, kept until the program runs.

#ifndef OMPDBG_CACHE_H
#define OMPDBG_CACHE_H

#include <string.h>

#include "ompdbg/services.h"

enum {
	CACHE_PAGE = 4096,    // unit of caching, whatever the target's page size
	CACHE_FRAMES = 16384, // 64 MiB of pages at most
	CACHE_KEPT = 1024,    // 4 MiB whose memory is not given back, so that it stays mapped
	CACHE_AHEAD = 64,     // pages of the longest read ahead, 256 KiB
	CACHE_STREAMS = 8,    // walks through memory that are told apart
	CACHE_BAD = 1024,     // pages remembered as unreadable
};

/** The pages that one walk fetched last. */
struct cache_stream {
	uint64_t start, end; // page numbers; empty if equal
	uint32_t length;     // of the last fetch, in pages
	uint32_t age;
};

/** All zero but for `services` is an empty cache. */
struct cache {
	const struct ompdbg_services *services;
	uint64_t fetches, fetched; // calls of the services, and bytes that they gave
	uint64_t last_page;	   // shortcut, meaningful if last is set
	const uint8_t *last;
	struct cache_index *index; // NULL until the first read
	uint8_t *frames;
	uint32_t hand;	 // frame that is filled next
	uint32_t filled; // frames from the first on that hold, or have held, a page
	uint32_t clock;
	struct cache_stream streams[CACHE_STREAMS];
	uint64_t bad[CACHE_BAD]; // page number + 1, at the place of its hash
};

/** Copy memory that the shortcut covers. @return false if it does not. */
static inline bool cache_hit(const struct cache *cache, uint64_t address, void *buffer, size_t size)
{
	uint64_t offset = address % CACHE_PAGE;

	if (!cache->last || address / CACHE_PAGE != cache->last_page || size > CACHE_PAGE - offset)
		return false;
	memcpy(buffer, cache->last + offset, size);
	return true;
}

/** Read memory through the cache. */
struct ompdbg_error *cache_read(struct cache *cache, uint64_t address, void *buffer, size_t size);

/** Read memory up to and including the first zero byte. *ended: there is one in @p size bytes. */
struct ompdbg_error *cache_read_string(struct cache *cache, uint64_t address, char *buffer,
				       size_t size, bool *ended);

/** Forget all pages, and give their memory back if they were many. */
void cache_drop(struct cache *cache);
void cache_deinit(struct cache *cache);

#endif
