//! A partial of whatever monoid, as a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace sash::face {

//! A value behind a pointer that is copied with it.
template <class T>
class Boxed {
public:
    explicit Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Boxed(const Boxed& other) : value_(std::make_unique<T>(*other.value_)) {}
    Boxed(Boxed&&) noexcept = default;
    //! Into the memory that is there.
    Boxed& operator=(const Boxed& other) {
        *value_ = *other.value_;
        return *this;
    }
    ~Boxed() = default;

    T& operator*() const { return *value_; }

private:
    std::unique_ptr<T> value_;
};

//! In place where it is small, else boxed. Whoever reads it knows its type; nothing checks that.
class AnyPartial {
public:
    //! Nothing: it may be copied, assigned to and destroyed, and no more.
    AnyPartial() = default;

    template <class T>
    static AnyPartial of(T value) {
        static_assert(!std::is_same_v<T, AnyPartial>);
        AnyPartial any;
        std::construct_at(reinterpret_cast<Kept<T>*>(any.room_.data()), std::move(value));
        if constexpr (!std::is_trivially_copyable_v<Kept<T>>) any.type_ = &kType<Kept<T>>;
        return any;
    }
    template <class T>
    const T& as() const {
        return value_in<T>(const_cast<std::byte*>(room_.data()));
    }
    template <class T>
    T& as() {
        return value_in<T>(room_.data());
    }

    AnyPartial(const AnyPartial& other) {
        if (other.type_ == nullptr) {
            room_ = other.room_;
        } else {
            other.type_->copy(other.room_.data(), room_.data());
            type_ = other.type_;
        }
    }
    AnyPartial(AnyPartial&& other) noexcept { take(other); }
    //! Memory that a value of the same type owns is used again.
    AnyPartial& operator=(const AnyPartial& other) {
        if (type_ != other.type_) return *this = AnyPartial(other);
        if (type_ == nullptr) {
            room_ = other.room_;
        } else {
            type_->assign(other.room_.data(), room_.data());
        }
        return *this;
    }
    AnyPartial& operator=(AnyPartial&& other) noexcept {
        if (this == &other) return *this;
        drop();
        take(other);
        return *this;
    }
    ~AnyPartial() { drop(); }

    //! Whether it holds a value that is more than its bytes.
    bool owns() const { return type_ != nullptr; }

private:
    //! The three words of the widest partials that there are many of.
    static constexpr std::size_t kRoom = 24;

    template <class T>
    static constexpr bool kFits =
        sizeof(T) <= kRoom && alignof(T) <= alignof(void*) && std::is_nothrow_move_constructible_v<T>;
    template <class T>
    using Kept = std::conditional_t<kFits<T>, T, Boxed<T>>;

    //! What a value that is more than its bytes needs.
    struct Type {
        void (*copy)(const std::byte* from, std::byte* to);
        void (*assign)(const std::byte* from, std::byte* to);
        //! Ends the life of the one that it takes from.
        void (*move)(std::byte* from, std::byte* to) noexcept;
        void (*destroy)(std::byte* place) noexcept;
    };

    template <class T>
    static T& at(std::byte* place) {
        return *std::launder(reinterpret_cast<T*>(place));
    }
    template <class T>
    static const T& at(const std::byte* place) {
        return *std::launder(reinterpret_cast<const T*>(place));
    }
    template <class T>
    static T& value_in(std::byte* place) {
        static_assert(!std::is_same_v<T, AnyPartial>);
        if constexpr (kFits<T>) {
            return at<T>(place);
        } else {
            return *at<Boxed<T>>(place);
        }
    }

    template <class T>
    static constexpr Type kType = {
        [](const std::byte* from, std::byte* to) { std::construct_at(reinterpret_cast<T*>(to), at<T>(from)); },
        [](const std::byte* from, std::byte* to) { at<T>(to) = at<T>(from); },
        [](std::byte* from, std::byte* to) noexcept {
            std::construct_at(reinterpret_cast<T*>(to), std::move(at<T>(from)));
            std::destroy_at(&at<T>(from));
        },
        [](std::byte* place) noexcept { std::destroy_at(&at<T>(place)); }};

    void take(AnyPartial& other) noexcept {
        type_ = std::exchange(other.type_, nullptr);
        if (type_ == nullptr) {
            room_ = other.room_;
        } else {
            type_->move(other.room_.data(), room_.data());
        }
    }
    void drop() noexcept {
        if (type_ != nullptr) std::exchange(type_, nullptr)->destroy(room_.data());
    }

    //! Nothing for values that are no more than their bytes, and for no value.
    const Type* type_ = nullptr;
    alignas(void*) std::array<std::byte, kRoom> room_ = {};
};

}  // namespace sash::face
