// All topics of the manual, which lie as TOPIC.md in the folder "manual" of the assets, in the
// order in which a reader needs them. Reading looks at files; any thread.
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

/// Where the topics of this installation lie.
Result<std::filesystem::path> manual_folder();
/// Fails with what is missing or cannot be read; a folder without any topic is such a failure.
Result<Manual> read_manual(const std::filesystem::path& folder);

/// What is wrong with it, each with its topic: what parse_page() says, and links that lead nowhere.
std::vector<std::string> faults(const Manual& manual);

}  // namespace ringside::manual
