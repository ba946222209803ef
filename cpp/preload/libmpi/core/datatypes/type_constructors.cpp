#include "preload/libmpi/core/datatypes/type_constructors.hpp"

#include "preload/libmpi/core/datatypes/type_builder.hpp"

namespace odonata::libmpi {

namespace {

/// Stores the arguments of a constructor as MPI_Type_get_contents returns them: in the large-count
/// form, all arguments of type MPI_Count are counts.
class Recipe {
 public:
  Recipe(Combiner combiner, Form form) : form_(form) { contents.combiner = combiner; }

  Recipe& numbers(Integers values) { return put(values, contents.integers); }
  Recipe& number(std::int64_t value) { return numbers({&value, 1}); }
  Recipe& addresses(Integers values) { return put(values, contents.addresses); }
  Recipe& address(std::int64_t value) { return addresses({&value, 1}); }
  Recipe& of(const TypeRef& type) {
    contents.types.push_back(type);
    return *this;
  }

  Contents contents;

 private:
  Recipe& put(Integers values, std::vector<std::int64_t>& normal) {
    auto& list = form_ == Form::large ? contents.counts : normal;
    list.insert(list.end(), values.begin(), values.end());
    return *this;
  }

  Form form_;
};

void require_count(std::int64_t count) {
  if (count < 0)
    throw Error{ErrorClass::count, "a count of " + std::to_string(count) + " is negative"};
}

void require_blocks(Integers blocks) {
  for (const std::int64_t block : blocks)
    if (block < 0)
      throw Error{ErrorClass::arg, "a block length of " + std::to_string(block) + " is negative"};
}

std::int64_t count_of(Integers values) { return static_cast<std::int64_t>(values.size()); }

/// Blocks at displacements in units of `unit` bytes.
TypeRef scattered(Integers blocks, Integers displacements, std::int64_t unit, const TypeRef& old,
                  Recipe& recipe) {
  require_blocks(blocks);
  TypeBuilder builder;
  for (std::size_t i = 0; i < displacements.size(); ++i)
    builder.place(*old, displacements[i] * unit, blocks[blocks.size() == 1 ? 0 : i]);
  return builder.make(std::move(recipe.of(old).contents));
}

TypeRef strided(std::int64_t count, std::int64_t block, std::int64_t stride, const TypeRef& old,
                Recipe& recipe) {
  require_count(count);
  require_blocks({&block, 1});
  TypeBuilder builder;
  builder.place(*old, 0, block, count, stride);
  return builder.make(std::move(recipe.of(old).contents));
}

}  // namespace

TypeRef duplicate(const TypeRef& old) {
  return std::make_shared<Datatype>(old->layout(), old->signature(), old->bounds(),
                                    Contents{.combiner = Combiner::dup, .types = {old}},
                                    old->named());
}

TypeRef contiguous(std::int64_t count, const TypeRef& old, Form form) {
  require_count(count);
  TypeBuilder builder;
  builder.place(*old, 0, count);
  return builder.make(Recipe(Combiner::contiguous, form).number(count).of(old).contents);
}

TypeRef vector(std::int64_t count, std::int64_t block, std::int64_t stride, const TypeRef& old,
               Form form) {
  Recipe recipe(Combiner::vector, form);
  recipe.number(count).number(block).number(stride);
  return strided(count, block, stride * old->extent(), old, recipe);
}

TypeRef hvector(std::int64_t count, std::int64_t block, std::int64_t stride, const TypeRef& old,
                Form form) {
  Recipe recipe(Combiner::hvector, form);
  recipe.number(count).number(block).address(stride);
  return strided(count, block, stride, old, recipe);
}

TypeRef indexed(Integers blocks, Integers displacements, const TypeRef& old, Form form) {
  Recipe recipe(Combiner::indexed, form);
  recipe.number(count_of(blocks)).numbers(blocks).numbers(displacements);
  return scattered(blocks, displacements, old->extent(), old, recipe);
}

TypeRef hindexed(Integers blocks, Integers displacements, const TypeRef& old, Form form) {
  Recipe recipe(Combiner::hindexed, form);
  recipe.number(count_of(blocks)).numbers(blocks).addresses(displacements);
  return scattered(blocks, displacements, 1, old, recipe);
}

TypeRef indexed_block(std::int64_t block, Integers displacements, const TypeRef& old, Form form) {
  Recipe recipe(Combiner::indexed_block, form);
  recipe.number(count_of(displacements)).number(block).numbers(displacements);
  return scattered({&block, 1}, displacements, old->extent(), old, recipe);
}

TypeRef hindexed_block(std::int64_t block, Integers displacements, const TypeRef& old, Form form) {
  Recipe recipe(Combiner::hindexed_block, form);
  recipe.number(count_of(displacements)).number(block).addresses(displacements);
  return scattered({&block, 1}, displacements, 1, old, recipe);
}

TypeRef structure(Integers blocks, Integers displacements, std::span<const TypeRef> types,
                  Form form) {
  require_blocks(blocks);
  Recipe recipe(Combiner::structure, form);
  recipe.number(count_of(blocks)).numbers(blocks).addresses(displacements);
  TypeBuilder builder;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    builder.place(*types[i], displacements[i], blocks[i]);
    recipe.of(types[i]);
  }
  builder.pad();
  return builder.make(std::move(recipe.contents));
}

TypeRef resized(const TypeRef& old, std::int64_t lb, std::int64_t extent, Form form) {
  TypeBuilder builder;
  builder.place(*old, 0, 1);
  builder.fix(lb, lb + extent);
  return builder.make(Recipe(Combiner::resized, form).address(lb).address(extent).of(old).contents);
}

}  // namespace odonata::libmpi
