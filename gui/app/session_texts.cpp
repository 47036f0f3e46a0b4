#include "gui/app/session_texts.h"

#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include "protocol/base/byte_file.h"

namespace ringside::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTailBytes = 64 * 1024;
constexpr Rank kMostRanks = 256;

}  // namespace

fs::path StreamTails::newest_attempt() const {
  std::error_code ignored;
  std::int32_t attempt = 0;
  while (fs::exists(folder_.attempt_dir(attempt + 1), ignored)) ++attempt;
  return folder_.attempt_dir(attempt);
}

bool StreamTails::read_file(const fs::path& path, Rank rank, bool is_error_stream) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return false;
  Tail& tail = tails_[path];
  if (tail.size == size) return false;
  auto file = open_file(path, OpenMode::kRead);
  if (!file) return false;
  const std::uintmax_t begin = size > kTailBytes ? size - kTailBytes : 0;
  std::string bytes(static_cast<std::size_t>(size - begin), '\0');
  const auto got = (*file)->read_at(begin, std::as_writable_bytes(std::span(bytes)));
  if (!got) return false;
  bytes.resize(*got);
  tail = {{rank, is_error_stream, std::move(bytes), begin > 0}, size};
  return true;
}

bool StreamTails::read() {
  bool changed = read_file(folder_.agent_log_path(), kNoRank, false);
  const fs::path attempt = newest_attempt();
  std::error_code ignored;
  for (Rank rank = 0; rank < kMostRanks; ++rank) {
    const fs::path folder = attempt / ("rank_" + std::to_string(rank));
    if (!fs::exists(folder, ignored)) break;
    changed = read_file(folder / "stdout", rank, false) || changed;
    changed = read_file(folder / "stderr", rank, true) || changed;
  }
  return changed;
}

std::vector<RankStream> StreamTails::streams() const {
  std::vector<RankStream> result;
  for (const auto& [path, tail] : tails_) result.push_back(tail.stream);
  return result;
}

}  // namespace ringside::app
