#include "operator/partials.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "operator/record_access.hpp"
#include "operator/running_ranges.hpp"
#include "sash/algorithms/key_window.hpp"
#include "sash/algorithms/owned_partials.hpp"
#include "sash/algorithms/range_run.hpp"
#include "sash/monoids/record.hpp"
#include "sash/monoids/record/compiled.hpp"
#include "sash/operator/slab_list.hpp"

namespace sash::face {

namespace {

//! The exception that is being handled, as Python names it. What no result is to blame for goes on.
std::string failure_text() {
    try {
        throw;
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;
        const nb::str type(error.type().attr("__name__")), text(error.value());
        return std::string(type.c_str()) + ": " + text.c_str();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const CompiledError& error) {
        return std::string("AggregationError: ") + error.what();
    } catch (const std::overflow_error& error) {
        return std::string("OverflowError: ") + error.what();
    } catch (const std::exception& error) {
        return std::string("ValueError: ") + error.what();
    }
}

template <class M>
class PartialsOver final : public OperatorPartials {
public:
    using Partial = typename M::Partial;
    using OperatorPartials::emit;

    PartialsOver(M monoid, const ResultShape& shape)
        : OperatorPartials(shape), monoid_(std::move(monoid)), lifted_(monoid_.identity()) {}

    void open(KeyId key) override { windows_.grow(std::size_t{key} + 1); }
    void close(KeyId key) override {
        running_.drop(key);
        windows_[key] = {};
    }

    void prefetch(KeyId key, bool entries) const override {
        if (entries) return windows_[key].prefetch();
        __builtin_prefetch(&windows_[key]);
    }

    void insert(KeyId key, Time label) override { insert_into(windows_[key], key, label); }
    void evict(KeyId key, Time label) override { evict_from(windows_[key], key, label); }
    void slide(KeyId key, Time needed, Time label, bool has_partial) override {
        KeyWindow<M>& window = windows_[key];
        if (needed != kEarliest) evict_from(window, key, needed - 1);
        if (has_partial) insert_into(window, key, label);
    }

    void erase(KeyId key, Time label) override {
        KeyWindow<M>& window = windows_[key];
        std::optional<Partial> before = window.at(label);
        // It may have been evicted before its row was taken back.
        if (!before) return;
        running_.erasing(key, label, *before);
        if (careful_) undo_.push_back({key, label, std::move(before), {}});
        window.erase(label);
        if (careful_) refuse_failures(window);
    }

    void commit() override {
        careful_ = false;
        for (const Undo& undo : undo_)
            if (!undo.held.empty()) windows_[undo.key].release(undo.held);
        undo_.clear();
    }
    //! O(n) in the entries of the keys that changed. No combine is called, since that may be what has failed.
    void roll_back() override {
        std::map<KeyId, std::map<Time, Partial>> keys;
        for (; !undo_.empty(); undo_.pop_back()) {
            Undo& undo = undo_.back();
            const auto [found, fresh] = keys.try_emplace(undo.key);
            if (fresh)
                windows_[undo.key].for_each(
                    [&](Time label, const Partial& partial) { found->second.emplace(label, partial); });
            if (!undo.held.empty()) {
                windows_[undo.key].for_each_held(undo.held, [&](Time label, const Partial& partial) {
                    found->second.insert_or_assign(label, partial);
                });
            } else if (undo.before) {
                found->second.insert_or_assign(undo.label, std::move(*undo.before));
            } else {
                found->second.erase(undo.label);
            }
        }
        for (const auto& [key, entries] : keys) {
            running_.drop(key);
            windows_[key].assign(monoid_, entries);
        }
        careful_ = false;
    }

    bool empty(KeyId key) const override { return windows_[key].size() == 0; }
    bool any(KeyId key, Time from, Time to) const override { return windows_[key].any(from, to); }

