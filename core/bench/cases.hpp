//! Every algorithm over every monoid that it takes, found by name. The instantiations are spread over a few files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "row.hpp"
#include "timing.hpp"

namespace sash::bench {

struct Runner {
    std::string_view algorithm;
    std::string_view monoid;
    bool takes_late;
    std::function<Measurement(const Row&, const Effort&)> measure;
    //! Fills a window and runs exactly that many rounds, unchecked and untimed.
    std::function<void(const Row&, std::int64_t)> loop;
};

//! As many as there are cases_*.cpp.
inline constexpr std::size_t kParts = 4;

//! Appends the pairs whose number is Part modulo kParts.
template <std::size_t Part>
void add_runners(std::vector<Runner>& runners);

}  // namespace sash::bench
