#include "instantiate.hpp"

template void sash::bench::add_runners<0>(std::vector<sash::bench::Runner>&);
