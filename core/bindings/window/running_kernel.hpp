//! A window over a monoid that defers: what enters and leaves it enters and leaves a running form of all entries.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "window/kernel_of.hpp"

namespace sash::face {

//! The running form is made by the first query, and is a cache: whatever it cannot follow, or fails in it, drops it. So
//! it is no part of a snapshot, and nothing has to be rolled back in it. O(log n) an entry beside the window's own
//! cost.
template <class C>
class RunningKernelOf final : public KernelOf<C> {
public:
    using typename KernelOf<C>::Partial;
    using Policy = Kernel::Policy;

    using KernelOf<C>::KernelOf;
    //! A copy makes its own.
    RunningKernelOf(const RunningKernelOf& other) : KernelOf<C>(other) {}

    void insert(Time time, const Value& value) override {
        const Partial partial = lift(this->window_.monoid(), time, value);
        this->window_.insert(time, partial);
        follow([&] { running_->add(partial); });
    }
    void load(Time time, AnyPartial partial) override {
        running_.reset();
        KernelOf<C>::load(time, std::move(partial));
    }
    void evict() override {
        const std::vector<Partial> gone = running_ ? entries(kEarliest, 1) : std::vector<Partial>();
        this->window_.evict();
        leave(gone);
    }
    bool evict(Time time) override {
        const std::vector<Partial> gone = between(time, time);
        const bool there = this->window_.evict(time);
        leave(gone);
        return there;
    }
    void bulk_evict(Time time) override {
        const std::vector<Partial> gone = between(kEarliest, time);
        this->window_.bulk_evict(time);
        leave(gone);
    }
    void evict_while(const Policy& policy) override {
        running_.reset();
        KernelOf<C>::evict_while(policy);
    }
    void clear() override {
        running_.reset();
        KernelOf<C>::clear();
    }

    using KernelOf<C>::query;
    Result query() const override {
        if (this->size() == 0) return {};
        if (!running_) {
            running_ = this->window_.monoid().operations().running();
            follow([&] { this->window_.for_each([&](Time, const Partial& partial) { running_->add(partial); }); });
        }
        return running_ ? running_->lower(this->window_.query()) : KernelOf<C>::query();
    }
    std::unique_ptr<Kernel> copy() const override {
        this->shares_operations_ = true;
        return std::make_unique<RunningKernelOf>(*this);
    }
    void visit_references(const ReferenceVisitor& visitor) const override {
        KernelOf<C>::visit_references(visitor);
        if (running_) running_->visit_references(visitor);
    }

protected:
    void insert_all(std::span<const Time> times, std::span<Partial> partials) override {
        const std::vector<Partial> came =
            running_ ? std::vector<Partial>(partials.begin(), partials.end()) : std::vector<Partial>();
        KernelOf<C>::insert_all(times, partials);
        follow([&] {
            for (const Partial& partial : came) running_->add(partial);
        });
    }

private:
    //! At most so many from a time on.
    std::vector<Partial> entries(Time from, std::size_t most) const {
        std::vector<Partial> found;
        this->window_.algorithm().for_each_from(from, most,
                                                [&](Time, const Partial& partial) { found.push_back(partial); });
        return found;
    }
    //! What is about to leave the running form, both ends in.
    std::vector<Partial> between(Time from, Time to) const {
        return running_ && this->size() != 0 ? entries(from, this->window_.algorithm().count(from, to))
                                             : std::vector<Partial>();
    }
    void leave(std::span<const Partial> gone) {
        follow([&] {
            for (const Partial& partial : gone) running_->remove(partial);
        });
    }
    template <class Change>
    void follow(Change change) const {
        if (!running_) return;
        try {
            change();
        } catch (...) {
            running_.reset();
        }
    }

    mutable std::unique_ptr<RunningTotal> running_;
};

}  // namespace sash::face
