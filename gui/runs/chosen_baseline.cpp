#include "gui/runs/chosen_baseline.h"

#include <system_error>

#include "protocol/base/byte_file.h"

namespace ringside::runs {
namespace {

constexpr std::size_t kMostBytes = 256;

std::filesystem::path choice_path(const runlog::RunFolder& folder) {
  return folder.path() / "compared_with.txt";
}

}  // namespace

RunId baseline_id(const runlog::RunFolder& folder, const messages::RunSpec& spec) {
  std::error_code ignored;
  if (!std::filesystem::exists(choice_path(folder), ignored)) return spec.baseline.run;
  const auto text = read_text(choice_path(folder), kMostBytes);
  if (!text) return spec.baseline.run;
  const std::string id = text->substr(0, text->find_first_of("\r\n"));
  return id.empty() ? spec.baseline.run : id;
}

Result<void> choose_baseline(const runlog::RunFolder& folder, const RunId& id) {
  return write_text_atomically(choice_path(folder), id + "\n");
}

}  // namespace ringside::runs