    void relabel(KeyId key, std::span<const Time> from, std::span<const Time> to) override {
        loosen(key);
        std::vector<std::pair<Time, Partial>> moved;
        std::size_t at = 0;
        windows_[key].for_each([&](Time label, const Partial& partial) {
            while (from[at] != label) ++at;
            moved.emplace_back(to[at], partial);
        });
        running_.drop(key);
        windows_[key].assign(monoid_, moved);
        for (Undo& undo : undo_)
            if (undo.key == key)
                undo.label =
                    to[static_cast<std::size_t>(std::lower_bound(from.begin(), from.end(), undo.label) - from.begin())];
    }

    void emit(const Emission& emission, const PartialRange& range) override {
        if (range.missing || shape_.makes_objects()) return emit(emission, result(range));
        out_->emissions.push_back(emission);
        const Partial partial = find(range);
        std::size_t part = 0;
        for (ResultColumn& column : out_->columns) column.push_back(layout().lower(part++, words_of(partial)));
    }

    Result result(const PartialRange& range) const override {
        if (range.missing) return {};
        return lowered(range, find(range));
    }

    std::vector<Result> results(std::span<const PartialRange> ranges) const override {
        std::vector<Result> results;
        results.reserve(ranges.size());
        std::optional<RangeRun<M>> run = run_of(ranges);
        for (const PartialRange& range : ranges)
            results.push_back(run ? lowered(range, run->query({range.from, range.to})) : result(range));
        return results;
    }

    nb::object seen_by(std::size_t window, const PartialRange& range) const override {
        const std::size_t output = shape_.rule(window).output;
        return shape_.is_native(output) ? made(output, find_native(range)) : made(output, find(range));
    }

    std::vector<Time> labels(KeyId key) const override {
        std::vector<Time> labels;
        windows_[key].for_each([&](Time label, const Partial&) { labels.push_back(label); });
        return labels;
    }
    void save(KeyId key, Writer& writer) const override {
        writer.u64(windows_[key].size());
        windows_[key].for_each([&](Time, const Partial& partial) { Codec<M>::write(writer, monoid_, partial); });
    }
    void restore(KeyId key, std::span<const Time> labels, Reader& reader) override {
        const std::size_t size = reader.count(1);
        if (size > labels.size()) throw DamagedSnapshot("its partials do not belong to its events");
        // The oldest may have been evicted before their rows were dropped.
        for (const Time label : labels.last(size))
            windows_[key].insert(monoid_, label, Codec<M>::read(reader, monoid_));
    }

    bool lift(const IncomingValue& value) override {
        memo_.clear();
        return lift_into(monoid_, value, lifted_);
    }
    double reach_of(std::span<const Time> ticks, std::span<const Field> fields) const override {
        return ticks.empty() ? 0.0 : layout().reach(fields, fields.size() / ticks.size());
    }

    bool may_fail() const override { return layout().may_fail(); }
    double reach() const override {
        double reach = 0.0;
        if (!layout().may_fail()) return reach;
        for_each_partial([&](const Partial& partial) { reach += layout().reach(words_of(partial)); });
        return reach;
    }

    std::vector<Kinds> kinds() const override {
        std::vector<Kinds> kinds(layout().parts());
        for_each_partial([&](const Partial& partial) {
            for (std::size_t part = 0; part < kinds.size(); ++part)
                kinds[part] = kinds[part] | layout().kinds(part, words_of(partial));
        });
        return kinds;
    }

    void begin(bool careful, EmittedResults* out) override {
        careful_ = careful;
        undo_.clear();
        memo_.clear();
        out_ = out;
    }
    std::size_t bytes() const override {
        std::size_t total = sizeof(*this) + windows_.size() * sizeof(windows_[0]);
        windows_.for_each_slot([&](const KeyWindow<M>& window) { total += window.bytes(); });
        return total;
    }

    void visit_references(const ReferenceVisitor& visitor) const override {
        if constexpr (HoldsObjects<M>) {
            monoid_.visit_references(visitor);
            const auto visit = [&](const Partial& partial) { monoid_.visit_references(partial, visitor); };
            for_each_owned<Partial>(windows_, visit);
            visit(lifted_);
            running_.visit_references(visitor);
        }
    }

