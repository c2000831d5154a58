//! A strong reference to a Python object with value semantics. The GIL must be held wherever one is touched.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <utility>

namespace sash::face {

class Object {
public:
    Object() = default;
    static Object stolen(PyObject* pointer) {
        Object object;
        object.pointer_ = pointer;
        return object;
    }
    static Object borrowed(PyObject* pointer) { return stolen(Py_XNewRef(pointer)); }

    Object(const Object& other) : pointer_(Py_XNewRef(other.pointer_)) {}
    Object(Object&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
    //! The old reference goes last: dropping it may run any Python code.
    Object& operator=(Object other) noexcept {
        std::swap(pointer_, other.pointer_);
        return *this;
    }
    ~Object() { Py_XDECREF(pointer_); }

    PyObject* get() const { return pointer_; }
    PyObject* release() { return std::exchange(pointer_, nullptr); }
    explicit operator bool() const { return pointer_ != nullptr; }

private:
    PyObject* pointer_ = nullptr;
};

//! Calls a method with borrowed references. Whatever it raises is thrown.
template <class... Arguments>
Object call(const Object& method, Arguments... arguments) {
    PyObject* const stack[] = {nullptr, arguments...};
    PyObject* const result =
        PyObject_Vectorcall(method.get(), stack + 1, sizeof...(arguments) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    if (result == nullptr) throw nanobind::python_error();
    return Object::stolen(result);
}

//! Is shown every reference that something owns, once for each time that it owns it; nullptr too. For the garbage
//! collector: what is not shown is never collected, what is shown too often is collected too early.
using ReferenceVisitor = std::function<void(PyObject*)>;

}  // namespace sash::face
