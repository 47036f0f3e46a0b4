#include "protocol/runlog/output_times.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <sstream>
#include <string>

#include "protocol/base/byte_file.h"

namespace ringside::runlog {
namespace {

constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 20;

}  // namespace

std::filesystem::path output_times_path(const std::filesystem::path& rank_folder) {
  return rank_folder / "output_times";
}

Result<void> append_output_mark(const std::filesystem::path& rank_folder, const OutputMark& mark) {
  auto file = open_file(output_times_path(rank_folder), OpenMode::kAppend);
  if (!file) return pass(file);
  const std::string line = std::to_string(mark.wall_ns) + " " + std::to_string(mark.stdout_bytes) +
                           " " + std::to_string(mark.stderr_bytes) + "\n";
  return (*file)->append(std::as_bytes(std::span(line)));
}

std::vector<OutputMark> read_output_marks(const std::filesystem::path& rank_folder) {
  std::vector<OutputMark> marks;
  std::error_code none;
  if (!std::filesystem::exists(output_times_path(rank_folder), none)) return marks;
  const auto file = open_file(output_times_path(rank_folder), OpenMode::kRead);
  if (!file) return marks;
  const std::uint64_t size = (*file)->size().value_or(0);
  const std::uint64_t begin = size > kReadBytes ? size - kReadBytes : 0;
  std::string text(static_cast<std::size_t>(size - begin), '\0');
  text.resize((*file)->read_at(begin, std::as_writable_bytes(std::span(text))).value_or(0));
  std::istringstream lines(text);
  std::string line;
  if (begin > 0) std::getline(lines, line);
  while (std::getline(lines, line)) {
    OutputMark mark;
    std::istringstream numbers(line);
    // The last line may still be being written.
    if (!(numbers >> mark.wall_ns >> mark.stdout_bytes >> mark.stderr_bytes) || lines.eof())
      continue;
    const bool cut = !marks.empty() && (mark.stdout_bytes < marks.back().stdout_bytes ||
                                        mark.stderr_bytes < marks.back().stderr_bytes);
    if (cut) marks.clear();
    marks.push_back(mark);
  }
  return marks;
}

}  // namespace ringside::runlog
