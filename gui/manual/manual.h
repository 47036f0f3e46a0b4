// All topics of the manual, in the order in which a reader needs them. They are the files TOPIC.md
// in the folder "manual" of the assets. Reading accesses files; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gui/manual/page.h"
#include "protocol/base/result.h"

namespace ringside::manual {

struct Manual {
  std::vector<Page> pages;

  /// The page of a topic; null if there is none.
  const Page* find(std::string_view topic) const;
  std::vector<std::string> topics() const;
};

Result<std::filesystem::path> manual_folder();
/// Fails with what is missing or cannot be read, or if the folder has no topic.
Result<Manual> read_manual(const std::filesystem::path& folder);

/// Describes each fault with its topic: those of parse_page(), and links without a target.
std::vector<std::string> faults(const Manual& manual);

}  // namespace ringside::manual
