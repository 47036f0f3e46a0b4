#include "trainer/agent/output_cap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <system_error>
#include <vector>

#include "protocol/base/byte_file.h"

namespace ringside::agent {

Result<bool> hold_to_cap(const std::filesystem::path& path, const OutputCap& cap) {
  std::error_code error;
  const std::uintmax_t before = std::filesystem::file_size(path, error);
  if (error || before <= cap.most_bytes) return false;
  auto file = open_file(path, OpenMode::kAppend);
  if (!file) return pass(file);
  const auto size = (*file)->size();
  if (!size) return pass(size);
  std::vector<std::byte> newest(static_cast<std::size_t>(std::min(*size, cap.kept_bytes)));
  const auto got = (*file)->read_at(*size - newest.size(), newest);
  if (!got) return pass(got);
  newest.resize(*got);
  // Half a line would be read as another one. A progress bar may be one of megabytes.
  constexpr std::ptrdiff_t kLongestLine = 65'536;
  const auto within = newest.begin() + std::min(kLongestLine, newest.end() - newest.begin());
  const auto line_end = std::find(newest.begin(), within, std::byte{'\n'});
  if (line_end != within && newest.end() - line_end > 1) newest.erase(newest.begin(), line_end + 1);
  const std::string mark = fmt::format(
      "[ringside: this file had grown to {} MB; all but its newest {} MB was removed]\n",
      *size / 1'000'000, newest.size() / 1'000'000);
  if (auto cut = (*file)->truncate(0); !cut) return pass(cut);
  if (auto said = (*file)->append(std::as_bytes(std::span(mark))); !said) return pass(said);
  if (auto kept = (*file)->append(newest); !kept) return pass(kept);
  return true;
}

}  // namespace ringside::agent
