//! Where pages wait: the seam between a window's levels and a key-value store, and one window's place in it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sash::store {

//! How a window is cut into pages.
struct Shape {
    //! Elements a page; a power of two.
    std::size_t page = 512;
    //! Pages that each level may keep from the store.
    std::size_t cache = 4;
};

//! A page by its place. A page is never changed once it is put; a place is put twice only where the first put was
//! undone before anybody could rely on it.
struct PageKey {
    //! One structure's pages; each structure that a window ever runs has its own.
    std::uint64_t space;
    std::uint32_t level;
    std::uint64_t index;
};

//! Pages as bytes. Calls come from one thread at a time.
class Store {
public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    virtual Shape shape() const = 0;
    //! What distinguishes the pages of this window from those of all others.
    virtual std::uint64_t tag() const = 0;
    //! A number that no structure had before.
    virtual std::uint64_t new_space() = 0;
    //! May go behind. Throws, with nothing changed, where the page cannot be taken.
    virtual void put(const PageKey& key, std::string_view page) = 0;
    //! What was put last; throws where there is nothing.
    virtual std::string get(const PageKey& key) = 0;
    //! The pages [key.index, last) of a level will be read soon.
    virtual void want(const PageKey& key, std::uint64_t last) noexcept = 0;
    //! The pages [key.index, last) of a level will never be read again.
    virtual void drop(const PageKey& key, std::uint64_t last) noexcept = 0;
    //! No page of a space will be read again.
    virtual void drop_space(std::uint64_t space) noexcept = 0;
    //! So many pages more, or fewer, are held here from now on.
    virtual void hold(std::ptrdiff_t change) noexcept = 0;
};

//! The place of one structure in a store. Its pages go with it.
class Space {
public:
    explicit Space(std::shared_ptr<Store> store) : Space(store, store->new_space()) {}
    //! The place of a structure that was put down before.
    Space(std::shared_ptr<Store> store, std::uint64_t id) : store_(std::move(store)), id_(id), shape_(store_->shape()) {
        if (!std::has_single_bit(shape_.page) || shape_.page < 2)
            throw std::invalid_argument("a page holds a power of two of elements");
    }
    Space(const Space&) = delete;
    Space& operator=(const Space&) = delete;
    ~Space() { store_->drop_space(id_); }

    Store& store() const { return *store_; }
    const std::shared_ptr<Store>& shared_store() const { return store_; }
    std::uint64_t id() const { return id_; }
    const Shape& shape() const { return shape_; }

private:
    std::shared_ptr<Store> store_;
    std::uint64_t id_;
    Shape shape_;
};

//! How many pages somebody holds. The store is notified of every change.
class Tally {
public:
    explicit Tally(std::shared_ptr<Space> space) : space_(std::move(space)) {}
    Tally(const Tally& other) : space_(other.space_) { set(other.pages_); }
    Tally(Tally&& other) noexcept : space_(other.space_), pages_(std::exchange(other.pages_, 0)) {}
    Tally& operator=(Tally other) noexcept {
        space_.swap(other.space_);
        std::swap(pages_, other.pages_);
        return *this;
    }
    ~Tally() { set(0); }

    void set(std::size_t pages) noexcept {
        if (pages == pages_) return;
        space_->store().hold(static_cast<std::ptrdiff_t>(pages) - static_cast<std::ptrdiff_t>(pages_));
        pages_ = pages;
    }

private:
    std::shared_ptr<Space> space_;
    std::size_t pages_ = 0;
};

}  // namespace sash::store
