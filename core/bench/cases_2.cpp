#include "instantiate.hpp"

template void sash::bench::add_runners<2>(std::vector<sash::bench::Runner>&);
