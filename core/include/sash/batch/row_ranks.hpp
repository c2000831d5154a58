//! The rank of the youngest value of each window among all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sash/batch/column.hpp"
#include "sash/batch/rank_set.hpp"
#include "sash/batch/ranks.hpp"

namespace sash::batch {

//! What is given to equal values, in the words of pandas.
enum class Ties : std::uint8_t { average, least, greatest, dense };

struct RankOptions {
    Ties ties = Ties::average;
    //! As a share of the values, or of the different values where ranks are dense.
    bool share = false;
};

//! The values of one window in order, and the youngest of them. Rows must enter in their order. A NaN in the window
//! makes its rank NaN.
class RankWindow {
public:
    explicit RankWindow(const RankOptions& options) : options_(options) {}

    //! Empties the window; [begin, end) is what it may hold from here on.
    void reset(const Column& column, std::size_t begin, std::size_t end) {
        values_.assign(column, begin, end);
        members_.reset(values_.size());
        find_runs();
        if (dense()) {
            runs_there_.reset(starts_.size());
            often_.assign(starts_.size(), 0);
        }
        nans_ = 0;
    }

    void enter(std::size_t position) {
        const std::uint32_t rank = values_.rank_at(position);
        if (rank == RankedValues::kAbsent) return;
        if (rank == RankedValues::kNan) {
            ++nans_;
            return;
        }
        members_.add(rank);
        youngest_ = rank;
        if (dense() && often_[run_[rank]]++ == 0) runs_there_.add(run_[rank]);
    }

    void leave(std::size_t position) {
        const std::uint32_t rank = values_.rank_at(position);
        if (rank == RankedValues::kAbsent) return;
        if (rank == RankedValues::kNan) {
            --nans_;
            return;
        }
        members_.remove(rank);
        if (dense() && --often_[run_[rank]] == 0) runs_there_.remove(run_[rank]);
    }

    //! From 1; NaN where there is no value.
    double result() const {
        if (nans_ != 0 || members_.size() == 0) return std::numeric_limits<double>::quiet_NaN();
        const double rank = place();
        const std::size_t of = dense() ? runs_there_.size() : members_.size();
        return options_.share ? rank / static_cast<double>(of) : rank;
    }

private:
    bool dense() const { return options_.ties == Ties::dense; }

    double place() const {
        const std::uint32_t run = run_[youngest_];
        if (dense()) return static_cast<double>(runs_there_.below(run) + 1);
        const std::size_t end = run + 1 < starts_.size() ? starts_[run + 1] : values_.size();
        const auto before = options_.ties == Ties::greatest ? 0.0 : static_cast<double>(members_.below(starts_[run]));
        if (options_.ties == Ties::least) return before + 1.0;
        const auto upto = static_cast<double>(members_.below(end));
        return options_.ties == Ties::greatest ? upto : (before + 1.0 + upto) / 2.0;
    }

    //! Equal values are a run of ranks.
    void find_runs() {
        starts_.clear();
        run_.resize(values_.size());
        for (std::size_t rank = 0; rank < values_.size(); ++rank) {
            if (rank == 0 || values_.value(rank) != values_.value(rank - 1))
                starts_.push_back(static_cast<std::uint32_t>(rank));
            run_[rank] = static_cast<std::uint32_t>(starts_.size() - 1);
        }
    }

    RankOptions options_;
    RankedValues values_;
    RankSet members_;
    //! The runs that have members, and how many each has; only where ranks are dense.
    RankSet runs_there_;
    std::vector<std::uint32_t> often_;
    //! Where each run begins, and the run of each rank.
    std::vector<std::uint32_t> starts_;
    std::vector<std::uint32_t> run_;
    std::uint32_t youngest_ = 0;
    std::size_t nans_ = 0;
};

}  // namespace sash::batch
