// Constructors for parts of arrays.
#include <algorithm>
#include <functional>
#include <numeric>

#include "preload/libmpi/core/datatypes/type_builder.hpp"
#include "preload/libmpi/core/datatypes/type_constructors.hpp"

namespace odonata::libmpi {

namespace {

void require(bool holds, const char* what, std::int64_t value, std::size_t dimension) {
  if (!holds)
    throw Error{ErrorClass::arg, std::string(what) + " of " + std::to_string(value) +
                                     " does not fit in dimension " + std::to_string(dimension)};
}

/// Dimensions from the fastest, whose elements are neighbours in memory, to the slowest.
std::vector<std::size_t> by_stride(std::size_t num_dimensions, ArrayOrder order) {
  std::vector<std::size_t> dimensions(num_dimensions);
  std::iota(dimensions.begin(), dimensions.end(), std::size_t{0});
  if (order == ArrayOrder::c) std::reverse(dimensions.begin(), dimensions.end());
  return dimensions;
}

void append(std::vector<std::int64_t>& list, Integers values) {
  list.insert(list.end(), values.begin(), values.end());
}

Contents subarray_contents(Integers sizes, Integers subsizes, Integers starts, ArrayOrder order,
                           const TypeRef& old, Form form) {
  Contents contents{.combiner = Combiner::subarray, .types = {old}};
  contents.integers.push_back(static_cast<std::int64_t>(sizes.size()));
  auto& lengths = form == Form::large ? contents.counts : contents.integers;
  append(lengths, sizes);
  append(lengths, subsizes);
  append(lengths, starts);
  contents.integers.push_back(static_cast<std::int64_t>(order));
  return contents;
}

Contents darray_contents(const DistributedArray& array, const TypeRef& old, Form form) {
  Contents contents{.combiner = Combiner::darray, .types = {old}};
  contents.integers = {array.size, array.rank, static_cast<std::int64_t>(array.sizes.size())};
  append(form == Form::large ? contents.counts : contents.integers, array.sizes);
  for (const Distribution distribution : array.distributions)
    contents.integers.push_back(static_cast<std::int64_t>(distribution));
  append(contents.integers, array.arguments);
  append(contents.integers, array.processes);
  contents.integers.push_back(static_cast<std::int64_t>(array.order));
  return contents;
}

/// Coordinates of the process; the last dimension varies fastest, whatever the array's order.
std::vector<std::int64_t> coordinates(const DistributedArray& array) {
  std::vector<std::int64_t> place(array.processes.size());
  std::int64_t rest = array.rank;
  for (std::size_t d = place.size(); d-- > 0;) {
    place[d] = rest % array.processes[d];
    rest /= array.processes[d];
  }
  return place;
}

/// Length of the blocks that the processes get in turn.
std::int64_t block_length(const DistributedArray& array, std::size_t d) {
  const std::int64_t size = array.sizes[d];
  const std::int64_t processes = array.processes[d];
  const std::int64_t argument = array.arguments[d];
  switch (array.distributions[d]) {
    case Distribution::none:
      require(processes == 1, "a number of processes", processes, d);
      return size;
    case Distribution::block: {
      if (argument == default_argument) return (size + processes - 1) / processes;
      require(argument > 0 && argument * processes >= size, "a block length", argument, d);
      return argument;
    }
    case Distribution::cyclic:
      if (argument == default_argument) return 1;
      require(argument > 0, "a block length", argument, d);
      return argument;
  }
  return size;
}

/// The process's elements in one dimension: blocks of `length`, in turn with the other processes.
TypeRef dealt_out(const Datatype& element, std::int64_t size, std::int64_t length,
                  std::int64_t processes, std::int64_t coordinate) {
  const std::int64_t extent = element.extent();
  const std::int64_t first = coordinate * length;
  const std::int64_t cycle = processes * length;
  const std::int64_t whole = first + length > size ? 0 : (size - first - length) / cycle + 1;
  const std::int64_t last = first + whole * cycle;
  TypeBuilder builder;
  builder.place(element, first * extent, length, whole, cycle * extent);
  if (last < size) builder.place(element, last * extent, std::min(length, size - last));
  builder.fix(0, size * extent);
  return builder.make({});
}

void check(const DistributedArray& array) {
  const std::int64_t processes = std::accumulate(array.processes.begin(), array.processes.end(),
                                                 std::int64_t{1}, std::multiplies<>{});
  if (processes != array.size)
    throw Error{ErrorClass::arg, "a grid of " + std::to_string(processes) + " processes is not " +
                                     std::to_string(array.size)};
  if (array.rank < 0 || array.rank >= array.size)
    throw Error{ErrorClass::arg, "rank " + std::to_string(array.rank) + " is not one of " +
                                     std::to_string(array.size)};
  for (std::size_t d = 0; d < array.sizes.size(); ++d) {
    require(array.processes[d] > 0, "a number of processes", array.processes[d], d);
    require(array.sizes[d] > 0, "an array size", array.sizes[d], d);
  }
}

}  // namespace

TypeRef subarray(Integers sizes, Integers subsizes, Integers starts, ArrayOrder order,
                 const TypeRef& old, Form form) {
  TypeRef part = old;
  std::int64_t stride = old->extent();
  std::int64_t displacement = 0;
  for (const std::size_t d : by_stride(sizes.size(), order)) {
    require(sizes[d] > 0, "an array size", sizes[d], d);
    require(subsizes[d] > 0 && subsizes[d] <= sizes[d], "a subarray size", subsizes[d], d);
    require(starts[d] >= 0 && starts[d] <= sizes[d] - subsizes[d], "a start", starts[d], d);
    TypeBuilder builder;
    builder.place(*part, 0, 1, subsizes[d], stride);
    part = builder.make({});
    displacement += starts[d] * stride;
    stride *= sizes[d];
  }
  TypeBuilder builder;
  builder.place(*part, displacement, 1);
  builder.fix(0, stride);
  return builder.make(subarray_contents(sizes, subsizes, starts, order, old, form));
}

TypeRef darray(const DistributedArray& array, const TypeRef& old, Form form) {
  check(array);
  const std::vector<std::int64_t> place = coordinates(array);
  TypeRef part = old;
  for (const std::size_t d : by_stride(array.sizes.size(), array.order))
    part = dealt_out(*part, array.sizes[d], block_length(array, d), array.processes[d], place[d]);
  TypeBuilder builder;
  builder.place(*part, 0, 1);
  builder.fix(0, part->extent());
  return builder.make(darray_contents(array, old, form));
}

}  // namespace odonata::libmpi
