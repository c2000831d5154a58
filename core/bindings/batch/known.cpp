#include "batch/batch.hpp"

namespace sash::batch {

void run_known(const KernelName& kernel, const Known& pass, const Column& column, Results out) {
    run_kernel(kernel, pass, column, out);
}

}  // namespace sash::batch
