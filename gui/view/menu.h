// A menu as data: the actions on an object, in order. Plain data.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/view/command.h"

namespace ringside::view {

struct MenuEntry {
  std::string word{};  ///< empty: a separator between two groups
  std::string keys{};  ///< keys with the same effect: "Enter"
  /// Empty: the page asks a question first, or `more` opens as a submenu.
  std::optional<Command> command{};
  bool on = false;  ///< shown with a tick
  bool enabled = true;
  std::vector<MenuEntry> more{};
};
using Menu = std::vector<MenuEntry>;

inline MenuEntry submenu(std::string word, Menu more, std::string keys = {}) {
  return {std::move(word), std::move(keys), {}, false, true, std::move(more)};
}

}  // namespace ringside::view
