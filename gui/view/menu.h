// A menu as data: what can be done with a thing, in order. Plain data.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/view/command.h"

namespace ringside::view {

struct MenuEntry {
  std::string word{};  ///< empty: a line between two groups
  std::string keys{};  ///< that do the same: "Enter"
  /// Nothing: the page asks something first, or `more` opens beside it.
  std::optional<Command> command{};
  bool on = false;  ///< ticked
  bool enabled = true;
  std::vector<MenuEntry> more{};
};
using Menu = std::vector<MenuEntry>;

/// An entry that opens others beside it.
inline MenuEntry submenu(std::string word, Menu more, std::string keys = {}) {
  return {std::move(word), std::move(keys), {}, false, true, std::move(more)};
}

}  // namespace ringside::view
