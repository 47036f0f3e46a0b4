#include "trainer/agent/output_cap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <system_error>
#include <vector>

#include "protocol/host/files.h"

namespace ringside::agent {

Result<bool> hold_to_cap(const std::filesystem::path& path, const OutputCap& cap) {
  std::error_code error;
  const std::uintmax_t before = std::filesystem::file_size(path, error);
  if (error || before <= cap.most_bytes) return false;
  auto file = RINGSIDE_TRY(open_file(path, OpenMode::kAppend));
  const auto size = RINGSIDE_TRY(file->size());
  std::vector<std::byte> newest(static_cast<std::size_t>(std::min(size, cap.kept_bytes)));
  const auto got = RINGSIDE_TRY(file->read_at(size - newest.size(), newest));
  newest.resize(got);
  // The kept part begins at a line start, since half a line could be misread, unless the line is
  // longer than this; a progress bar may be one line of megabytes.
  constexpr std::ptrdiff_t kLongestLine = 65'536;
  const auto within = newest.begin() + std::min(kLongestLine, newest.end() - newest.begin());
  const auto line_end = std::find(newest.begin(), within, std::byte{'\n'});
  if (line_end != within && newest.end() - line_end > 1) newest.erase(newest.begin(), line_end + 1);
  const std::string mark = fmt::format(
      "[ringside: this file had grown to {} MB; all but its newest {} MB was removed]\n",
      size / 1'000'000, newest.size() / 1'000'000);
  RINGSIDE_TRY(file->truncate(0));
  RINGSIDE_TRY(file->append(std::as_bytes(std::span(mark))));
  RINGSIDE_TRY(file->append(newest));
  return true;
}

}  // namespace ringside::agent
