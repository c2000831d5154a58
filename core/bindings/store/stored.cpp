#include "store/stored.hpp"

#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "errors.hpp"
#include "monoids/object.hpp"

namespace sash::face {

namespace {

//! One call for a page of hundreds of elements, so the language border costs little. Kernels run without the GIL at
//! times; it is taken here.
class PythonStore final : public store::Store {
public:
    explicit PythonStore(nb::handle pager)
        : put_(method(pager, "put")),
          get_(method(pager, "get")),
          want_(method(pager, "want")),
          drop_(method(pager, "drop")),
          new_space_(method(pager, "new_space")),
          drop_space_(method(pager, "drop_space")),
          shape_{nb::cast<std::size_t>(pager.attr("page")), nb::cast<std::size_t>(pager.attr("cache"))},
          tag_(nb::cast<std::uint64_t>(pager.attr("tag"))),
          held_(nb::cast<Counter>(pager.attr("local"))) {}

    ~PythonStore() override {
        const nb::gil_scoped_acquire held;
        for (Object* const method : {&put_, &get_, &want_, &drop_, &new_space_, &drop_space_}) *method = Object();
        held_ = Counter();
    }

    store::Shape shape() const override { return shape_; }
    std::uint64_t tag() const override { return tag_; }

    std::uint64_t new_space() override {
        const nb::gil_scoped_acquire held;
        return nb::cast<std::uint64_t>(call(new_space_));
    }
    void put(const store::PageKey& key, std::string_view page) override {
        const nb::gil_scoped_acquire held;
        call(put_, key.space, key.level, key.index, nb::bytes(page.data(), page.size()));
    }
    std::string get(const store::PageKey& key) override {
        const nb::gil_scoped_acquire held;
        const auto page = nb::cast<nb::bytes>(call(get_, key.space, key.level, key.index));
        return {page.c_str(), page.size()};
    }
    void want(const store::PageKey& key, std::uint64_t last) noexcept override {
        notify(want_, key.space, key.level, key.index, last);
    }
    void drop(const store::PageKey& key, std::uint64_t last) noexcept override {
        notify(drop_, key.space, key.level, key.index, last);
    }
    void drop_space(std::uint64_t space) noexcept override { notify(drop_space_, space); }
    void hold(std::ptrdiff_t change) noexcept override { *held_.data() += change; }

private:
    using Counter = nb::ndarray<std::int64_t, nb::numpy, nb::shape<1>, nb::c_contig>;

    static Object method(nb::handle pager, const char* name) {
        return Object::borrowed(nb::object(pager.attr(name)).ptr());
    }
    template <class... Arguments>
    static nb::object call(const Object& method, const Arguments&... arguments) {
        return nb::handle(method.get())(arguments...);
    }
    //! A notification of the pager does not fail: an error there is shown, and the window goes on.
    template <class... Arguments>
    static void notify(const Object& method, const Arguments&... arguments) noexcept {
        if (!Py_IsInitialized()) return;
        const nb::gil_scoped_acquire held;
        // An error may be on its way already, as when a failed change is undone.
        const nb::error_scope scope;
        try {
            call(method, arguments...);
        } catch (nb::python_error& error) {
            error.restore();
            PyErr_WriteUnraisable(method.get());
        } catch (...) {
        }
    }

    Object put_;
    Object get_;
    Object want_;
    Object drop_;
    Object new_space_;
    Object drop_space_;
    store::Shape shape_;
    std::uint64_t tag_;
    //! The pager reads it as it likes.
    Counter held_;
};

}  // namespace

std::shared_ptr<store::Store> store_of(nb::handle pager) {
    return std::make_shared<PythonStore>(pager);
}

}  // namespace sash::face
