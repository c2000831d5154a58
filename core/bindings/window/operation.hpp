//! What every operation of a window has around it: nobody else comes in, and errors get their Python names.
#pragma once

#include <string>

#include "busy.hpp"
#include "errors.hpp"
#include "sash/monoids/record/compiled.hpp"
#include "sash/monoids/widen.hpp"
#include "sash/window.hpp"
#include "window/face.hpp"

namespace sash::face {

//! Runs f as the window's only operation and gives errors their Python names.
template <class F>
auto Window::checked(F f) const {
    const Busy busy(busy_, "window");
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
