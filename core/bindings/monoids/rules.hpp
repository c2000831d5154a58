//! The Python rules that decide on all but the plainest values.
#pragma once

#include <nanobind/nanobind.h>

namespace sash::face {

//! A function or a type of a module. Most often the module is there: to import it once more takes longer than the rule.
inline nanobind::object rule_of(const char* module, const char* name) {
    const auto known = nanobind::steal(PyImport_GetModule(nanobind::str(module).ptr()));
    if (known.is_valid()) return known.attr(name);
    PyErr_Clear();
    return nanobind::module_::import_(module).attr(name);
}

}  // namespace sash::face
