// Declaration of a family in one place: its parameters with their ranges and meanings, its classes
// of links with their colours, and the struct members that they go into. Machine files, checks,
// new files, `odonata machines` and the documentation all read the same declaration.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "odonata/machine/families/basics.hpp"
#include "odonata/machine/routing/policies.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

/// A value of a parameter: a count, a choice, counts, or links.
using Value = std::variant<std::int64_t, std::string, std::vector<std::int32_t>, std::vector<Wire>>;
/// Values by the name of the parameter; omitted parameters are absent.
using Values = std::map<std::string, Value, std::less<>>;

/// A parameter in the table [shape] of a machine file.
struct Parameter {
  enum class Kind : std::uint8_t {
    count,   // low to high
    choice,  // one of `choices`
    counts,  // a list, each from low to high
    wires,   // a list of [from, to, "class"]
    file     // a path; whoever reads the machine file turns it into other values
  };

  std::string name;
  Kind kind = Kind::count;
  std::int64_t low = 0, high = 0;
  std::vector<std::string> choices{};
  bool required = true;
  std::string meaning;  // a sentence without its full stop
  std::string start{};  // value in a new file, as JSON; empty: it leaves the parameter out
};

/// A class of links that every machine of a family has.
struct ClassAbout {
  std::string name;
  std::string meaning;
  std::string colour;  // "#rrggbb" in figures
};

/// The classes that every family has first.
inline const ClassAbout injection_class{"injection", "Links from a node to its router", "#CC79A7"};
inline const ClassAbout ejection_class{"ejection", "Links from a router to a node", "#7F7F7F"};

/// A family as those who don't know it see it.
struct Family {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;
  std::vector<ClassAbout> classes;
  std::vector<std::string> own_classes;  // further ones in a new file; may be empty
  std::vector<PolicyAbout> policies;     // the plain one first
  std::function<Machine(const Basics&, const Values&, const std::vector<LinkClass>&)> build;
};

/// Destination of the value of a parameter. A choice is set by a function, and values for readers
/// of files alone go nowhere.
template <class Shape>
using Member = std::variant<std::monostate, int Shape::*, std::vector<std::int32_t> Shape::*,
                            std::vector<Wire> Shape::*, void (*)(Shape&, const std::string&)>;

/// A family's declaration: `Shape` is its struct of parameters, with the member `basics`.
template <class Shape>
struct Declaration {
  struct Key {
    Parameter about;
    Member<Shape> into;
  };
  struct Class {
    ClassAbout about;
    LinkClass Shape::* into;
  };

  std::string name;
  std::string summary;
  std::vector<Key> keys;
  std::vector<Class> classes;            // injection and ejection first
  std::vector<std::string> own_names{};  // of the classes that a new file adds
  /// Destination of further classes of the file; null: a file has none.
  std::vector<LinkClass> Shape::* own = nullptr;
  std::vector<PolicyAbout> policies;  // the plain one first
  Machine (*make)(const Shape&);
};

namespace declaring {

template <class Shape>
void set(Shape& shape, const typename Declaration<Shape>::Key& key, const Value& value) {
  const Member<Shape>& into = key.into;
  if (const auto* count = std::get_if<int Shape::*>(&into)) {
    const std::int64_t given = std::get<std::int64_t>(value);
    check_range("shape." + key.about.name, given, key.about.low, key.about.high);
    shape.*(*count) = static_cast<int>(given);
  } else if (const auto* counts = std::get_if<std::vector<std::int32_t> Shape::*>(&into)) {
    shape.*(*counts) = std::get<std::vector<std::int32_t>>(value);
  } else if (const auto* wires = std::get_if<std::vector<Wire> Shape::*>(&into)) {
    shape.*(*wires) = std::get<std::vector<Wire>>(value);
  } else if (const auto* choose = std::get_if<void (*)(Shape&, const std::string&)>(&into)) {
    (*choose)(shape, std::get<std::string>(value));
  }
}

template <class Shape>
Shape filled(const Declaration<Shape>& family, const Basics& basics, const Values& values,
             const std::vector<LinkClass>& classes) {
  if (classes.size() < family.classes.size())
    throw InternalError(family.name + ": " + std::to_string(classes.size()) +
                        " classes of links; it has " + std::to_string(family.classes.size()));
  Shape shape;
  shape.basics = basics;
  for (const auto& key : family.keys)
    if (const auto found = values.find(key.about.name); found != values.end())
      set<Shape>(shape, key, found->second);
  const auto common = static_cast<std::ptrdiff_t>(family.classes.size());
  for (std::size_t c = 0; c < family.classes.size(); ++c)
    shape.*family.classes[c].into = classes[c];
  if (family.own != nullptr) (shape.*family.own).assign(classes.begin() + common, classes.end());
  return shape;
}

template <class Shape>
void check_key(const typename Declaration<Shape>::Key& key, const Shape& shape) {
  const Parameter& about = key.about;
  const std::string what = "shape." + about.name;
  if (const auto* count = std::get_if<int Shape::*>(&key.into)) {
    if (!about.required && shape.*(*count) == 0) return;  // left out
    check_range(what, shape.*(*count), about.low, about.high);
  } else if (const auto* counts = std::get_if<std::vector<std::int32_t> Shape::*>(&key.into)) {
    std::size_t at = 0;
    for (const std::int32_t value : shape.*(*counts))
      check_range(what + "[" + std::to_string(at++) + "]", value, about.low, about.high);
  }
}

}  // namespace declaring

/// Throws UserError unless every parameter is in its declared range, and every class of links and
/// the basics in theirs.
template <class Shape>
void check_declared(const Declaration<Shape>& family, const Shape& shape) {
  check_basics(shape.basics);
  for (const auto& key : family.keys) declaring::check_key<Shape>(key, shape);
  for (const auto& c : family.classes) check_link_class(c.about.name, shape.*c.into);
  if (family.own == nullptr) return;
  for (const LinkClass& c : shape.*family.own) check_link_class(c.name, c);
}

/// The classes of links of a machine, under the names that the family gives them.
template <class Shape>
std::vector<LinkClass> declared_classes(const Declaration<Shape>& family, const Shape& shape) {
  std::vector<LinkClass> classes;
  for (const auto& c : family.classes) classes.push_back(named(c.about.name, shape.*c.into));
  if (family.own != nullptr)
    classes.insert(classes.end(), (shape.*family.own).begin(), (shape.*family.own).end());
  return classes;
}

/// The family behind a declaration.
template <class Shape>
Family family_of(Declaration<Shape> declared) {
  Family family{declared.name, declared.summary, {}, {}, declared.own_names, declared.policies, {}};
  for (const auto& key : declared.keys) family.parameters.push_back(key.about);
  for (const auto& c : declared.classes) family.classes.push_back(c.about);
  family.build = [declared = std::move(declared)](const Basics& basics, const Values& values,
                                                  const std::vector<LinkClass>& classes) {
    return declared.make(declaring::filled(declared, basics, values, classes));
  };
  return family;
}

}  // namespace odonata
