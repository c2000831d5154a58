//! Where FlatFAT's entries lie in its leaves, and which nodes of the tree hold something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sash/algorithm.hpp"

namespace sash::flatfat {

//! The stretch of leaves in use, as a circular buffer: `length` places from slot `front` on, of which `holes` are
//! empty. What is moved from is left empty.
struct Ring {
    std::size_t capacity = 0;
    std::size_t front = 0;
    std::size_t length = 0;
    std::size_t holes = 0;

    Ring() = default;
    Ring(std::size_t slots, std::size_t first, std::size_t places, std::size_t empty = 0)
        : capacity(slots), front(first), length(places), holes(empty) {}
    Ring(const Ring&) = default;
    Ring& operator=(const Ring&) = default;
    Ring(Ring&& other) noexcept : Ring(static_cast<const Ring&>(other)) { other.reset(); }
    Ring& operator=(Ring&& other) noexcept {
        const Ring taken(std::move(other));
        return *this = taken;
    }
    ~Ring() = default;
    void reset() { capacity = front = length = holes = 0; }

    std::size_t size() const { return length - holes; }
    //! The slot of a place. The capacity is a power of two.
    std::size_t slot(std::size_t place) const { return (front + place) & (capacity - 1); }
    std::size_t back() const { return slot(length - 1); }
    //! The order of the slots is not the order of the window: the back comes before the front.
    bool inverted() const { return front + length > capacity; }

    //! `places` more at the back.
    Ring longer(std::size_t places) const { return {capacity, front, length + places, holes}; }
    //! Without the first places, `empty` of which were holes.
    Ring without_first(std::size_t places, std::size_t empty) const {
        return {capacity, slot(places), length - places, holes - empty};
    }
    //! Without the last places, `empty` of which were holes.
    Ring without_last(std::size_t places, std::size_t empty) const {
        return {capacity, front, length - places, holes - empty};
    }
    Ring with_hole() const { return {capacity, front, length, holes + 1}; }
};

//! For windows that lose entries anywhere: one bit a node says whether an entry lies below it.
class Bitmap {
public:
    static constexpr bool holes = true;

    Bitmap() = default;
    explicit Bitmap(std::size_t capacity) : words_(2 * capacity / 64 + 1) {}

    //! Answers for the nodes of one level; up() goes to the level above.
    class Level {
    public:
        explicit Level(const std::uint64_t* words) : words_(words) {}
        bool occupied(std::size_t node) const { return (words_[node / 64] >> (node % 64) & 1) != 0; }
        void up() {}

    private:
        const std::uint64_t* words_;
    };

    Level leaves(const Ring&) const { return Level(words_.data()); }

    //! Marks a leaf and the ancestors that it is the first to fill.
    void occupy(std::size_t node) {
        for (; node != 0 && !occupied(node); node /= 2) words_[node / 64] |= bit(node);
    }
    //! Undoes occupy: clears the leaf and the ancestors that it leaves empty.
    void vacate(std::size_t node) {
        words_[node / 64] &= ~bit(node);
        while (node > 1 && !occupied(node ^ 1)) {
            node /= 2;
            words_[node / 64] &= ~bit(node);
        }
    }
    std::size_t bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

private:
    static std::uint64_t bit(std::size_t node) { return std::uint64_t{1} << (node % 64); }
    bool occupied(std::size_t node) const { return (words_[node / 64] & bit(node)) != 0; }

    std::vector<std::uint64_t> words_;
};

//! For first-in first-out windows: what lies between the front and the back is there, and nothing else is. So there
//! is nothing to keep.
class Demarcation {
public:
    static constexpr bool holes = false;

    Demarcation() = default;
    explicit Demarcation(std::size_t) {}

    class Level {
    public:
        explicit Level(const Ring& ring)
            : front_(ring.capacity + ring.front), back_(ring.capacity + ring.back()), inverted_(ring.inverted()) {}
        //! A node is empty where it lies wholly before the front's ancestor or wholly behind the back's; in an
        //! inverted buffer, where it lies between the two.
        bool occupied(std::size_t node) const {
            const bool from_front = node >= front_;
            const bool to_back = node <= back_;
            return inverted_ ? from_front || to_back : from_front && to_back;
        }
        void up() {
            front_ /= 2;
            back_ /= 2;
        }

    private:
        std::size_t front_;
        std::size_t back_;
        bool inverted_;
    };

    Level leaves(const Ring& ring) const { return Level(ring); }
    void occupy(std::size_t) {}
    void vacate(std::size_t) {}
    std::size_t bytes() const { return 0; }
};

}  // namespace sash::flatfat
