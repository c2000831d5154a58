//! How long single calls take: the whole distribution, up to the slowest.
#pragma once

namespace sash::bench {

//! daba and daba_lite, and two_stacks_lite to compare with, in a window of 2^24 entries.
void print_latency();

}  // namespace sash::bench
