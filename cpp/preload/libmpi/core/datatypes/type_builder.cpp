#include "preload/libmpi/core/datatypes/type_builder.hpp"

#include <algorithm>

namespace odonata::libmpi {

namespace {

/// Extends a bound by another. A bound that is fixed by a marker overrides all other bounds.
template <class Better>
void take(std::int64_t& bound, bool& has, bool& fixed, std::int64_t candidate, bool candidate_fixed,
          Better better) {
  if (has && fixed && !candidate_fixed) return;
  const bool outranks = candidate_fixed && !fixed;
  if (!has || outranks || better(candidate, bound)) bound = candidate;
  has = true;
  fixed = fixed || candidate_fixed;
}

}  // namespace

void TypeBuilder::place(const Datatype& old, std::int64_t displacement, std::int64_t count) {
  place(old, displacement, count, 1, 0);
}

void TypeBuilder::place(const Datatype& old, std::int64_t displacement, std::int64_t block,
                        std::int64_t count, std::int64_t stride) {
  if (block == 0 || count == 0) return;
  if (count == 1) {
    layout_->add(old.layout(), displacement, block, old.extent());
  } else if (block == 1) {
    layout_->add(old.layout(), displacement, count, stride);
  } else {
    auto row = std::make_shared<TypeLayout>();
    row->add(old.layout(), 0, block, old.extent());
    row->compress();
    layout_->add(row, displacement, count, stride);
  }
  signature_->add(old.signature(), block * count);
  const std::int64_t in_row = (block - 1) * old.extent();
  const std::int64_t rows = (count - 1) * stride;
  const std::int64_t first =
      displacement + std::min<std::int64_t>(in_row, 0) + std::min<std::int64_t>(rows, 0);
  const std::int64_t last =
      displacement + std::max<std::int64_t>(in_row, 0) + std::max<std::int64_t>(rows, 0);
  widen(old.bounds(), first, last);
  widen_data(old, first, last);
}

void TypeBuilder::widen(const Bounds& old, std::int64_t first, std::int64_t last) {
  const bool empty = old.lb == old.ub;
  if (!empty || old.fixed_lb)
    take(bounds_.lb, has_lb_, bounds_.fixed_lb, first + old.lb, old.fixed_lb, std::less<>{});
  if (!empty || old.fixed_ub)
    take(bounds_.ub, has_ub_, bounds_.fixed_ub, last + old.ub, old.fixed_ub, std::greater<>{});
  bounds_.alignment = std::max(bounds_.alignment, old.alignment);
}

void TypeBuilder::widen_data(const Datatype& old, std::int64_t first, std::int64_t last) {
  if (old.size() == 0) return;
  const std::int64_t begin = first + old.bounds().true_lb;
  const std::int64_t end = last + old.bounds().true_ub;
  bounds_.true_lb = has_data_ ? std::min(bounds_.true_lb, begin) : begin;
  bounds_.true_ub = has_data_ ? std::max(bounds_.true_ub, end) : end;
  has_data_ = true;
}

void TypeBuilder::pad() {
  if (bounds_.fixed_ub) return;
  const std::int64_t over = (bounds_.ub - bounds_.lb) % bounds_.alignment;
  if (over > 0) bounds_.ub += bounds_.alignment - over;
}

void TypeBuilder::fix(std::int64_t lb, std::int64_t ub) {
  bounds_.lb = lb;
  bounds_.ub = ub;
  bounds_.fixed_lb = bounds_.fixed_ub = true;
}

TypeRef TypeBuilder::make(Contents contents, std::optional<NamedType> named) {
  layout_->compress();
  LayoutRef layout = layout_;
  const std::vector<Run>& runs = layout_->runs();
  if (runs.size() == 1 && runs[0].count == 1 && runs[0].offset == 0 && runs[0].inner)
    layout = runs[0].inner;
  return std::make_shared<Datatype>(std::move(layout), signature_, bounds_, std::move(contents),
                                    named);
}

}  // namespace odonata::libmpi
