//! Bytes out and bytes in: the writer, the reader and the sealed frame that snapshots are made of.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sash {

//! A blob that cannot be read: damaged, cut short, or not ours.
class DamagedSnapshot : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

//! Appends numbers and texts, little-endian on every machine. No padding, no addresses: equal values, equal bytes.
class Writer {
public:
    void u32(std::uint32_t value) { number(value); }
    void u64(std::uint64_t value) { number(value); }
    void i64(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
    void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
    void flag(bool value) { bytes_.push_back(value ? '\1' : '\0'); }
    void raw(std::string_view bytes) { bytes_.append(bytes); }
    void text(std::string_view bytes) {
        u64(bytes.size());
        raw(bytes);
    }

    const std::string& bytes() const { return bytes_; }
    std::string take() { return std::move(bytes_); }

private:
    template <class Unsigned>
    void number(Unsigned value) {
        char digits[sizeof(Unsigned)];
        for (std::size_t i = 0; i < sizeof(Unsigned); ++i) digits[i] = static_cast<char>(value >> (8 * i));
        bytes_.append(digits, sizeof(Unsigned));
    }

    std::string bytes_;
};

//! Reads what a Writer wrote. Every length is checked against what is left before anything is read or allocated.
class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    std::size_t left() const { return rest_.size(); }

    std::uint32_t u32() { return number<std::uint32_t>(); }
    std::uint64_t u64() { return number<std::uint64_t>(); }
    std::int64_t i64() { return static_cast<std::int64_t>(number<std::uint64_t>()); }
    double real() { return std::bit_cast<double>(number<std::uint64_t>()); }
    bool flag() {
        const char byte = raw(1)[0];
        if (byte != '\0' && byte != '\1') throw DamagedSnapshot("a yes-or-no field holds neither");
        return byte == '\1';
    }
    std::string_view raw(std::uint64_t length) {
        if (length > rest_.size()) throw DamagedSnapshot("it ends too early");
        const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(length));
        rest_.remove_prefix(static_cast<std::size_t>(length));
        return taken;
    }
    std::string_view text() { return raw(u64()); }

    //! A number of elements, each of at least `least` bytes, that are still to come.
    std::size_t count(std::size_t least) {
        const std::uint64_t elements = u64();
        if (elements > rest_.size() / least) throw DamagedSnapshot("it announces more than it holds");
        return static_cast<std::size_t>(elements);
    }

private:
    template <class Unsigned>
    Unsigned number() {
        const std::string_view digits = raw(sizeof(Unsigned));
        Unsigned value = 0;
        for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
            value =
                static_cast<Unsigned>(value | static_cast<Unsigned>(static_cast<unsigned char>(digits[i])) << (8 * i));
        return value;
    }

    std::string_view rest_;
};

//! 64 bits over any bytes. Each step is a bijection of the state, so a change within one word is always seen.
inline std::uint64_t checksum(std::string_view bytes) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    std::uint64_t state = kOdd ^ bytes.size();
    const auto stir = [&state](std::uint64_t word) { state = std::rotl((state ^ word) * kOdd, 29); };
    Reader reader(bytes);
    while (reader.left() >= sizeof(std::uint64_t)) stir(reader.u64());
    std::uint64_t last = 0;
    while (reader.left() > 0) last = last << 8 | static_cast<unsigned char>(reader.raw(1)[0]);
    stir(last);
    state ^= state >> 32;
    return state * kOdd ^ state >> 29;
}

inline constexpr std::string_view kSnapshotMagic = "SASH\r\n\x1a\n";
inline constexpr std::uint32_t kSnapshotVersion = 1;

//! A snapshot opened: what its maker said of it, and the window's own bytes.
struct Frame {
    std::string_view header;
    std::string_view body;
};

//! magic, version, header, body, checksum of all of these.
inline std::string seal(std::string_view header, std::string_view body) {
    Writer writer;
    writer.raw(kSnapshotMagic);
    writer.u32(kSnapshotVersion);
    writer.text(header);
    writer.text(body);
    writer.u64(checksum(writer.bytes()));
    return writer.take();
}

//! The views point into `blob`. The version is looked at before the checksum, so that a newer blob is called newer.
inline Frame open_frame(std::string_view blob) {
    Reader reader(blob);
    if (!blob.starts_with(kSnapshotMagic))
        throw DamagedSnapshot("it is not a snapshot of a Sash window, or it is cut short");
    reader.raw(kSnapshotMagic.size());
    const std::uint32_t version = reader.u32();
    if (version > kSnapshotVersion)
        throw DamagedSnapshot("it has format " + std::to_string(version) + ", which is newer than this Sash reads (" +
                              std::to_string(kSnapshotVersion) + "): upgrade Sash to read it");
    if (version == 0) throw DamagedSnapshot("its format number is 0");
    Frame frame;
    frame.header = reader.text();
    frame.body = reader.text();
    if (reader.u64() != checksum(blob.substr(0, blob.size() - reader.left() - sizeof(std::uint64_t))))
        throw DamagedSnapshot("its checksum does not match: it was damaged");
    if (reader.left() != 0) throw DamagedSnapshot("bytes follow its end");
    return frame;
}

}  // namespace sash
