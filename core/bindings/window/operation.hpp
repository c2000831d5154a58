//! What every operation of a window has around it: nobody else comes in, and errors get their Python names.
#pragma once

#include <stdexcept>
#include <string>

#include "errors.hpp"
#include "sash/monoids/record/compiled.hpp"
#include "sash/monoids/widen.hpp"
#include "sash/window.hpp"
#include "window/face.hpp"

namespace sash::face {

//! One operation at a time. Callbacks of the aggregation run in the middle of one, and so may other threads.
class Window::Busy {
public:
    explicit Busy(const Window& window) : flag_(window.busy_) {
        if (flag_)
            throw std::runtime_error(
                "the window is in use, by another thread or by a callback of its own aggregation: "
                "wait for that call to end, or give each thread a window of its own");
        flag_ = true;
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { flag_ = false; }

private:
    bool& flag_;
};

//! Runs f as the window's only operation and gives errors their Python names.
template <class F>
auto Window::checked(F f) const {
    const Busy busy(*this);
    try {
        return f();
    } catch (const EmptyWindow&) {
        raise("EmptyWindowError", "the window is empty: look at len(window) first");
    } catch (const Unsupported& what) {
        raise_unsupported(what.what());
    } catch (const Inexact& number) {
        raise_inexact(number.value);
    } catch (const CompiledError& error) {
        raise("AggregationError",
              std::string(error.what()) + ": run the aggregation uncompiled to see which and where");
    } catch (const DamagedSnapshot& damage) {
        raise("SnapshotError", std::string("the snapshot cannot be read: ") + damage.what());
    }
}

}  // namespace sash::face
