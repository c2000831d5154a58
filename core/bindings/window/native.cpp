//! The built-in monoids by name.
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "window/face.hpp"
#include "window/operations_of.hpp"

namespace sash::face {

namespace {

//! What a name and its parameters ask for.
struct Asked {
    std::string_view name;
    const KernelOptions& options;
    Kind numbers;
    bool wide;

    bool both() const { return numbers == Kind::both; }
    bool real() const { return numbers == Kind::real; }
    NumberKind kind() const { return numbers == Kind::integer ? NumberKind::integer : NumberKind::real; }
};

//! A monoid over the codes of numbers, which are of one kind or of both.
template <class M>
OperationsPtr of_numbers(const Asked& asked, M monoid) {
    if (asked.both()) return operations_of(OfBoth<M>{monoid});
    return operations_of(monoid);
}

//! A count is a sum of ones: the reader makes them.
OperationsPtr sum(const Asked& asked) {
    if (asked.both()) return operations_of(SumBoth{});
    if (asked.wide) return operations_of(SumWide{});
    return asked.real() ? operations_of(MarkedSumReal{}) : operations_of(SumInt{});
}
OperationsPtr product(const Asked& asked) {
    if (asked.both()) return operations_of(ProductBoth{});
    return asked.real() ? operations_of(MarkedProductReal{}) : operations_of(ProductInt{});
}
OperationsPtr mean(const Asked& asked) {
    return operations_of(Mean{asked.options.geometric});
}
OperationsPtr moments(const Asked& asked) {
    return operations_of(Moments{asked.options.ddof, asked.options.root});
}
OperationsPtr extreme(const Asked& asked) {
    return of_numbers(asked, Extremes(asked.name == "min", Max{asked.kind()}));
}
OperationsPtr range(const Asked& asked) {
    return of_numbers(asked, Range{asked.kind()});
}
OperationsPtr counted(const Asked& asked) {
    return of_numbers(asked, ExtremeCounts(asked.name == "min_count"));
}
OperationsPtr end(const Asked& asked) {
    return operations_of(Ends(asked.name == "last"));
}
OperationsPtr argument(const Asked& asked) {
    return of_numbers(asked, ExtremeArguments(asked.name == "arg_min"));
}
//! `any` and `all` are the bits of 0 and 1.
OperationsPtr bits(const Asked& asked) {
    return operations_of(Bits(asked.name == "bit_and" || asked.name == "all"));
}
OperationsPtr concat(const Asked& asked) {
    return operations_of(Concat{asked.options.separator});
}
OperationsPtr collect(const Asked&) {
    return operations_of(Collect<Cell>{});
}
OperationsPtr bloom(const Asked& asked) {
    return operations_of(Bloom(asked.options.bits, asked.options.hashes));
}

constexpr std::pair<std::string_view, OperationsPtr (*)(const Asked&)> kNative[] = {
    {"count", sum},    {"sum", sum},     {"product", product},  {"mean", mean},         {"moments", moments},
    {"min", extreme},  {"max", extreme}, {"range", range},      {"min_count", counted}, {"max_count", counted},
    {"first", end},    {"last", end},    {"arg_min", argument}, {"arg_max", argument},  {"bit_or", bits},
    {"bit_and", bits}, {"any", bits},    {"all", bits},         {"concat", concat},     {"collect", collect},
    {"bloom", bloom}};

}  // namespace

std::unique_ptr<Kernel> make_native(const Spec& spec, const Mode& mode) {
    for (const auto& [name, make] : kNative)
        if (name == spec.kernel) return make({name, spec.options, mode.value, mode.wide})->make(spec.algorithm);
    throw std::invalid_argument("no kernel is called " + spec.kernel);
}

}  // namespace sash::face
