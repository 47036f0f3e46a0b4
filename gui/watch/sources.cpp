#include "gui/watch/sources.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "gui/watch/table_text.h"
#include "gui/watch/tensorboard_reader.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"

namespace ringside::watch {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 32;
constexpr std::size_t kMostEntries = 1'000'000;
constexpr Rank kMostRanks = 4096;

constexpr std::array<std::string_view, 7> kTables = {"metrics", "steps",   "scalars", "progress",
                                                     "log",     "history", "results"};
constexpr std::array<std::string_view, 3> kTableEndings = {".csv", ".tsv", ".tab"};
constexpr std::array<std::string_view, 6> kTextEndings = {".txt",  ".log",   ".dat",
                                                          ".json", ".jsonl", ".ndjson"};
constexpr std::array<std::string_view, 8> kParts = {"train",      "training", "val",        "valid",
                                                    "validation", "eval",     "evaluation", "test"};

template <class Words>
bool is_one_of(std::string_view text, const Words& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// The number in "rank_3" and "rank_3_attempt_1" for the word "rank_" or "rank".
std::optional<Rank> number_behind(std::string_view name, std::string_view word) {
  if (!name.starts_with(word)) return std::nullopt;
  if (name.size() > word.size() && std::string_view("_-").find(name[word.size()]) != name.npos)
    name.remove_prefix(1);
  Rank number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + word.size(), end, number);
  const bool fits = read.ec == std::errc() && (read.ptr == end || *read.ptr == '_');
  return fits && number >= 0 && number < kMostRanks ? std::optional(number) : std::nullopt;
}

/// A table's file name split into the name of its values and its rank: "loss" and 3 for
/// loss_rank3.csv.
struct TableName {
  std::string stem;
  std::optional<Rank> rank;
};

TableName table_name(const fs::path& file) {
  constexpr std::string_view kRank = "rank";
  constexpr std::string_view kBetween = "_-.";
  TableName name{file.stem().native(), std::nullopt};
  const std::string lower = lower_case(name.stem);
  for (std::size_t at = lower.find(kRank); at != lower.npos; at = lower.find(kRank, at + 1)) {
    std::size_t end = lower.find_first_of(kBetween, at + kRank.size() + 1);
    end = std::min(end, lower.size());
    const auto rank = number_behind(std::string_view(lower).substr(at, end - at), kRank);
    if (!rank || (at > 0 && kBetween.find(lower[at - 1]) == kBetween.npos)) continue;
    name.rank = rank;
    name.stem.erase(at > 0 ? at - 1 : 0, at > 0 ? end - at + 1 : end + 1);
    break;
  }
  return name;
}

/// Interprets the folders between the root and a file; `rank_1` and the like count only with
/// `ranks`. Each table below plots/metrics is a curve of one run, as written by DVCLive.
Source source_below(const fs::path& folders, Format format, const fs::path& file, bool ranks) {
  Source source;
  source.format = format;
  source.path = file;
  fs::path run;
  bool curves = false;
  for (const fs::path& folder : folders) {
    const std::string name = folder.string();
    if (name == "." || name.empty()) continue;
    if (curves) {
      source.prefix += name + "/";
    } else if (name == "metrics" && run.filename() == "plots") {
      curves = true;
      run = run.parent_path();
    } else if (const auto rank = number_behind(name, "rank_"); rank && ranks) {
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

/// Parts of the name of a curve downloaded from TensorBoard: run-NAME-tag-NAME.csv.
struct Download {
  std::string run;
  std::string tag;
};

std::optional<Download> download_of(const std::string& stem) {
  constexpr std::string_view kRun = "run-";
  constexpr std::string_view kTag = "-tag-";
  const std::size_t tag = stem.find(kTag);
  if (!stem.starts_with(kRun) || tag == stem.npos) return std::nullopt;
  return Download{stem.substr(kRun.size(), tag - kRun.size()), stem.substr(tag + kTag.size())};
}

/// The value in a line: "happy-cat" in "run_name: happy-cat".
std::string yaml_value(std::string_view text, std::string_view key) {
  const std::string wanted = "\n" + std::string(key) + ":";
  const std::size_t at = text.find(wanted);
  if (at == text.npos) return {};
  std::string_view value = text.substr(at + wanted.size());
  value = trimmed(value.substr(0, value.find('\n')));
  if (value.size() > 1 && (value.front() == '\'' || value.front() == '"'))
    value = value.substr(1, value.size() - 2);
  return printable_line(value);
}

/// The format of a file of any name, judged by its beginning; a table has a line of several cells.
std::optional<Format> format_inside(const fs::path& path) {
  constexpr std::size_t kLooked = 4096;
  std::string begin(kLooked, '\0');
  auto file = open_file(path, OpenMode::kRead);
  if (!file) return std::nullopt;
  const auto got = (*file)->read_at(0, std::as_writable_bytes(std::span(begin)));
  begin.resize(got.value_or(0));
  if (begin.starts_with(":W&B")) return Format::kWandb;
  if (begins_as_tensorboard(begin)) return Format::kTensorBoard;
  for (std::string_view rest = begin; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    TableRow cells;
    split_row(line, separator_of(line), cells);
    if (cells.size() > 1) return Format::kCsv;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return std::nullopt;
}

/// Walks through folders. Links are visited after everything else, so that a file that is reached
/// twice is known by its own path.
class Walk {
 public:
  explicit Walk(fs::path root) : root_(std::move(root)) {}

  Result<Sources> run() {
    folders_.push_back({root_, 0});
    while (!folders_.empty() || !links_.empty()) {
      auto& next = folders_.empty() ? links_ : folders_;
      const Folder folder = next.front();
      next.pop_front();
      struct stat status {};
      if (::stat(folder.path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) continue;
      if (!seen_.insert({status.st_dev, status.st_ino}).second) continue;
      RINGSIDE_TRY(look_into(folder));
    }
    // A link to a file within the tree, as made by W&B, and a second link to the same file, are
    // skipped.
    std::vector<std::size_t> twice;
    for (const Linked& link : linked_) {
      if (!files_.insert(link.id).second) twice.push_back(link.place);
    }
    for (auto place = twice.rbegin(); place != twice.rend(); ++place)
      found_.files.erase(found_.files.begin() + static_cast<std::ptrdiff_t>(*place));
    std::sort(found_.files.begin(), found_.files.end(), [](const Source& a, const Source& b) {
      const bool a_first = a.format == Format::kWandb;
      const bool b_first = b.format == Format::kWandb;
      return a_first != b_first ? a_first : a.path < b.path;
    });
    put_other_numbers_back();
    put_tables_apart();
    put_files_of_wandb_there();
    return std::move(found_);
  }

 private:
  struct Folder {
    fs::path path;
    int depth;
  };

  Result<void> look_into(const Folder& folder) {
    std::error_code error;
    fs::directory_iterator it(folder.path, error);
    if (error && folder.depth == 0)
      return bad_request(root_.string() + " cannot be read: " + error.message());
    // A folder that was removed meanwhile is not an error.
    if (error && error != std::errc::no_such_file_or_directory)
      leave_out(found_.left_out, {"a folder cannot be read: " + error.message(),
                                  printable_line(folder.path.native())});
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
      if (++entries_ > kMostEntries)
        return bad_request(root_.string() + " holds more than " + std::to_string(kMostEntries) +
                           " files and folders; name one of its folders");
      take_entry(*it, folder);
    }
    return {};
  }

  void take_entry(const fs::directory_entry& entry, const Folder& folder) {
    std::error_code ignored;
    const bool link = entry.is_symlink(ignored);
    if (entry.is_directory(ignored)) {
      if (folder.depth + 1 > kMaxDepth) {
        leave_out(found_.left_out,
                  {"a folder lies more than " + std::to_string(kMaxDepth) + " levels down",
                   printable_line(entry.path().native())});
      } else {
        (link ? links_ : folders_).push_back({entry.path(), folder.depth + 1});
      }
      return;
    }
    const auto format = format_of(entry.path());
    const bool text = is_one_of(lower_case(entry.path().extension().native()), kTextEndings);
    if (!entry.is_regular_file(ignored)) return;
    if (!format && !text) {
      if (entry.path().native().find("/metrics/") != std::string::npos) add_metric(entry.path());
      return;
    }
    add_file(entry.path(), format.value_or(Format::kCsv), text && !format, link);
  }

  void add_file(const fs::path& path, Format format, bool doubtful, bool link) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;
    const std::pair id{status.st_dev, status.st_ino};
    if (link) linked_.push_back({found_.files.size(), id});
    if (!link) files_.insert(id);
    found_.files.push_back(placed(path, format, doubtful, true));
  }

  Source placed(const fs::path& path, Format format, bool doubtful, bool ranks) const {
    const fs::path folders = path.parent_path().lexically_relative(root_);
    Source source = source_below(folders, format, path, ranks);
    source.doubtful = doubtful;
    if (format != Format::kCsv) return source;
    TableName name = table_name(path);
    if (!ranks) name = {path.stem().native(), std::nullopt};
    if (name.rank) source.rank = *name.rank;
    const bool curve = path.native().find("/plots/metrics/") != std::string::npos;
    source.table.rows_are_steps = !doubtful && (curve || is_one_of(lower_case(name.stem), kTables));
    source.table.value_name = name.stem;
    if (const auto download = download_of(path.stem().native())) {
      source.table.value_name = download->tag;
      source.run = (fs::path(source.run) / download->run).lexically_normal().string();
    }
    return source;
  }

  /// Treats numbers as ranks only if one of the first ranks is present: rank_8 and rank_64 alone
  /// mean something else.
  void put_other_numbers_back() {
    constexpr Rank kFirstOfFolders = 4;
    constexpr Rank kFirstOfNames = 1;
    std::map<std::string, Rank> lowest;
    for (const Source& source : found_.files) {
      const auto [known, anew] = lowest.try_emplace(source.run, source.rank);
      known->second = std::min(known->second, source.rank);
    }
    for (Source& source : found_.files) {
      const bool named = source.format == Format::kCsv && table_name(source.path).rank;
      if (!source.table.header.empty()) continue;
      if (lowest[source.run] < (named ? kFirstOfNames : kFirstOfFolders)) continue;
      source = placed(source.path, source.format, source.doubtful, false);
    }
  }

  /// A file of MLflow: any file in `metrics` beside meta.yaml is a metric.
  void add_metric(const fs::path& path) {
    constexpr std::size_t kLooked = 16'384;
    for (fs::path at = path.parent_path(); at.has_relative_path(); at = at.parent_path()) {
      std::error_code ignored;
      const fs::path run = at.parent_path();
      if (at.filename() == "metrics" && fs::exists(run / "meta.yaml", ignored)) {
        Source source = source_below(run.lexically_relative(root_), Format::kCsv, path, false);
        if (at == root_) source.run.clear();
        source.table.value_name = path.lexically_relative(at).generic_string();
        source.table.header = "timestamp value step";
        std::string about(kLooked, '\0');
        if (auto file = open_file(run / "meta.yaml", OpenMode::kRead)) {
          const auto got = (*file)->read_at(0, std::as_writable_bytes(std::span(about)));
          about.resize(got.value_or(0));
          source.table.title = yaml_value(about, "run_name");
        }
        found_.files.push_back(std::move(source));
        return;
      }
      if (at == root_) return;
    }
  }

  /// Makes a run of each table that no known logger named, if there are several; likewise for files
  /// of JSON lines.
  void put_tables_apart() {
    const auto apart = [](const Source& source) {
      return source.format == Format::kCsv && source.table.header.empty() &&
             !download_of(source.path.stem().native());
    };
    const auto stem = [](const Source& source) { return source.table.value_name; };
    std::map<std::string, std::set<std::string>> stems;  // by run
    for (const Source& source : found_.files) {
      const bool json = source.path.extension().native().starts_with(".json");
      if (apart(source) && (!source.doubtful || json)) stems[source.run].insert(stem(source));
    }
    for (Source& source : found_.files) {
      if (!apart(source) || source.table.rows_are_steps) continue;
      const auto& others = stems[source.run];
      if (others.size() > others.count(stem(source)))
        source.run = (fs::path(source.run) / stem(source)).string();
    }
  }

  void put_files_of_wandb_there() {
    std::map<fs::path, std::string> runs;
    for (const Source& source : found_.files) {
      if (source.format == Format::kWandb) runs[source.path.parent_path()] = source.run;
    }
    for (Source& source : found_.files) {
      if (runs.empty() || source.format == Format::kWandb) continue;
      for (fs::path at = source.path.parent_path(); at.has_relative_path() && at != root_;
           at = at.parent_path()) {
        const auto run = at.filename() == "files" ? runs.find(at.parent_path()) : runs.end();
        if (run != runs.end()) source.run = run->second;
      }
    }
  }

  using FileId = std::pair<dev_t, ino_t>;
  struct Linked {
    std::size_t place;
    FileId id;
  };

  fs::path root_;
  Sources found_;
  std::deque<Folder> folders_;
  std::deque<Folder> links_;
  std::set<FileId> seen_;   ///< folders that were visited
  std::set<FileId> files_;  ///< files that are not links
  std::vector<Linked> linked_;
  std::size_t entries_ = 0;
};

}  // namespace

std::optional<Format> format_of(const fs::path& file) {
  if (file.filename().string().find("tfevents") != std::string::npos) return Format::kTensorBoard;
  const std::string ending = lower_case(file.extension().native());
  if (ending == ".wandb") return Format::kWandb;
  if (is_one_of(ending, kTableEndings)) return Format::kCsv;
  return std::nullopt;
}

bool can_watch(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return format_of(path).has_value();
  const auto sources = find_sources(path);
  return sources && std::any_of(sources->files.begin(), sources->files.end(),
                                [](const Source& source) { return !source.doubtful; });
}

Result<Sources> find_sources(const fs::path& root, const std::string& step) {
  std::error_code error;
  if (fs::is_regular_file(root, error)) {
    const auto known = format_of(root);
    const auto format = known ? known : format_inside(root);
    if (!format)
      return bad_request(root.string() +
                         " is not an event file of TensorBoard, a file of W&B or a table");
    Source source{{}, 0, {}, *format, root, {}, false};
    const auto download = download_of(root.stem().native());
    source.table = {step, true, download ? download->tag : root.stem().native()};
    Sources one;
    one.files.push_back(std::move(source));
    return one;
  }
  if (!fs::is_directory(root, error))
    return bad_request(root.string() + " is neither a file nor a folder that can be read");
  auto sources = RINGSIDE_TRY(Walk(root).run());
  for (Source& source : sources.files) source.table.step = step;
  return sources;
}

}  // namespace ringside::watch
