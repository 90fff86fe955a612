// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "snapshot.h"

extern struct record_root ompdbg_record;

/** Read memory of a process. */
static bool read_at(pid_t process, uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)address, size };

	if (!process) {
		memcpy(to, (const void *)(uintptr_t)address, size);
		return true;
	}
	return process_vm_readv(process, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/** Read the ring: all events but the one that is just being written over. */
static bool read_events(pid_t process, struct snapshot *snapshot)
{
	uint64_t head = snapshot->thread.head;

	snapshot->first_event = head < SNAPSHOT_EVENTS ? 0 : head - (SNAPSHOT_EVENTS - 1);
	return read_at(process, snapshot->thread.ring, snapshot->events, sizeof(snapshot->events));
}

/** Read the tasks of the latest block. */
static bool read_tasks(pid_t process, uint64_t block, struct snapshot *snapshot)
{
	return !block || read_at(process, block + sizeof(struct record_tasks), snapshot->tasks,
				 sizeof(snapshot->tasks));
}

bool take_snapshot(pid_t process, struct snapshot *snapshot)
{
	struct record_root root;
	struct record_thread *thread = &snapshot->thread;

	memset(snapshot, 0, sizeof(*snapshot));
	if (!read_at(process, (uint64_t)(uintptr_t)&ompdbg_record, &root, sizeof(root)))
		return false;
	if (memcmp(root.magic, RECORD_MAGIC, sizeof(root.magic)) || !root.threads)
		return true;
	if (!read_at(process, root.threads, thread, sizeof(*thread)))
		return false;
	if (!thread->begun)
		return true;
	snapshot->recorded = true;
	if (thread->wait.object != thread->task)
		thread->wait.kind = 0;
	if (!read_events(process, snapshot) ||
	    !read_at(process, thread->holds, snapshot->holds, sizeof(snapshot->holds)) ||
	    !read_at(process, thread->levels, snapshot->levels, sizeof(snapshot->levels)) ||
	    !read_tasks(process, root.tasks, snapshot))
		return false;
	for (uint32_t i = 0; i < SNAPSHOT_HOLDS; i++)
		if (i >= thread->num_holds)
			snapshot->holds[i].kind = 0;
	return true;
}

const struct record_event *event_at(const struct snapshot *snapshot, uint64_t number)
{
	return &snapshot->events[number % SNAPSHOT_EVENTS];
}
