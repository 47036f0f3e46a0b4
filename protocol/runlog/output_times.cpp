#include "protocol/runlog/output_times.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "protocol/host/files.h"

namespace ringside::runlog {
namespace {

constexpr std::uint64_t kMostTimesBytes = std::uint64_t{1} << 20;

template <class Number>
bool take_number(std::string_view& line, Number& into) {
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), end, into);
  if (error != std::errc{}) return false;
  line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
  return true;
}

bool take_space(std::string_view& line) {
  if (!line.starts_with(' ')) return false;
  line.remove_prefix(1);
  return true;
}

std::optional<OutputMark> parsed(std::string_view line) {
  OutputMark mark;
  const bool whole = take_number(line, mark.wall_ns) && take_space(line) &&
                     take_number(line, mark.stdout_bytes) && take_space(line) &&
                     take_number(line, mark.stderr_bytes) && line.empty();
  return whole ? std::optional(mark) : std::nullopt;
}

// A line that was cut off by a full disk is joined with the next one. It is not a mark, but the
// marks before it stay valid.
void add(std::string_view line, std::vector<OutputMark>& marks) {
  const auto mark = parsed(line);
  if (!mark || (!marks.empty() && mark->wall_ns < marks.back().wall_ns)) return;
  const bool cut = !marks.empty() && (mark->stdout_bytes < marks.back().stdout_bytes ||
                                      mark->stderr_bytes < marks.back().stderr_bytes);
  if (cut) marks.clear();
  marks.push_back(*mark);
}

void drop_needless(std::vector<OutputMark>& marks, std::uint64_t stdout_begin,
                   std::uint64_t stderr_begin) {
  std::vector<OutputMark> kept;
  OutputMark before{0, stdout_begin, stderr_begin};
  for (const OutputMark& mark : marks) {
    if (mark.stdout_bytes > before.stdout_bytes || mark.stderr_bytes > before.stderr_bytes)
      kept.push_back(mark);
    before.stdout_bytes = std::max(before.stdout_bytes, mark.stdout_bytes);
    before.stderr_bytes = std::max(before.stderr_bytes, mark.stderr_bytes);
  }
  marks = std::move(kept);
}

}  // namespace

std::filesystem::path output_times_path(const std::filesystem::path& rank_folder) {
  return rank_folder / "output_times";
}

OutputMarkWriter::OutputMarkWriter(const std::filesystem::path& rank_folder)
    : path_(output_times_path(rank_folder)) {}

Result<void> OutputMarkWriter::append(const OutputMark& mark) {
  if (!file_) {
    auto file = RINGSIDE_TRY(open_file(path_, OpenMode::kAppend));
    file_ = std::move(file);
  }
  const std::string line = std::to_string(mark.wall_ns) + " " + std::to_string(mark.stdout_bytes) +
                           " " + std::to_string(mark.stderr_bytes) + "\n";
  return file_->append(std::as_bytes(std::span(line)));
}

OutputMarks::OutputMarks(const std::filesystem::path& rank_folder)
    : path_(output_times_path(rank_folder)),
      marks_(std::make_shared<const std::vector<OutputMark>>()) {}

bool OutputMarks::read(std::uint64_t stdout_begin, std::uint64_t stderr_begin) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path_, error);
  if (error || size == offset_) return false;
  const auto file = open_file(path_, OpenMode::kRead);
  if (!file) return false;
  const bool anew = size < offset_;
  const std::uint64_t from = anew ? 0 : offset_;
  const std::uint64_t begin = std::max(from, size > kMostTimesBytes ? size - kMostTimesBytes : 0);
  std::string text(static_cast<std::size_t>(size - begin), '\0');
  text.resize((*file)->read_at(begin, std::as_writable_bytes(std::span(text))).value_or(0));
  // The last line may still be incomplete.
  const std::size_t end = text.rfind('\n') + 1;
  if (end == 0) return false;
  offset_ = begin + end;
  auto marks = anew ? std::vector<OutputMark>() : *marks_;
  for (std::size_t at = begin > from ? text.find('\n') + 1 : 0; at < end;) {
    const std::size_t newline = text.find('\n', at);
    add(std::string_view(text).substr(at, newline - at), marks);
    at = newline + 1;
  }
  drop_needless(marks, stdout_begin, stderr_begin);
  marks_ = std::make_shared<const std::vector<OutputMark>>(std::move(marks));
  return true;
}

}  // namespace ringside::runlog
