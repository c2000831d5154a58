#include "instantiate.hpp"

template void sash::bench::add_runners<3>(std::vector<sash::bench::Runner>&);
