#include "gui/session/run_texts.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "protocol/host/files.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kTailBytes = 64 * 1024;
constexpr std::uintmax_t kMostBytes = 32 << 20U;  // for all files together, when more was requested
constexpr Rank kMostRanks = 256;

fs::path newest_attempt(const runlog::RunFolder& folder) {
  return folder.attempt_dir(std::max(0, folder.attempts() - 1));
}

}  // namespace

StreamTails::StreamTails(runlog::RunFolder folder)
    : folder_(std::move(folder)), reach_(kTailBytes) {}

void StreamTails::read_earlier() {
  const std::size_t files = std::max<std::size_t>(1, tails_.size());
  reach_ = std::max(reach_, std::min(reach_ * 8, kMostBytes / files));
  for (auto& [path, tail] : tails_) tail.size = 0;  // so that they are read again
  marks_.clear();
}

bool StreamTails::has_earlier() const {
  const bool can_grow = reach_ < kMostBytes / std::max<std::size_t>(1, tails_.size());
  return can_grow && std::any_of(tails_.begin(), tails_.end(), [](const auto& entry) {
           return entry.second.stream.begins_inside_line;
         });
}

std::vector<StreamTails::File> StreamTails::files_of(const runlog::RunFolder& folder) {
  std::vector<File> files{{folder.agent_log_path(), kNoRank}};
  const fs::path attempt = newest_attempt(folder);
  std::error_code ignored;
  for (Rank rank = 0; rank < kMostRanks; ++rank) {
    const fs::path of_rank = attempt / ("rank_" + std::to_string(rank));
    if (!fs::exists(of_rank, ignored)) break;
    files.push_back({of_rank / "stdout", rank});
    files.push_back({of_rank / "stderr", rank});
  }
  return files;
}

bool StreamTails::read_file(const fs::path& path, Rank rank, bool is_error_stream) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return false;
  Tail& tail = tails_[path];
  if (tail.size == size) return false;
  auto file = open_file(path, OpenMode::kRead);
  if (!file) return false;
  const std::uintmax_t begin = size > reach_ ? size - reach_ : 0;
  std::string bytes(static_cast<std::size_t>(size - begin), '\0');
  const auto got = (*file)->read_at(begin, std::as_writable_bytes(std::span(bytes)));
  if (!got) return false;
  bytes.resize(*got);
  tail = {{rank, is_error_stream, std::move(bytes), begin > 0, path, begin, {}}, size};
  return true;
}

bool StreamTails::read_marks(const fs::path& rank_folder) {
  const auto out = tails_.find(rank_folder / "stdout");
  const auto err = tails_.find(rank_folder / "stderr");
  const auto begin_of = [this](const auto& tail) {
    return tail == tails_.end() ? 0 : tail->second.stream.begin;
  };
  auto& marks = marks_.try_emplace(rank_folder, rank_folder).first->second;
  const bool more = marks.read(begin_of(out), begin_of(err));
  for (const auto& tail : {out, err}) {
    if (tail != tails_.end()) tail->second.stream.marks = marks.shared();
  }
  return more;
}

bool StreamTails::read() {
  bool changed = false;
  for (const File& file : files_of(folder_)) {
    const bool errors = file.path.filename() == "stderr";
    changed = read_file(file.path, file.rank, errors) || changed;
    // Marks are read after the last file of a rank, when the sizes of both are known.
    if (errors) changed = read_marks(file.path.parent_path()) || changed;
  }
  return changed;
}

std::vector<RankStream> StreamTails::streams() const {
  std::vector<RankStream> result;
  for (const auto& [path, tail] : tails_) result.push_back(tail.stream);
  // Texts without recorded times are in the order in which people read them.
  std::stable_sort(result.begin(), result.end(), [](const RankStream& a, const RankStream& b) {
    return std::tuple(a.rank, a.is_error_stream) < std::tuple(b.rank, b.is_error_stream);
  });
  return result;
}

}  // namespace ringside::session
