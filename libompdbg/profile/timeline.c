// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run as a picture of bounded size: time is divided into buckets, fewer with many threads.

#include "profile/room.h"

enum { MOST_BUCKETS = 2048, LEAST_BUCKETS = 8, ALL_BUCKETS = 1 << 16 };

void timeline_create(struct profile *profile, uint64_t duration)
{
	struct profile_timeline *timeline = &profile->timeline;
	const struct profile_options *options = &profile->options;
	size_t threads = profile->num_threads ? profile->num_threads : 1;
	uint64_t end = options->to && options->to < duration ? options->to : duration;

	// A damaged trace may tell any time; ends of buckets must not overflow.
	if (end > UINT64_MAX / 2)
		end = UINT64_MAX / 2;
	timeline->num_buckets = ALL_BUCKETS / threads;
	if (timeline->num_buckets > MOST_BUCKETS)
		timeline->num_buckets = MOST_BUCKETS;
	if (timeline->num_buckets < LEAST_BUCKETS)
		timeline->num_buckets = LEAST_BUCKETS;
	timeline->begin = options->from < end ? options->from : end;
	timeline->end = end;
	timeline->width = (end - timeline->begin) / timeline->num_buckets + 1;
	timeline->buckets = ARENA_ARRAY(&profile->arena, struct profile_bucket,
					profile->num_threads * timeline->num_buckets);
	timeline->pool = ARENA_ARRAY(&profile->arena, uint64_t, timeline->num_buckets);
}

/** Cut a time to the part of the run that is shown. @return whether something is left. */
static bool cut(const struct profile_timeline *timeline, uint64_t *from, uint64_t *to)
{
	if (*from < timeline->begin)
		*from = timeline->begin;
	if (*to > timeline->end)
		*to = timeline->end;
	return *from < *to;
}

/** Let the construct with most of the work of a bucket win: what others have is taken off. */
static void vote(struct profile_bucket *bucket, uint32_t construct, uint64_t time)
{
	if (bucket->construct == construct) {
		bucket->weight += time;
	} else if (bucket->weight < time) {
		bucket->construct = construct;
		bucket->weight = time - bucket->weight;
	} else {
		bucket->weight -= time;
	}
}

/** Return the end of the bucket that a moment is in, or @p to if that is before. */
static uint64_t step(const struct profile_timeline *timeline, uint64_t from, uint64_t to,
		     size_t *index)
{
	*index = (size_t)((from - timeline->begin) / timeline->width);
	uint64_t end = timeline->begin + (*index + 1) * timeline->width;
	return end < to ? end : to;
}

void timeline_add(struct profile *profile, const struct profile_slice *slice)
{
	struct profile_timeline *timeline = &profile->timeline;
	struct profile_slice shown = *slice;
	size_t index;

	if (!cut(timeline, &shown.from, &shown.to))
		return;
	if (profile->options.slice)
		profile->options.slice(profile->options.context, &shown);
	struct profile_bucket *row = &timeline->buckets[slice->thread * timeline->num_buckets];
	step(timeline, shown.from, shown.to, &index);
	row[index].switches++;
	for (uint64_t from = shown.from, to; from < shown.to; from = to) {
		to = step(timeline, from, shown.to, &index);
		row[index].lanes[shown.lane] += to - from;
		if (shown.lane == LANE_WORK)
			vote(&row[index], shown.construct, to - from);
	}
}

void timeline_add_pool(struct profile *profile, uint64_t from, uint64_t to, uint64_t tasks)
{
	struct profile_timeline *timeline = &profile->timeline;
	size_t index;

	if (!tasks || !cut(timeline, &from, &to))
		return;
	for (uint64_t end; from < to; from = end) {
		end = step(timeline, from, to, &index);
		timeline->pool[index] += tasks * (end - from);
	}
}
