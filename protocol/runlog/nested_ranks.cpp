#include "protocol/runlog/nested_ranks.h"

#include <charconv>
#include <span>
#include <string>
#include <system_error>

#include "protocol/host/files.h"

namespace ringside::runlog {
namespace {

std::filesystem::path path_in(const std::filesystem::path& rank_folder) {
  return rank_folder / "nested_ranks";
}

}  // namespace

void leave_nested_ranks(const std::filesystem::path& rank_folder, std::int32_t count) {
  std::error_code error;
  if (std::filesystem::exists(path_in(rank_folder), error) || error) return;
  const auto file = open_file(path_in(rank_folder), OpenMode::kAppend);
  const std::string line = std::to_string(count) + "\n";  // several processes may create it at once
  if (file) (void)(*file)->append(std::as_bytes(std::span(line)));
}

std::optional<std::int32_t> nested_ranks(const std::filesystem::path& rank_folder) {
  const auto text = read_text(path_in(rank_folder));
  if (!text) return std::nullopt;
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
  if (error != std::errc() || count < 1) return std::nullopt;
  return count;
}

}  // namespace ringside::runlog
