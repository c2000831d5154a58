//! A store in a map, for the tests of paged windows.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

#include "check.hpp"
#include "sash/store/store.hpp"

namespace sash::testing {

//! Pages in a map. It fails when the fuse burns down; a fuse of 0 never does.
class MapStore final : public store::Store {
public:
    explicit MapStore(store::Shape shape) : shape_(shape) {}

    store::Shape shape() const override { return shape_; }
    std::uint64_t tag() const override { return 7; }
    std::uint64_t new_space() override { return spaces++; }
    void put(const store::PageKey& key, std::string_view page) override {
        burn();
        pages[at(key, key.index)] = page;
        ++puts;
    }
    std::string get(const store::PageKey& key) override {
        burn();
        ++gets;
        const auto found = pages.find(at(key, key.index));
        check(found != pages.end(), "a page that is asked for was put and not dropped");
        return found->second;
    }
    void want(const store::PageKey& key, std::uint64_t last) noexcept override {
        for (std::uint64_t i = key.index; i != last; ++i)
            check(pages.count(at(key, i)) == 1, "only stored pages are wanted");
    }
    void drop(const store::PageKey& key, std::uint64_t last) noexcept override {
        check(key.index < last, "what is dropped is something");
        pages.erase(pages.lower_bound(at(key, key.index)), pages.lower_bound(at(key, last)));
    }
    void drop_space(std::uint64_t space) noexcept override {
        if (!kept) pages.erase(pages.lower_bound({space, 0, 0}), pages.lower_bound({space + 1, 0, 0}));
    }
    void hold(std::ptrdiff_t change) noexcept override { held += change; }

    using Place = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>;
    std::map<Place, std::string> pages;
    std::uint64_t spaces = 0;
    int puts = 0;
    int gets = 0;
    std::ptrdiff_t held = 0;
    int fuse = 0;
    //! Pages outlive their structure, as committed ones do.
    bool kept = false;

private:
    static Place at(const store::PageKey& key, std::uint64_t index) { return {key.space, key.level, index}; }
    void burn() {
        if (fuse > 0 && --fuse == 0) throw std::runtime_error("the store has failed");
    }
    store::Shape shape_;
};

}  // namespace sash::testing
