//! What a paged structure keeps here, to bytes and back: all but its pages.
#pragma once

#include <cstdint>
#include <string>

#include "sash/snapshot.hpp"
#include "sash/store/page.hpp"

namespace sash::store {

template <class M>
class StateWriter {
public:
    StateWriter(Writer& writer, const M& monoid) : writer_(writer), monoid_(monoid) {}

    void number(std::uint64_t value) { writer_.u64(value); }
    template <class T>
    void element(const T& value) {
        ElementCodec<M, T>::write(writer_, monoid_, value);
    }

private:
    Writer& writer_;
    const M& monoid_;
};

template <class M>
class StateReader {
public:
    StateReader(Reader& reader, const M& monoid) : reader_(reader), monoid_(monoid) {}

    std::uint64_t number() const { return reader_.u64(); }
    template <class T>
    T element() const {
        return ElementCodec<M, T>::read(reader_, monoid_);
    }
    //! A number of things that take at least a byte each.
    std::size_t count() const { return reader_.count(1); }
    void check(bool holds, const char* what) const {
        if (!holds) throw DamagedSnapshot(std::string("it describes no ") + what + " that there can be");
    }

private:
    Reader& reader_;
    const M& monoid_;
};

}  // namespace sash::store
