//! Windows whose pages wait in a store. All of them run over AnyMonoid: reading and writing pages costs more than
//! combining.
#include <memory>
#include <span>
#include <utility>

#include "sash/store/fiba.hpp"
#include "sash/store/queue.hpp"
#include "sash/store/state.hpp"
#include "window/catalog.hpp"
#include "window/kernel_of.hpp"

namespace sash::face {

namespace {

//! C is a Checked window over paged levels.
template <class C>
class StoredKernel final : public KernelOf<C> {
public:
    using Base = KernelOf<C>;
    using Monoid = typename C::Monoid;
    using typename Base::Partial;
    using Algorithm = typename C::Algorithm;
    using SpacePtr = std::shared_ptr<store::Space>;

    StoredKernel(const Monoid& monoid, const AlgorithmOptions& options)
        : StoredKernel(monoid, options, std::make_shared<store::Space>(options.store)) {}

    //! What is here and not in the store: the manifest of its pages.
    void save(Writer& writer) const override {
        writer.u64(space_->id());
        store::StateWriter<Monoid> out(writer, this->window_.monoid());
        this->window_.algorithm().save(out);
    }

    void restore(Reader& reader) override {
        const Monoid& monoid = this->window_.monoid();
        auto space = std::make_shared<store::Space>(space_->shared_store(), reader.u64());
        C window(monoid, place(space, monoid), store::StateReader<Monoid>(reader, monoid));
        if (reader.left() != 0) throw DamagedSnapshot("bytes follow its last level");
        this->window_ = std::move(window);
        space_ = std::move(space);
    }

    std::unique_ptr<Kernel> copy() const override { throw Unsupported("be copied while its pages are in a store"); }

private:
    StoredKernel(const Monoid& monoid, const AlgorithmOptions& options, SpacePtr space)
        : Base(monoid.shared_operations(), options, C(monoid, place(space, monoid))), space_(std::move(space)) {}

    //! All or none, also where the store fails half way: what was there before is kept aside, without its pages, unless
    //! the algorithm sees to it.
    void insert_all(std::span<const Time> times, std::span<Partial> partials) override {
        if constexpr (InsertsInBulk<Algorithm>) return this->window_.bulk_insert(times, partials);
        C before = this->window_;
        try {
            insert_each(times, partials);
        } catch (...) {
            this->window_ = std::move(before);
            throw;
        }
    }

    //! What the algorithm is given of its space: that itself, or leaves in it.
    static auto place(const SpacePtr& space, const Monoid& monoid) {
        if constexpr (std::constructible_from<Algorithm, Monoid, SpacePtr>) {
            return space;
        } else {
            return store::PagedQueue<Monoid, Entry<Partial>>(space, monoid, 0);
        }
    }

    void insert_each(std::span<const Time> times, std::span<Partial> partials) {
        if (may_fail(this->window_.monoid())) {
            for (std::size_t i = 0; i < times.size(); ++i) this->window_.insert(times[i], std::move(partials[i]));
        } else {
            this->window_.bulk_insert(times, partials);
        }
    }

    SpacePtr space_;
};

using M = AnyMonoid<true>;
using Forest = Checked<Amta<M, store::Paged<M>::Queue>, Order::in_order>;
using Tree = Checked<LogMta<M, store::Paged<M>::Queue>, Order::in_order>;
using Pages = Checked<store::PagedFiba<M>, Order::any>;

}  // namespace

std::unique_ptr<MonoidKernel> make_stored(const M& monoid, const AlgorithmOptions& options) {
    if (options.name == "amta") return std::make_unique<StoredKernel<Forest>>(monoid, options);
    if (options.name == "log_mta") return std::make_unique<StoredKernel<Tree>>(monoid, options);
    if (options.name == "fiba") return std::make_unique<StoredKernel<Pages>>(monoid, options);
    throw Unsupported("keep its pages in a store");
}

}  // namespace sash::face
