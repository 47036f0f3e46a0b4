// The description of a setting: label, unit, range, meaning, and when it applies. The `fields`
// function of a section passes one to its visitor for each member; readers, checks, the form and
// the documentation use it. Constants; any thread.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::messages {

struct RunSpec;

/// When a setting applies: as text, and as a function of all settings.
struct Condition {
  std::string_view words;
  bool (*holds)(const RunSpec&) = nullptr;
};

struct Field {
  std::string_view key;
  std::string_view label;    ///< display name: "Learning rate"
  std::string_view meaning;  ///< one sentence
  std::string_view unit = {};
  std::string_view words = {};  ///< all allowed values of a text setting, separated by spaces;
                                ///< empty: any
  std::string_view unset = {};  ///< meaning of the smallest number, or of an empty text or list
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  Condition applies = {};
  bool advanced = false;   ///< rarely changed: the form hides it by default
  bool needs_gpu = false;  ///< has no effect on CPU slots

  /// Returns a copy with one fact added: Field{"lr", "Learning rate", "..."}.between(0, 1e6)
  constexpr Field in(std::string_view name) const { return with(&Field::unit, name); }
  constexpr Field one_of(std::string_view all) const { return with(&Field::words, all); }
  constexpr Field or_unset(std::string_view what) const { return with(&Field::unset, what); }
  constexpr Field from(double lowest) const { return between(lowest, kMany); }
  constexpr Field between(double lowest, double highest) const {
    return with(&Field::least, lowest).with(&Field::most, highest);
  }
  constexpr Field when(Condition condition) const { return with(&Field::applies, condition); }
  constexpr Field folded() const { return with(&Field::advanced, true); }
  constexpr Field on_gpu() const { return with(&Field::needs_gpu, true); }

 private:
  static constexpr double kMany = 1e9;

  template <class T>
  constexpr Field with(T Field::*member, T value) const {
    Field copy = *this;
    copy.*member = value;
    return copy;
  }
};

/// The allowed words; empty when any text is allowed.
std::vector<std::string> words_of(const Field& field);
bool has_range(const Field& field);
/// "0 to 1e6"; empty without a range.
std::string range_text(const Field& field);
/// "0: no limit", "empty: random weights"; empty when no value has a special meaning.
std::string unset_text(const Field& field);

}  // namespace ringside::messages
