//! A page as bytes: what it is, where it belongs, its elements, and a checksum over all of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sash/algorithm.hpp"
#include "sash/codec.hpp"
#include "sash/snapshot.hpp"
#include "sash/store/store.hpp"

namespace sash::store {

inline constexpr std::string_view kPageMagic = "SASHPAGE";
inline constexpr std::uint32_t kPageVersion = 1;

//! How the elements of a level are written: a partial by its codec, a leaf with its time before it.
template <class M, class T>
struct ElementCodec {
    static void write(Writer& writer, const M& monoid, const T& partial) { Codec<M>::write(writer, monoid, partial); }
    static T read(Reader& reader, const M& monoid) { return Codec<M>::read(reader, monoid); }
};
template <class M>
struct ElementCodec<M, Entry<typename M::Partial>> {
    using Leaf = Entry<typename M::Partial>;
    static void write(Writer& writer, const M& monoid, const Leaf& leaf) {
        writer.i64(leaf.time);
        Codec<M>::write(writer, monoid, leaf.partial);
    }
    static Leaf read(Reader& reader, const M& monoid) {
        const Time time = reader.i64();
        return {time, Codec<M>::read(reader, monoid)};
    }
};

inline std::string name_of(const PageKey& key) {
    return "page " + std::to_string(key.index) + " of level " + std::to_string(key.level);
}

//! magic, version, window, place, body, checksum of all of these.
inline std::string seal_page(std::uint64_t tag, const PageKey& key, std::string_view body) {
    Writer writer;
    writer.raw(kPageMagic);
    writer.u32(kPageVersion);
    writer.u64(tag);
    writer.u64(key.space);
    writer.u32(key.level);
    writer.u64(key.index);
    writer.text(body);
    writer.u64(checksum(writer.bytes()));
    return writer.take();
}

//! The body, which points into `bytes`. The version is looked at before the checksum, so that a newer page is called
//! newer.
inline std::string_view open_page(std::uint64_t tag, const PageKey& key, std::string_view bytes) {
    const auto refuse = [&](const std::string& why) { throw DamagedSnapshot(name_of(key) + " " + why); };
    if (!bytes.starts_with(kPageMagic)) refuse("is not a page of a Sash window, or it is cut short");
    Reader reader(bytes);
    reader.raw(kPageMagic.size());
    if (reader.left() < sizeof(std::uint32_t) + sizeof(std::uint64_t)) refuse("is cut short");
    const std::uint32_t version = reader.u32();
    if (version != kPageVersion)
        refuse("has format " + std::to_string(version) + ", and this Sash reads " + std::to_string(kPageVersion) +
               ": use the version that wrote it");
    const std::size_t sealed = bytes.size() - sizeof(std::uint64_t);
    if (Reader(bytes.substr(sealed)).u64() != checksum(bytes.substr(0, sealed)))
        refuse("does not match its checksum: it was damaged or cut short");
    const std::uint64_t owner = reader.u64();
    const PageKey place{reader.u64(), reader.u32(), reader.u64()};
    const std::string_view body = reader.text();
    if (reader.left() != sizeof(std::uint64_t)) refuse("has a length that does not fit");
    if (owner != tag) refuse("belongs to another window");
    if (place.space != key.space || place.level != key.level || place.index != key.index)
        refuse("is " + name_of(place) + " instead");
    return body;
}

//! The elements from the place `first` on; those before it have left the window already.
template <class M, class T>
std::string write_elements(const M& monoid, std::span<const T> elements, std::size_t first) {
    Writer writer;
    writer.u32(static_cast<std::uint32_t>(elements.size()));
    writer.u32(static_cast<std::uint32_t>(first));
    for (const T& element : elements.subspan(first)) ElementCodec<M, T>::write(writer, monoid, element);
    return writer.take();
}

//! All places of a page of `size`; those that were not written are blank.
template <class M, class T>
std::vector<T> read_elements(const M& monoid, std::string_view body, std::size_t size) {
    Reader reader(body);
    const std::size_t count = reader.u32();
    const std::size_t first = reader.u32();
    if (count != size || first > count) throw DamagedSnapshot("a page of another size than its window's");
    std::vector<T> elements(first);
    elements.reserve(count);
    while (elements.size() < count) elements.push_back(ElementCodec<M, T>::read(reader, monoid));
    if (reader.left() != 0) throw DamagedSnapshot("bytes follow the last element of a page");
    return elements;
}

}  // namespace sash::store
