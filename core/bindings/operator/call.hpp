//! A call of an operator: all of it, or none; over partials in the mode that its events make necessary.
#pragma once

#include <string>
#include <utility>

#include "errors.hpp"
#include "operator/event_batch.hpp"
#include "operator/operator.hpp"
#include "sash/monoids/record/compiled.hpp"
#include "sash/monoids/widen.hpp"
#include "window/face.hpp"

namespace sash::face {

inline constexpr const char* kOperator = "operator";

//! Errors of the core by their Python names.
template <class Run>
void named_errors(Run run) {
    try {
        run();
    } catch (const Inexact& number) {
        raise_inexact(number.value);
    } catch (const CompiledError& error) {
        raise("AggregationError",
              std::string(error.what()) + ": run the aggregation uncompiled to see which and where");
    }
}

inline bool is_true(nb::handle value) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) throw nb::python_error();
    return truth != 0;
}

template <class Work, class Commit>
void BoundOperator::attempt(EmittedResults& out, bool release, Work work, Commit commit) {
    const bool careful = runs_python() || mode_.wide || plan().may_fail() || plan().retracts;
    auto& state = engine_->state();
    const auto run = [&] {
        state.begin(careful);
        state.partials().begin(careful, &out);
        try {
            work();
        } catch (...) {
            state.roll_back();
            state.take_freed();
            state.ids().take_freed();
            throw;
        }
        commit();
    };
    named_errors([&] {
        if (release && !runs_python()) {
            const nb::gil_scoped_release released;
            run();
        } else {
            run();
        }
    });
}

template <class Reach, class Work>
void BoundOperator::in_mode(Mode mode, Reach reach_of, Work work) {
    std::unique_ptr<OperatorPartials> changed = in_mode(*partials_, mode_, mode);
    const auto now = [&]() -> const OperatorPartials& { return changed ? *changed : *partials_; };
    const double further = reach_of(now());
    double reach = reach_ + further;
    // What has been evicted reaches no longer. This is O(n), and comes at most once for as much as was counted.
    if (!mode.wide && !(reach < kNarrowReach)) reach = now().reach() + further;
    if (!mode.wide && !(reach < kNarrowReach)) {
        Mode wide = mode;
        wide.wide = true;
        changed = in_mode(now(), mode, wide);
        mode = wide;
    }
    if (changed) engine_->state().set_partials(*changed);
    const Mode before = std::exchange(mode_, mode);
    try {
        work();
    } catch (...) {
        engine_->state().set_partials(*partials_);
        mode_ = before;
        throw;
    }
    if (changed) partials_ = std::move(changed);
    reach_ = reach;
}

template <class Take>
void BoundOperator::run(EventBatch& batch, EmittedResults& out, Take take) {
    const Mode mode = joined(batch.mode());
    const bool changes = batch.settle(mode);
    const auto reach_of = [&](const OperatorPartials& partials) {
        double reach = 0.0;
        const auto add = [&](auto ticks, auto fields) { reach += partials.reach_of(ticks, fields); };
        if (changes || partials.may_fail()) batch.for_each_part(add);
        return reach;
    };
    in_mode(mode, reach_of, [&] {
        OperatorPartials& partials = engine_->state().partials();
        attempt(out, true, [&] { take(partials); }, [&] { engine_->state().commit(); });
    });
}

}  // namespace sash::face
