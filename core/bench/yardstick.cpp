#include "yardstick.hpp"

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace sash::bench {

Yardsticks measure_apart(const std::string& program) {
    const std::string command = "'" + program + "' --yardsticks";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), pclose);
    Yardsticks measured{};
    if (!output || std::fscanf(output.get(), "%lf %lf %lf", &measured.ring, &measured.tree, &measured.tree1024) != 3)
        throw std::runtime_error("cannot measure the yardsticks by " + command);
    return measured;
}

void print_for_parent(const Yardsticks& yardsticks) {
    std::printf("%.17g %.17g %.17g\n", yardsticks.ring, yardsticks.tree, yardsticks.tree1024);
}

}  // namespace sash::bench