    std::unique_ptr<OperatorPartials> with_layout(const LayoutPtr& other, std::span<const Form> forms) const override {
        std::unique_ptr<OperatorPartials> made = make_partials(other, shape_);
        for (std::size_t key = 0; key < windows_.size(); ++key) {
            made->open(static_cast<KeyId>(key));
            windows_[key].for_each([&](Time label, const Partial& partial) {
                made->load(static_cast<KeyId>(key), label, words_of(partial), objects_of(partial), layout(), forms);
            });
        }
        return made;
    }
    void load(KeyId key, Time label, const Word* words, const std::vector<Object>& objects, const Layout& from,
              std::span<const Form> forms) override {
        windows_[key].insert(monoid_, label, converted(monoid_, words, objects, from, forms));
    }
    std::unique_ptr<OperatorPartials> with_times(const LayoutPtr& layout, bool labels_too,
                                                 Time (*map)(Time)) const override {
        return mapped(monoid_.over(layout), [&](Time label, Partial partial) {
            monoid_.retime(partial, map);
            return std::pair(labels_too ? map(label) : label, std::move(partial));
        });
    }

private:
    using Held = typename KeyWindow<M>::Held;

    //! What was under a label before it changed; or what an eviction took out up to the label.
    struct Undo {
        KeyId key;
        Time label;
        std::optional<Partial> before;
        Held held;
    };

    void insert_into(KeyWindow<M>& window, KeyId key, Time label) {
        if (careful_) undo_.push_back({key, label, window.at(label), {}});
        window.insert(monoid_, label, lifted_);
        running_.inserted(key, label, lifted_);
        if (careful_) refuse_failures(window);
    }

    void evict_from(KeyWindow<M>& window, KeyId key, Time label) {
        running_.evicting(key, label, window);
        if (!careful_) return window.bulk_evict(label);
        Held held = window.bulk_evict_held(
            label, [&](Time at, const Partial& partial) { undo_.push_back({key, at, partial, {}}); });
        if (!held.empty()) undo_.push_back({key, label, {}, std::move(held)});
    }

    //! What evictions took out of the key becomes one change a label, which can have another label.
    void loosen(KeyId key) {
        const auto holds = [&](const Undo& undo) { return undo.key == key && !undo.held.empty(); };
        if (std::none_of(undo_.begin(), undo_.end(), holds)) return;
        std::deque<Undo> loose;
        for (Undo& undo : undo_) {
            if (!holds(undo)) {
                loose.push_back(std::move(undo));
                continue;
            }
            windows_[key].for_each_held(
                undo.held, [&](Time label, const Partial& partial) { loose.push_back({key, label, partial, {}}); });
        }
        undo_ = std::move(loose);
    }

    //! Throws where a compiled function has failed; only where the call may be undone.
    void refuse_failures(const KeyWindow<M>& window) const {
        if (!monoid_.marks_failures()) return;
        const Partial whole = window.query(monoid_, kEarliest, kLatest);
        if (monoid_.failed(whole)) static_cast<void>(layout_of(monoid_).lower(words_of(whole)));
    }

    const Layout& layout() const { return layout_of(monoid_); }

    template <class F>
    void for_each_partial(F f) const {
        windows_.for_each_slot(
            [&](const KeyWindow<M>& window) { window.for_each([&](Time, const Partial& partial) { f(partial); }); });
    }

    //! Nothing where a query a range is as good, or no partial is needed.
    std::optional<RangeRun<M>> run_of(std::span<const PartialRange> ranges) const {
        const auto bare = [](const PartialRange& range) { return range.empty || range.missing; };
        if (std::any_of(ranges.begin(), ranges.end(), bare) || ranges.empty() || running_.follows(monoid_))
            return std::nullopt;
        const KeyWindow<M>& window = windows_[ranges.front().key];
        const LabelRange first{ranges.front().from, ranges.front().to}, last{ranges.back().from, ranges.back().to};
        if (!RangeRun<M>::pays(window, first, last, ranges.size())) return std::nullopt;
        return std::optional<RangeRun<M>>(std::in_place, monoid_, window, first, last);
    }

