// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two streams; in each, one thread decodes frames and another draws them.

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <omp.h>

class Queue {
public:
	void put(int frame)
	{
		std::unique_lock<std::mutex> hold(mutex_);
		changed_.wait(hold, [this] { return frames_.size() < 8; });
		frames_.push_back(frame);
		changed_.notify_all();
	}
	int take()
	{
		std::unique_lock<std::mutex> hold(mutex_);
		changed_.wait(hold, [this] { return !frames_.empty(); });
		int frame = frames_.front();
		frames_.pop_front();
		changed_.notify_all();
		return frame;
	}

private:
	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<int> frames_;
};

static void decode(Queue &queue, int frames)
{
	for (int frame = 0; frame < frames; frame++)
		queue.put(frame);
}

static long draw(Queue &queue, int frames)
{
	long drawn = 0;

	while (frames-- > 0)
		drawn += queue.take() >= 0;
	return drawn;
}

static long play(int frames)
{
	Queue queue;
	long drawn = 0;

#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0)
		decode(queue, frames);
	else
		drawn = draw(queue, frames);
	return drawn;
}

int main()
{
	long drawn = 0;

#pragma omp parallel num_threads(2) reduction(+ : drawn)
	drawn += play(100);
	std::printf("%ld frames\n", drawn);
}
