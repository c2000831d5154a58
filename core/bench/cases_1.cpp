#include "instantiate.hpp"

template void sash::bench::add_runners<1>(std::vector<sash::bench::Runner>&);
