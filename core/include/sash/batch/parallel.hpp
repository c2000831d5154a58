//! Tasks over several threads. What comes out does not depend on how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sash::batch {

namespace detail {

//! The tasks that are left, handed out in order, and the first that failed.
class TaskList {
public:
    explicit TaskList(std::size_t tasks) : tasks_(tasks) {}

    template <class Make>
    void work(Make& make) {
        std::size_t task = tasks_;
        try {
            task = next_++;
            if (task >= tasks_) return;
            for (auto worker = make(); task < tasks_; task = next_++) worker(task);
        } catch (...) {
            fail(task);
        }
    }

    //! Throws what the first of the tasks that failed threw.
    void settle() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    //! No further task begins. Those before this one have begun, and may still fail before it.
    void fail(std::size_t task) {
        const std::lock_guard lock(mutex_);
        next_ = tasks_;
        if (task >= failed_) return;
        failed_ = task;
        error_ = std::current_exception();
    }

    std::size_t tasks_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;
    std::size_t failed_ = std::numeric_limits<std::size_t>::max();
    std::exception_ptr error_;
};

//! Calls `work` in so many threads, this one among them. No template: starting threads is the same code for all work.
inline void in_threads(std::size_t threads, const std::function<void()>& work) {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) {
        try {
            others.emplace_back([&] { work(); });
        } catch (const std::system_error&) {
            // The system gives no more threads: those that there are do it.
            break;
        }
    }
    work();
}

}  // namespace detail

//! Runs the tasks 0, 1, ... in up to so many threads, this one among them. `make()` makes what runs tasks in one of
//! them, called with the number of each: so memory serves one task after another. Throws what the first of the tasks
//! that failed threw, as one thread would.
template <class Make>
void in_parallel(std::size_t tasks, std::size_t threads, Make make) {
    detail::TaskList list(tasks);
    detail::in_threads(std::min(tasks, threads), [&] { list.work(make); });
    list.settle();
}

//! A stretch of positions.
struct Stretch {
    std::size_t begin;
    std::size_t end;
};

//! [0, size) in stretches of about the same length.
class Stretches {
public:
    //! For so many threads. Each gets some stretches, so that one that is kept waiting does not keep the others; none
    //! is shorter than what it is worth to begin one for.
    Stretches(std::size_t size, std::size_t threads) : size_(size) {
        constexpr std::size_t kEach = 4, kWorthIt = std::size_t{1} << 14;
        if (threads > 1) count_ = std::max<std::size_t>(1, std::min(kEach * threads, size / kWorthIt));
    }

    std::size_t count() const { return count_; }
    Stretch operator[](std::size_t i) const { return {size_ * i / count_, size_ * (i + 1) / count_}; }

private:
    std::size_t size_;
    std::size_t count_ = 1;
};

//! Calls f(stretch) for stretches of [0, size).
template <class F>
void in_stretches(std::size_t size, std::size_t threads, F f) {
    const Stretches stretches(size, threads);
    in_parallel(stretches.count(), threads, [&] { return [&](std::size_t i) { f(stretches[i]); }; });
}

}  // namespace sash::batch
