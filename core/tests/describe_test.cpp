//! What the algorithms show of their structure, without Python: nodes, entries, aggregates, what is left out.
#include "sash/algorithms/describe.hpp"

#include <string>

#include "check.hpp"
#include "sash/algorithms/amta.hpp"
#include "sash/algorithms/daba.hpp"
#include "sash/algorithms/fiba.hpp"
#include "sash/algorithms/two_stacks_lite.hpp"
#include "sash/monoids/text.hpp"

using namespace sash;
using sash::testing::check;

namespace {

//! Writes a description down: `kind(...)` is a node, `a` an entry, `[abc]` an aggregate, `...7` entries left out.
class Text {
public:
    explicit Text(bool brief = false) : brief_(brief) {}

    bool brief() const { return brief_; }
    void begin(const char* kind) { written += std::string(kind) + "("; }
    void end() { written += ")"; }
    void pointer(const char* name) { written += std::string("^") + name; }
    void omit(std::size_t entries) { written += "..." + std::to_string(entries); }
    void entry(Time, const Concat::Partial* own) { written += own != nullptr ? own->text : "?"; }
    void aggregate(const char*, Time, Time, const Concat::Partial* partial) {
        written += "[" + (partial != nullptr ? partial->text : "?") + "]";
    }

    std::string written;

private:
    bool brief_;
};

template <class Window>
std::string described(const Window& window, bool brief = false) {
    static_assert(Describes<Window, Text>);
    Text text(brief);
    window.describe(text);
    return text.written;
}

template <class Window>
Window filled(Window window, Time size) {
    for (Time time = 0; time < size; ++time)
        window.insert(time, {std::string(1, static_cast<char>('a' + time % 26)), true});
    return window;
}

void test_parts() {
    auto lite = filled(TwoStacksLite<Concat>(), 4);
    check(described(lite) == "front()back(abcd)[abcd]", "before the flip");
    lite.evict();
    check(described(lite) == "front(?[bc]?[c])back(d)[d]", "after it");
    check(described(Daba<Concat>()).empty(), "nothing of an empty window");
}

void test_trees() {
    const auto tree = filled(Fiba<Concat>(Concat{}, FibaOptions{2, 2}), 7);
    check(described(tree) ==
              "inner(leaf(^left fingera[ab]b[b])leaf(cd)[cd]leaf(ef)[ef]leaf(^right fingerg[g])[cdef])[cdef]",
          "leaves with their fingers, and what is kept between them");
    const auto forest = filled(Amta<Concat>(), 6);
    check(described(forest) == "level([ab][cd])leaves(abcdef)stack([bcd][cd])[abcd][ef]", "levels, leaves, the stack");
}

void test_brief() {
    const auto lite = filled(TwoStacksLite<Concat>(), 26);
    check(described(lite, true) == "front()back(abc...20xyz)[abcdefghijklmnopqrstuvwxyz]", "the ends of a part");
    const auto tree = filled(Fiba<Concat>(Concat{}, FibaOptions{2, 2}), 7);
    check(described(tree, true) ==
              "inner(leaf(^left fingera[ab]b[b])leaf(...2)[cd]leaf(...2)[ef]leaf(^right fingerg[g])[cdef])[cdef]",
          "what lies off the spines is a box");
}

}  // namespace

int main() {
    test_parts();
    test_trees();
    test_brief();
    return sash::testing::report();
}
