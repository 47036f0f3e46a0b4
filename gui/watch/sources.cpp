#include "gui/watch/sources.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>

namespace ringside::watch {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 6;
constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostFiles = 4096;
constexpr Rank kMostRanks = 4096;

constexpr std::array<std::string_view, 7> kTables = {"metrics.csv",  "steps.csv", "scalars.csv",
                                                     "progress.csv", "log.csv",   "history.csv",
                                                     "results.csv"};
constexpr std::array<std::string_view, 8> kParts = {"train",      "training", "val",        "valid",
                                                    "validation", "eval",     "evaluation", "test"};

template <class Words>
bool is_one_of(std::string_view text, const Words& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// The number in "rank_3" and "rank_3_attempt_1" for "rank_".
std::optional<Rank> number_behind(std::string_view name, std::string_view word) {
  if (!name.starts_with(word)) return std::nullopt;
  Rank number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + word.size(), end, number);
  const bool fits = read.ec == std::errc() && (read.ptr == end || *read.ptr == '_');
  return fits && number >= 0 && number < kMostRanks ? std::optional(number) : std::nullopt;
}

/// What the folders between the root and a file say of it.
Source source_below(const fs::path& folders, Format format, const fs::path& file) {
  Source source;
  source.format = format;
  source.path = file;
  fs::path run;
  for (const fs::path& folder : folders) {
    const std::string name = folder.string();
    if (name == ".") continue;
    if (const auto rank = number_behind(name, "rank_")) {
      source.rank = *rank;
    } else if (number_behind(name, "node_")) {
      source.rank = kNoRank;
    } else if (is_one_of(name, kParts)) {
      source.prefix += name + "/";
    } else {
      run /= folder;
    }
  }
  source.run = run.string();
  return source;
}

bool counts(const fs::path& file, Format format) {
  return format != Format::kCsv || is_one_of(file.filename().string(), kTables);
}

void keep_best_format(std::vector<Source>& sources) {
  std::map<std::string, Format> best;
  for (const Source& source : sources) {
    const auto known = best.try_emplace(source.run, source.format).first;
    known->second = std::min(known->second, source.format);
  }
  std::erase_if(sources,
                [&](const Source& source) { return source.format != best.at(source.run); });
}

}  // namespace

std::optional<Format> format_of(const fs::path& file) {
  if (file.filename().string().find("tfevents") != std::string::npos) return Format::kTensorBoard;
  if (file.extension() == ".wandb") return Format::kWandb;
  if (file.extension() == ".csv") return Format::kCsv;
  return std::nullopt;
}

bool can_watch(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return format_of(path).has_value();
  const auto sources = find_sources(path);
  return sources && !sources->empty();
}

Result<std::vector<Source>> find_sources(const fs::path& root) {
  std::error_code error;
  if (fs::is_regular_file(root, error)) {
    const auto format = format_of(root);
    if (!format)
      return bad_request(root.string() +
                         " is not an event file of TensorBoard, a .wandb file or a .csv table");
    return std::vector{Source{{}, 0, {}, *format, root}};
  }
  if (!fs::is_directory(root, error))
    return bad_request(root.string() + " is neither a file nor a folder that can be read");
  std::vector<Source> sources;
  std::size_t entries = 0;
  fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (++entries > kMostEntries || sources.size() > kMostFiles)
      return bad_request(root.string() +
                         " holds too many files to follow; name one of its folders");
    std::error_code ignored;
    if (it.depth() >= kMaxDepth) it.disable_recursion_pending();
    const auto format = format_of(it->path());
    if (!format || !counts(it->path(), *format) || !it->is_regular_file(ignored)) continue;
    sources.push_back(
        source_below(it->path().parent_path().lexically_relative(root), *format, it->path()));
  }
  // A folder that was taken away while it was looked through ends this look; the next has the rest.
  if (error && error != std::errc::no_such_file_or_directory)
    return bad_request(root.string() + " cannot be read: " + error.message());
  keep_best_format(sources);
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.path < b.path; });
  return sources;
}

}  // namespace ringside::watch
