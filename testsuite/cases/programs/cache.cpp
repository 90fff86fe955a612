// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cache of parsed numbers, with one lock for all of it.

#include <cstdio>
#include <map>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <vector>

class Cache {
public:
	Cache() { omp_init_lock(&lock_); }
	~Cache() { omp_destroy_lock(&lock_); }
	double get(const std::string &text);

private:
	omp_lock_t lock_;
	std::map<std::string, double> known_;
};

double Cache::get(const std::string &text)
{
	omp_set_lock(&lock_);
	auto found = known_.find(text);
	if (found == known_.end())
		found = known_.emplace(text, std::stod(text)).first;
	const double value = found->second;
	omp_unset_lock(&lock_);
	return value;
}

static double total(const std::vector<std::string> &texts)
{
	Cache cache;
	double sum = 0;
	int bad = 0;

#pragma omp parallel num_threads(4) reduction(+ : sum, bad)
	for (const std::string &text : texts) {
		try {
			sum += cache.get(text);
		} catch (const std::invalid_argument &) {
			bad++;
		}
	}
	if (bad)
		std::fprintf(stderr, "%d bad numbers\n", bad);
	return sum;
}

int main()
{
	std::printf("%g\n", total({ "1", "2.5", "3e2", "n/a", "4", "2.5" }));
}
