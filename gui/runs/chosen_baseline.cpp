#include "gui/runs/chosen_baseline.h"

#include <system_error>

#include "protocol/host/files.h"

namespace ringside::runs {
namespace {

constexpr std::size_t kMostChoiceBytes = 256;

std::filesystem::path choice_path(const runlog::RunFolder& folder) {
  return folder.path() / "compared_with.txt";
}

}  // namespace

RunId baseline_id(const runlog::RunFolder& folder, const messages::RunSpec& spec) {
  const auto is_there = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  };
  if (!is_there(choice_path(folder))) return spec.baseline.run;
  const auto text = read_text(choice_path(folder), kMostChoiceBytes);
  if (!text) return spec.baseline.run;
  const std::string id = text->substr(0, text->find_first_of("\r\n"));
  const bool usable = !id.empty() && id.find('/') == id.npos &&
                      is_there(runlog::RunFolder(folder.path().parent_path() / id).spec_path());
  return usable ? id : spec.baseline.run;
}

Result<void> choose_baseline(const runlog::RunFolder& folder, const RunId& id) {
  return write_text_atomically(choice_path(folder), id + "\n");
}

}  // namespace ringside::runs
