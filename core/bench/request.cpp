#include "request.hpp"

#include <exception>
#include <functional>
#include <map>
#include <stdexcept>

namespace sash::bench {

namespace {

std::int64_t number(const std::string& option, const std::string& text) {
    std::size_t read = 0;
    std::int64_t value = -1;
    try {
        value = std::stoll(text, &read);
    } catch (const std::exception&) {
        // Refused below, with the option's name.
    }
    if (read != text.size() || value < 0)
        throw std::invalid_argument(option + " takes a whole number, not '" + text + "'");
    return value;
}

//! What an option does with its value.
using Set = std::function<void(Request&, const std::string& option, const std::string& value)>;

Set row_text(std::string Row::* member) {
    return [=](Request& request, const std::string&, const std::string& value) {
        request.row.*member = value;
        request.one_row = true;
    };
}

Set row_number(std::int64_t Row::* member) {
    return [=](Request& request, const std::string& option, const std::string& value) {
        request.row.*member = number(option, value);
        request.one_row = true;
    };
}

const std::map<std::string, Set>& options() {
    static const std::map<std::string, Set> table = {
        {"--algorithm", row_text(&Row::algorithm)},
        {"--monoid", row_text(&Row::monoid)},
        {"--n", row_number(&Row::n)},
        {"--m", row_number(&Row::m)},
        {"--d", row_number(&Row::d)},
        {"--rounds", [](Request& r, const auto& name, const auto& text) { r.effort.rounds = number(name, text); }},
        {"--repeats", [](Request& r, const auto& name, const auto& text) {
             r.effort.repeats = static_cast<int>(number(name, text));
         }}};
    return table;
}

bool set_flag(Request& request, const std::string& option) {
    if (option == "--list") return request.list = true;
    if (option == "--round-loop") return request.round_loop = true;
    if (option == "--records") return request.records = true;
    if (option == "--latency") return request.latency = true;
    if (option == "--yardsticks") return request.yardsticks = true;
    if (option != "--scattered") return false;
    request.row.late = Late::scattered;
    return true;
}

}  // namespace

Request parse(const std::vector<std::string>& arguments) {
    Request request;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& option = arguments[i];
        if (set_flag(request, option)) continue;
        const auto known = options().find(option);
        if (known == options().end())
            throw std::invalid_argument("unknown option '" + option +
                                        "': there are --algorithm --monoid --n --m --d --scattered --rounds --repeats "
                                        "--round-loop --records --latency --yardsticks --list");
        if (++i == arguments.size()) throw std::invalid_argument(option + " needs a value");
        known->second(request, option, arguments[i]);
    }
    if (request.effort.repeats < 1) throw std::invalid_argument("--repeats must be at least 1");
    return request;
}

}  // namespace sash::bench
