// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends parts of a file: a task packs each part, and is complete when the part's transfer is.

#include <omp.h>
#include <stdio.h>

enum { PARTS = 6, LENGTH = 1000, SMALLEST = 64 };

struct transfer {
	omp_event_handle_t done;
	int length;
	int sent;
};

static struct transfer transfers[PARTS];
static char packed[PARTS][LENGTH];

static void pack(int part)
{
	for (int i = 0; i < LENGTH; i++)
		packed[part][i] = (char)(part * i);
}

static void start_transfer(struct transfer *transfer, int length)
{
	transfer->length = length;
	transfer->sent = length >= SMALLEST ? length : 0; // less is kept until there is more
}

static void handle_completions(void)
{
	for (int part = 0; part < PARTS; part++) {
		if (transfers[part].sent)
			omp_fulfill_event(transfers[part].done);
	}
}

static void send_file(int size)
{
	for (int part = 0; part < PARTS; part++) {
		omp_event_handle_t done = 0;
		int rest = size - part * LENGTH;

#pragma omp task detach(done)
		pack(part);
		transfers[part].done = done;
		start_transfer(&transfers[part], rest < LENGTH ? rest : LENGTH);
	}
	handle_completions();
#pragma omp taskwait
	printf("sent %d bytes\n", size);
}

int main(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	send_file(5010);
	return 0;
}