    Result lowered(const PartialRange& range, const Partial& partial) const {
        Result cells;
        if (shape_.makes_objects()) {
            const auto* const running = range.empty ? nullptr : running_.at(monoid_, windows_[range.key], range);
            cells.push_back(ResultCell(Object::stolen(made(0, partial, running).release().ptr())));
            return cells;
        }
        for (std::size_t part = 0; part < layout().parts(); ++part)
            cells.push_back(cell_of(layout().lower(part, words_of(partial))));
        return cells;
    }

    Partial find(const PartialRange& range) const {
        return range.empty ? monoid_.identity() : windows_[range.key].query(monoid_, range.from, range.to);
    }

    //! The same, but for the members in Python: none of them is combined. It is there until the next one is looked for:
    //! a late event asks for hundreds.
    const Partial& find_native(const PartialRange& range) const {
        if constexpr (!HoldsObjects<M>) {
            seen_ = find(range);
        } else {
            seen_.words = monoid_.record().identity();
            WordCombiner combiner{monoid_.record(), seen_.words};
            if (!range.empty) windows_[range.key].visit(range.from, range.to, combiner);
        }
        return seen_;
    }

    nb::object made(std::size_t output, const Partial& partial, const RunningOf<M>* running = nullptr) const {
        return shape_.made(
            output, [&](std::size_t part) { return layout().lower(part, words_of(partial)); },
            [&](std::size_t member) { return member_of(monoid_, partial, member, running); });
    }

    template <class Map>
    std::unique_ptr<OperatorPartials> mapped(const M& monoid, Map map) const {
        auto partials = std::make_unique<PartialsOver>(monoid, shape_);
        partials->windows_.grow(windows_.size());
        for (std::size_t key = 0; key < windows_.size(); ++key) {
            windows_[key].for_each([&](Time label, const Partial& partial) {
                const auto [at, moved] = map(label, partial);
                partials->windows_[key].insert(monoid, at, moved);
            });
        }
        return partials;
    }

    M monoid_;
    //! The event that is being taken in.
    Partial lifted_;
    //! What a programmable window saw last.
    mutable Partial seen_ = {};
    //! By key.
    SlabList<KeyWindow<M>> windows_;
    mutable RunningRanges<M> running_;
    bool careful_ = false;
    //! Not one array, as in UndoLog.
    std::deque<Undo> undo_;
};

}  // namespace

void OperatorPartials::emit(const Emission& emission, const Result& result) {
    Emission said = emission;
    said.missing = result.empty();
    out_->emissions.push_back(said);
    for (std::size_t cell = 0; cell < out_->columns.size(); ++cell)
        out_->columns[cell].push_back(result.empty() ? ResultCell() : result[cell]);
}

void OperatorPartials::fail(const Emission& emission) {
    out_->drop_unfinished();
    out_->failed.push_back({emission, failure_text()});
}

bool OperatorPartials::evicts(std::size_t window, const nb::object& total, const PartialRange& range) const {
    return evicts(window, total, seen_by(window, range));
}

bool OperatorPartials::evicts(std::size_t window, const nb::object& total, std::size_t count) const {
    return evicts(window, total, counted(count));
}

bool OperatorPartials::evicts(std::size_t window, const nb::object& total, const nb::object& old) const {
    return memo_.get(window, total, old, [&] {
        const nb::object evicts = shape_.rule(window).evict_when(total, old);
        const int truth = PyObject_IsTrue(evicts.ptr());
        if (truth < 0) throw nb::python_error();
        return truth != 0;
    });
}

std::unique_ptr<OperatorPartials> make_partials(const LayoutPtr& layout, const ResultShape& shape) {
    if (!shape.row().objects().empty()) {
        auto members = std::make_shared<Mixed::Members>();
        for (const ObjectSpec& object : shape.row().objects())
            members->emplace_back(object.aggregation, Combining::deferred);
        return std::make_unique<PartialsOver<Mixed>>(Mixed(layout, std::move(members)), shape);
    }
    std::unique_ptr<OperatorPartials> partials;
    with_storage(*layout, [&]<class Storage>(std::type_identity<Storage>) {
        partials = std::make_unique<PartialsOver<Record<Storage>>>(Record<Storage>(layout), shape);
    });
    return partials;
}

}  // namespace sash::face
