//! One call at a time: callbacks run in the middle of one, and so may other threads.
#pragma once

#include <stdexcept>
#include <string>

namespace sash::face {

//! Holds the flag for as long as it lives; a flag that is held already is an error that names what is in use.
class Busy {
public:
    Busy(bool& flag, const char* what) : flag_(flag) {
        if (flag_) refuse(what);
        flag_ = true;
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { flag_ = false; }

    [[noreturn]] static void refuse(const char* what) {
        throw std::runtime_error(std::string("the ") + what +
                                 " is in use, by another thread or by a callback of its own: wait for that call to "
                                 "end, or give each thread one of its own");
    }

private:
    bool& flag_;
};

}  // namespace sash::face
