// Asks for a path in the window: reads the folders that a person looks into and hands the answer
// to who asked. Main thread; folders are read in jobs.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/jobs.h"
#include "gui/view/window/file_chooser.h"

namespace ringside::session {

class PathChooser {
 public:
  using Chosen = std::function<void(const std::string& path)>;

  /// `runs_dir`: where the chooser of run folders begins.
  PathChooser(const std::filesystem::path& runs_dir, Jobs& jobs);

  /// Opens the chooser. `begin`: the path in its field; empty: the last choice for the same use.
  void ask(view::ChooserUse use, const std::string& begin, Chosen chosen);
  /// Reads a folder with a slash at its end. `make`: makes it first.
  void list(const std::string& folder, bool make = false);
  /// Closes the chooser; a path that is not empty is the answer.
  void choose(const std::string& path);
  void fill(view::ChooserInput& input) const;

 private:
  Jobs& jobs_;
  view::ChooserInput state_;  ///< its pointers are set by fill()
  std::optional<view::FolderListing> listing_;
  std::vector<std::string> recent_;
  std::array<std::string, view::kChooserUses> last_;  ///< by use
  Chosen chosen_;
};

}  // namespace ringside::session
