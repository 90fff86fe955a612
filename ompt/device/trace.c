// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace of a device. Threads of the program put records into a queue. A thread of this library, the
// carrier, asks the tool for buffers and gives them back: no thread of the program runs the tool's
// code, and none waits for it, unless the queue is full.

#include <signal.h>
#include <stdlib.h>

#include "device.h"

static __thread bool is_carrier;

/** Give the tool's buffer back, if there is one. */
static void complete_buffer(struct device *device)
{
	char *buffer = device->buffer;

	if (!buffer)
		return;
	device->buffer = NULL;
	device->complete(device->number, buffer, device->buffer_size,
			 device_buffer_begin(buffer, device->buffer_size), 1);
}

/** Get a buffer with place for a record. Return the place, or null: the tool refuses. */
static struct device_record *request_place(struct device *device)
{
	struct device_record *place;
	ompt_buffer_t *buffer = NULL;
	size_t size = 0;

	device->request(device->number, &buffer, &size);
	if (!buffer || !size)
		return NULL;
	device->buffer = buffer;
	device->buffer_size = size;
	device_buffer_init(buffer, size);
	place = device_buffer_add(buffer, size);
	if (!place)
		complete_buffer(device); // too small for any record
	return place;
}

/** Carry one record into the tool's buffer. Return whether the tool takes it. */
static bool carry(struct device *device, const struct device_record *record)
{
	struct device_record *place =
		device->buffer ? device_buffer_add(device->buffer, device->buffer_size) : NULL;

	if (!place) {
		complete_buffer(device);
		place = request_place(device);
	}
	if (place)
		*place = *record;
	return place;
}

/** Return whether the carrier has something to do. */
static bool has_work(const struct device *device)
{
	return device->stopping || device->flush_asked > device->flush_done ||
	       device->tail - device->head >= DEVICE_QUEUE / 2;
}

/** Carry the records that are in the queue now; deliver them at once if somebody waits for that.
 *  Called with the mutex; leaves it meanwhile. */
static void carry_all(struct device *device)
{
	uint64_t until = device->tail, asked = device->flush_asked;
	bool whole = device->stopping || asked > device->flush_done;

	while (device->head < until) {
		struct device_record record = device->queue[device->head++ % DEVICE_QUEUE];
		bool wanted = !device->refused;

		pthread_cond_broadcast(&device->moved);
		pthread_mutex_unlock(&device->mutex);
		wanted = wanted && carry(device, &record);
		pthread_mutex_lock(&device->mutex);
		device->refused = device->refused || !wanted;
	}
	if (!whole)
		return;
	pthread_mutex_unlock(&device->mutex);
	complete_buffer(device);
	pthread_mutex_lock(&device->mutex);
	device->flush_done = asked;
	pthread_cond_broadcast(&device->moved);
}

static void *carrier(void *arg)
{
	struct device *device = arg;
	bool last;

	is_carrier = true;
	pthread_mutex_lock(&device->mutex);
	do {
		while (!has_work(device))
			pthread_cond_wait(&device->wake, &device->mutex);
		last = device->stopping; // from now on nothing is recorded, or asked for
		carry_all(device);
	} while (!last);
	pthread_mutex_unlock(&device->mutex);
	return NULL;
}

/** Start the carrier, which no signal of the program's disturbs. */
static bool start_carrier(struct device *device)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&device->carrier, NULL, carrier, device);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

bool device_wants(const struct device *device, ompt_callbacks_t event)
{
	return __atomic_load_n(&device->events, __ATOMIC_RELAXED) >> event & 1;
}

bool device_wants_native(const struct device *device, int flag)
{
	return __atomic_load_n(&device->native, __ATOMIC_RELAXED) & flag;
}

void device_record(struct device *device, const struct device_record *record)
{
	pthread_mutex_lock(&device->mutex);
	while (device->started && device->tail - device->head == DEVICE_QUEUE)
		pthread_cond_wait(&device->moved, &device->mutex);
	if (device->started && !device->paused && !device->refused && !device->stopping) {
		device->queue[device->tail++ % DEVICE_QUEUE] = *record;
		if (has_work(device))
			pthread_cond_signal(&device->wake);
	}
	pthread_mutex_unlock(&device->mutex);
}

/** Start, or start again after the tool has refused a buffer. Called with the mutex. */
static bool start(struct device *device, ompt_callback_buffer_request_t request,
		  ompt_callback_buffer_complete_t complete)
{
	if (device->stopping || (device->started && !device->refused))
		return false;
	device->request = request;
	device->complete = complete;
	device->refused = device->paused = false;
	if (device->started)
		return true;
	if (!device->queue)
		device->queue = malloc(DEVICE_QUEUE * sizeof(*device->queue));
	device->head = device->tail = 0;
	device->started = device->queue && start_carrier(device);
	return device->started;
}

int device_start_trace(ompt_device_t *handle, ompt_callback_buffer_request_t request,
		       ompt_callback_buffer_complete_t complete)
{
	struct device *device = device_check(handle);
	bool started;

	if (!device || !request || !complete || is_carrier)
		return 0;
	pthread_mutex_lock(&device->mutex);
	started = start(device, request, complete);
	pthread_mutex_unlock(&device->mutex);
	if (started)
		device->provider->note(device, DEVICE_TRACE_STARTED);
	return started;
}

int device_pause_trace(ompt_device_t *handle, int begin_pause)
{
	struct device *device = device_check(handle);
	bool started, changes;

	if (!device)
		return 0;
	pthread_mutex_lock(&device->mutex);
	started = device->started && !device->stopping;
	changes = started && device->paused != !!begin_pause;
	pthread_mutex_unlock(&device->mutex);
	if (changes && begin_pause)
		device->provider->note(device, DEVICE_TRACE_PAUSED);
	if (!started)
		return 0;
	pthread_mutex_lock(&device->mutex);
	device->paused = begin_pause;
	pthread_mutex_unlock(&device->mutex);
	if (changes && !begin_pause)
		device->provider->note(device, DEVICE_TRACE_RESUMED);
	return 1;
}

int device_flush_trace(ompt_device_t *handle)
{
	struct device *device = device_check(handle);
	bool can;

	if (!device || is_carrier)
		return 0;
	pthread_mutex_lock(&device->mutex);
	can = device->started && !device->stopping;
	if (can) {
		uint64_t asked = ++device->flush_asked;

		pthread_cond_signal(&device->wake);
		while (device->flush_done < asked)
			pthread_cond_wait(&device->moved, &device->mutex);
	}
	pthread_mutex_unlock(&device->mutex);
	return can;
}

int device_stop_trace(ompt_device_t *handle)
{
	struct device *device = device_check(handle);
	bool can;

	if (!device || is_carrier)
		return 0;
	pthread_mutex_lock(&device->mutex);
	can = device->started && !device->stopping;
	if (can) {
		device->stopping = true;
		pthread_cond_signal(&device->wake);
	}
	pthread_mutex_unlock(&device->mutex);
	if (!can)
		return 0;
	pthread_join(device->carrier, NULL);
	pthread_mutex_lock(&device->mutex);
	device->started = device->stopping = false;
	pthread_cond_broadcast(&device->moved);
	pthread_mutex_unlock(&device->mutex);
	return 1;
}

void device_init_trace(struct device *device)
{
	pthread_mutex_init(&device->mutex, NULL);
	pthread_cond_init(&device->wake, NULL);
	pthread_cond_init(&device->moved, NULL);
	device->started = device->stopping = false;
	device->flush_done = device->flush_asked;
	device->buffer = NULL;
}
