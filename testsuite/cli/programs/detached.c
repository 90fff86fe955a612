// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task waits by two variables for one whose event nobody fulfils. The file "event" has the handle of that
// event.

#include <omp.h>
#include <stdio.h>

static int upload, download;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t sent, received;
#pragma omp task detach(sent) depend(out : upload) depend(inout : download)
		{
			FILE *file = fopen("event", "w");

			fprintf(file, "%lu", (unsigned long)sent);
			fclose(file);
		}
#pragma omp task detach(received) depend(in : upload) depend(out : download) firstprivate(sent)
		omp_fulfill_event(sent);
#pragma omp taskwait
		upload = download;
	}
	return upload;
}
