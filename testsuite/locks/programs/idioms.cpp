// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How programs in C++ hold locks.

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <omp.h>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

#include "truth.h"

namespace shop
{

int work;

// ---- Guards ------------------------------------------------------------------------------------

/** A lock as the standard library wants one. */
class Lock
{
      public:
	Lock()
	{
		omp_init_lock(&handle);
	}
	void lock()
	{
		omp_set_lock(&handle);
	}
	void unlock()
	{
		omp_unset_lock(&handle);
	}
	omp_lock_t handle;
};

class Guard
{
      public:
	explicit Guard(omp_lock_t *which) : lock_(which)
	{
		omp_set_lock(lock_);
	}
	~Guard()
	{
		omp_unset_lock(lock_);
	}
	Guard(const Guard &) = delete;

      private:
	omp_lock_t *lock_;
};

template <typename Mutex> class Holder
{
      public:
	explicit Holder(Mutex &mutex) : mutex_(mutex)
	{
		mutex_.lock();
	}
	~Holder()
	{
		mutex_.unlock();
	}

      private:
	Mutex &mutex_;
};

omp_lock_t plain;
Lock adapter;

NOINLINE void own_guarded(omp_lock_t *which)
{
	Guard guard(which);
	hold();
	work++;
}

NOINLINE void take_guarded(omp_lock_t *which)
{
	Guard guard(which);
	work++;
}

void guard()
{
	omp_init_lock(&plain);
	truth("lock", &plain, "shop::plain");
	TOGETHER(own_guarded(&plain), take_guarded(&plain));
}

NOINLINE void own_guarded_global()
{
	Guard guard(&plain);
	hold();
	work++;
}

void guard_of_global()
{
	omp_init_lock(&plain);
	truth("lock", &plain, "shop::plain");
	TOGETHER(own_guarded_global(), own_guarded_global());
}

NOINLINE void own_in_holder(Lock &lock)
{
	Holder<Lock> holder(lock);
	hold();
	work++;
}

void guard_template()
{
	truth("lock", &adapter.handle, "shop::adapter.handle");
	TOGETHER(own_in_holder(adapter), own_in_holder(adapter));
}

NOINLINE void own_lock_guard()
{
	std::lock_guard<Lock> guard(adapter);
	hold();
	work++;
}

void lock_guard()
{
	truth("lock", &adapter.handle, "shop::adapter.handle");
	TOGETHER(own_lock_guard(), own_lock_guard());
}

NOINLINE void own_unique_lock(Lock &lock, bool is_later)
{
	std::unique_lock<Lock> guard(lock, std::defer_lock);
	if (is_later)
		guard.lock();
	hold();
	work++;
}

void unique_lock()
{
	truth("lock", &adapter.handle, "shop::adapter.handle");
	TOGETHER(own_unique_lock(adapter, true), own_unique_lock(adapter, true));
}

NOINLINE std::unique_ptr<Guard> make_guard(omp_lock_t *which)
{
	return std::make_unique<Guard>(which);
}

NOINLINE void own_made(omp_lock_t *which)
{
	auto guard = make_guard(which);
	hold();
	work++;
}

void guard_from_function()
{
	omp_init_lock(&plain);
	truth("lock", &plain, "shop::plain");
	TOGETHER(own_made(&plain), take_guarded(&plain));
}

// ---- Containers --------------------------------------------------------------------------------

struct Vertex {
	double value;
	omp_lock_t lock_;
	std::vector<int> neighbours;
};

class Mesh
{
      public:
	explicit Mesh(int count) : vertices(count)
	{
		for (auto &vertex : vertices)
			omp_init_lock(&vertex.lock_);
		for (int i = 1; i + 1 < count; i++)
			vertices[i].neighbours = { i - 1, i + 1 };
	}
	/** Lock a vertex and those around it. */
	NOINLINE void smooth(int index)
	{
		Vertex &v = vertices[index];
		omp_set_lock(&v.lock_);
		for (int i : v.neighbours)
			omp_set_lock(&vertices[i].lock_);
		hold();
		for (int i : v.neighbours)
			omp_unset_lock(&vertices[i].lock_);
		omp_unset_lock(&v.lock_);
	}
	NOINLINE void touch(int index)
	{
		omp_set_lock(&vertices[index].lock_);
		vertices[index].value++;
		omp_unset_lock(&vertices[index].lock_);
	}
	std::vector<Vertex> vertices;
};

void mesh_vertex()
{
	Mesh mesh(10);

	truth("lock", &mesh.vertices[4].lock_, nullptr);
	TOGETHER(mesh.smooth(4), mesh.touch(4));
}

void mesh_neighbour()
{
	Mesh mesh(10);

	truth("lock", &mesh.vertices[5].lock_, nullptr);
	TOGETHER(mesh.smooth(4), mesh.touch(5));
}

NOINLINE void own_in_vector(std::vector<omp_lock_t> &locks, int index)
{
	omp_set_lock(&locks[index]);
	hold();
	omp_unset_lock(&locks[index]);
}

NOINLINE void take_in_vector(std::vector<omp_lock_t> &locks, int index)
{
	omp_set_lock(&locks.at(index));
	work++;
	omp_unset_lock(&locks.at(index));
}

void vector_element()
{
	std::vector<omp_lock_t> locks(6);

	omp_init_lock(&locks[2]);
	truth("lock", &locks[2], nullptr);
	TOGETHER(own_in_vector(locks, 2), take_in_vector(locks, 2));
}

NOINLINE void own_in_map(std::map<int, Lock> &locks, int key)
{
	std::lock_guard<Lock> guard(locks.at(key));
	hold();
	work++;
}

void map_element()
{
	std::map<int, Lock> locks;

	locks[3];
	locks[7];
	truth("lock", &locks[7].handle, nullptr);
	TOGETHER(own_in_map(locks, 7), own_in_map(locks, 7));
}

NOINLINE void own_all(std::deque<Lock> &locks)
{
	std::vector<std::unique_lock<Lock>> guards;

	for (auto &lock : locks)
		guards.emplace_back(lock);
	hold();
	work++;
}

void deque_of_guarded()
{
	std::deque<Lock> locks(4);

	truth("lock", &locks[1].handle, nullptr);
	TOGETHER(own_all(locks), locks[1].lock());
}

// ---- Objects -----------------------------------------------------------------------------------

class Account
{
      public:
	Account()
	{
		omp_init_lock(&lock_);
	}
	virtual ~Account() = default;
	virtual void change(bool is_owner)
	{
		omp_set_lock(&lock_);
		if (is_owner)
			hold();
		balance++;
		omp_unset_lock(&lock_);
	}
	omp_lock_t lock_;
	int balance = 0;
};

class Savings : public Account
{
      public:
	NOINLINE void change(bool is_owner) override
	{
		enter();
		if (is_owner)
			hold();
		leave();
	}
	INLINE void enter()
	{
		omp_set_lock(&lock_);
	}
	INLINE void leave()
	{
		omp_unset_lock(&lock_);
	}
};

void virtual_method()
{
	std::unique_ptr<Account> account = std::make_unique<Account>();

	truth("lock", &account->lock_, nullptr);
	TOGETHER(account->change(true), account->change(false));
}

void inherited_member()
{
	std::shared_ptr<Account> account = std::make_shared<Savings>();

	truth("lock", &account->lock_, nullptr);
	TOGETHER(account->change(true), account->change(false));
}

Account shared;

NOINLINE void run_it(const std::function<void()> &what)
{
	work++;
	what();
	work++;
}

void lambda()
{
	omp_lock_t mine;
	auto own = [&mine] {
		omp_set_lock(&mine);
		hold();
		omp_unset_lock(&mine);
	};
	auto take = [&mine] {
		omp_set_lock(&mine);
		work++;
		omp_unset_lock(&mine);
	};

	omp_init_lock(&mine);
	truth("lock", &mine, nullptr);
	TOGETHER(run_it(own), run_it(take));
}

NOINLINE void under_lock(omp_lock_t *which, const std::function<void()> &what)
{
	omp_set_lock(which);
	what();
	omp_unset_lock(which);
}

void callback_under_lock()
{
	truth("lock", &shared.lock_, "shop::shared.lock_");
	TOGETHER(under_lock(&shared.lock_, hold), under_lock(&shared.lock_, hold));
}

NOINLINE void recover(omp_lock_t *which)
{
	try {
		if (work >= 0)
			throw std::runtime_error("wanted");
	} catch (const std::runtime_error &) {
		omp_set_lock(which);
		hold();
		omp_unset_lock(which);
	}
}

void exception_handler()
{
	omp_init_lock(&plain);
	truth("lock", &plain, "shop::plain");
	TOGETHER(recover(&plain), recover(&plain));
}

// ---- What the standard library has -------------------------------------------------------------

std::shared_mutex catalogue;
std::mutex desk;
std::condition_variable rang;
bool is_rung;

NOINLINE void own_catalogue_shared()
{
	std::shared_lock<std::shared_mutex> guard(catalogue);
	hold();
	work++;
}

NOINLINE void take_catalogue()
{
	std::unique_lock<std::shared_mutex> guard(catalogue);
	work++;
}

void shared_mutex_reader()
{
	truth("pthread_rwlock", &catalogue, "shop::catalogue");
	TOGETHER(own_catalogue_shared(), take_catalogue());
}

NOINLINE void own_catalogue()
{
	std::unique_lock<std::shared_mutex> guard(catalogue);
	hold();
	work++;
}

NOINLINE void look_into_catalogue()
{
	std::shared_lock<std::shared_mutex> guard(catalogue);
	work++;
}

void shared_mutex_writer()
{
	truth("pthread_rwlock", &catalogue, "shop::catalogue");
	TOGETHER(own_catalogue(), look_into_catalogue());
}

NOINLINE void await_ring()
{
	std::unique_lock<std::mutex> guard(desk);
	rang.wait(guard, [] { return is_rung; });
	work++;
}

void condition_variable()
{
	truth("std::condition_variable::wait", nullptr, nullptr);
	TOGETHER(hold(), await_ring());
}

} // namespace shop

using namespace shop;

int main(int argc, char **argv)
{
#define IDIOM(name)         \
	{                   \
#name, name \
	}
	static const struct idiom idioms[] = {
		IDIOM(guard),
		IDIOM(guard_of_global),
		IDIOM(guard_template),
		IDIOM(lock_guard),
		IDIOM(unique_lock),
		IDIOM(guard_from_function),
		IDIOM(mesh_vertex),
		IDIOM(mesh_neighbour),
		IDIOM(vector_element),
		IDIOM(map_element),
		IDIOM(deque_of_guarded),
		IDIOM(virtual_method),
		IDIOM(inherited_member),
		IDIOM(lambda),
		IDIOM(callback_under_lock),
		IDIOM(exception_handler),
		IDIOM(shared_mutex_reader),
		IDIOM(shared_mutex_writer),
		IDIOM(condition_variable),
		{ nullptr, nullptr },
	};

	return run_idiom(idioms, argc, argv);
}
