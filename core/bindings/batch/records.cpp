//! Aggregations over a batch whose partials are words: a user's, by the addresses of its functions, and reproducible
//! ones by name.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <memory>

#include "batch/batch.hpp"
#include "sash/batch/record.hpp"
#include "sash/monoids/reproducible/by_name.hpp"

namespace sash::batch {

namespace {

constexpr std::size_t kMostWords = 64;

//! The inputs of each position side by side.
std::vector<double> inputs_of(const Order& order, const std::vector<Input<double>>& columns) {
    std::vector<double> inputs(order.size() * columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t i = 0; i < order.size(); ++i)
            inputs[i * columns.size() + k] = columns[k].data()[order.row_at(static_cast<Position>(i))];
    return inputs;
}

struct Batch {
    const Order& order;
    const std::vector<double>& inputs;
    std::size_t columns;
};

//! The results by row, and whether there is one.
struct Out {
    std::span<double> words;
    std::span<std::uint8_t> present;
};

template <std::size_t Words, class Pass>
void run_words(const RecordFunctions& functions, const Batch& batch, const Pass& pass, Out out) {
    const RecordMonoid<Words> monoid(functions);
    const auto times = batch.order.times();
    const auto lift = [&](std::size_t i) {
        return monoid.lift(times.empty() ? static_cast<Time>(i) : times[i], batch.inputs.data() + i * batch.columns);
    };
    const auto emit = [&](std::size_t i, const typename RecordMonoid<Words>::Partial& partial) {
        const Row row = batch.order.row_at(static_cast<Position>(i));
        if (row < batch.order.asked()) return;
        out.present[row] = monoid.lower(partial, out.words.data() + row * functions.results);
    };
    pass(monoid, lift, emit);
}

void run(const RecordFunctions& functions, const Batch& batch, const Final& pass, Out out) {
    const std::size_t words = functions.identity.size();
    if (words <= 2) return run_words<2>(functions, batch, pass, out);
    if (words <= 4) return run_words<4>(functions, batch, pass, out);
    if (words <= 16) return run_words<16>(functions, batch, pass, out);
    run_words<kMostWords>(functions, batch, pass, out);
}

void run(const RecordFunctions& functions, const Batch& batch, const Known& pass, Out out) {
    if (functions.identity.size() <= 8) return run_words<8>(functions, batch, pass, out);
    run_words<kMostWords>(functions, batch, pass, out);
}

template <class Function>
Function function_at(std::uintptr_t address) {
    return reinterpret_cast<Function>(address);
}

//! The words of the results, row by row; which rows have one; and the counts of a batch of arrivals. None where a
//! function failed: whoever called runs the Python methods then, which say why.
nb::object run_over(const RecordFunctions& functions, const Order& order, const Bounds& bounds,
                    const HeldColumn& column, const std::vector<Input<double>>& columns, bool known) {
    Room<double> words(order.size() * functions.results);
    Room<std::uint8_t> present(order.size());
    const Out out{words.span(), present.span()};
    Room<std::uint32_t> tally;
    const bool late = known && !order.in_order();
    bool failed = false;
    {
        const nb::gil_scoped_release release;
        const std::vector<double> inputs = inputs_of(order, columns);
        const Batch batch{order, inputs, columns.size()};
        const Presence& presence = column.column.presence;
        tally = Room<std::uint32_t>(late ? order.size() : 0);
        try {
            if (late) {
                run(functions, batch, Known{order, bounds, presence, {tally.span(), order.rows()}}, out);
            } else {
                run(functions, batch, Final{order, bounds, presence}, out);
            }
        } catch (const CompiledError&) {
            failed = true;
        }
    }
    if (failed) return nb::none();
    return nb::make_tuple(array_of(std::move(words)), array_of(std::move(present)),
                          late ? nb::cast(array_of(std::move(tally))) : nb::none());
}

nb::object compiled(const std::vector<std::uintptr_t>& functions, const std::vector<std::int64_t>& identity,
                    std::size_t results, const Order& order, const Bounds& bounds, const HeldColumn& column,
                    const std::vector<Input<double>>& columns, bool known) {
    if (functions.size() != 3 || identity.empty() || identity.size() > kMostWords || results == 0 ||
        results > kMostWords)
        throw std::invalid_argument("a compiled aggregation has lift, combine and lower, and 1 to 64 words");
    std::vector<double> neutral;
    for (const std::int64_t word : identity) neutral.push_back(std::bit_cast<double>(word));
    const CompiledFunctions native(function_at<CompiledFunctions::Lift>(functions[0]),
                                   function_at<CompiledFunctions::Combine>(functions[1]),
                                   function_at<CompiledFunctions::Lower>(functions[2]), neutral, results);
    return run_over(native, order, bounds, column, columns, known);
}

//! Times that are reals are seconds.
nb::object reproducible_results(const std::string& kernel, const Order& order, const Bounds& bounds,
                                const HeldColumn& column, const std::vector<Input<double>>& columns, bool known,
                                bool geometric, bool root, bool bias, int ddof, double seconds_per_tick,
                                bool real_times) {
    std::unique_ptr<RecordFunctions> functions;
    const reproducible::Options options{geometric, root, bias, ddof, {seconds_per_tick, real_times}};
    if (!reproducible::with_twin(kernel, options,
                                 [&]<class M>(M monoid) { functions = std::make_unique<MonoidFunctions<M>>(monoid); }))
        throw std::invalid_argument("no kernel of a batch is called " + kernel);
    return run_over(*functions, order, bounds, column, columns, known);
}

}  // namespace

void bind_records(nb::module_& module) {
    module.def("compiled", &compiled, nb::arg("functions"), nb::arg("identity"), nb::arg("results"), nb::arg("order"),
               nb::arg("bounds"), nb::arg("column"), nb::arg("columns"), nb::arg("known"));
    module.def("reproducible", &reproducible_results, nb::arg("kernel"), nb::arg("order"), nb::arg("bounds"),
               nb::arg("column"), nb::arg("columns"), nb::arg("known"), nb::arg("geometric") = false,
               nb::arg("root") = false, nb::arg("bias") = false, nb::arg("ddof") = 1, nb::arg("seconds_per_tick") = 1.0,
               nb::arg("real_times") = false);
}

}  // namespace sash::batch
