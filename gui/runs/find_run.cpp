#include "gui/runs/find_run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "gui/runs/copied_numbers.h"
#include "gui/runs/run_id.h"
#include "gui/runs/trash.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/runlog/noted_runs.h"

namespace ringside::runs {
namespace {

namespace fs = std::filesystem;

// A text of a few digits is a number: ids begin with a year of this century, so it cannot be a
// useful beginning of an id.
std::optional<int> short_number(std::string_view text) {
  const bool marked = text.starts_with('#');
  if (marked) text.remove_prefix(1);
  if (text.empty() || (!marked && text.size() > 3 && text.starts_with("20"))) return std::nullopt;
  return whole_number<int>(text);
}

Result<ListedRun> by_number(const fs::path& runs_dir, const std::vector<ListedRun>& runs,
                            int number) {
  for (const auto& run : runs) {
    if (number > 0 && run.number == number) return run;
  }
  const std::string text = std::to_string(number);
  if (find_deleted_run(runs_dir, text)) {
    return bad_request("run #" + text + " was deleted; `ringside delete " + text +
                       " --restore` brings it back");
  }
  int highest = 0;
  for (const auto& run : runs) highest = std::max(highest, run.number);
  return bad_request("there is no run #" + text + "; the newest is #" + std::to_string(highest));
}

Result<ListedRun> by_prefix(const fs::path& runs_dir, const std::vector<ListedRun>& runs,
                            std::string_view text) {
  std::vector<ListedRun> found;
  for (const auto& run : runs) {
    if (run.folder.id() == text) return run;
    if (run.folder.id().starts_with(text)) found.push_back(run);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return bad_request("no run in " + runs_dir.string() + " has an id that begins with \"" +
                       std::string(text) + "\"; `ringside list` shows them");
  }
  std::string message = "\"" + std::string(text) + "\" is a prefix of " +
                        std::to_string(found.size()) + " ids; type more of it:";
  for (std::size_t i = found.size() - std::min<std::size_t>(found.size(), 5); i < found.size();
       ++i) {
    message += " " + found[i].folder.id();
  }
  return bad_request(message);
}

// Position of the next id after "run "; npos: there is none.
std::size_t next_id(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find("run ", from); at != text.npos; at = text.find("run ", at + 1)) {
    if (is_run_id(text.substr(at + 4, kIdBytes))) return at + 4;
  }
  return text.npos;
}

/// The sort key by which runs get their numbers: the id, which begins with the start time. An
/// imported run has the time of its import, so that it does not change the numbers of older runs.
std::string turn_of(const fs::path& folder) {
  auto imported = read_text(folder / kImportedFile, 256);
  if (!imported || imported->empty()) return folder.filename().string();
  return std::move(*imported);
}

void number_copies(std::vector<ListedRun>& runs, const RunNumbers& there) {
  if (there.empty()) return;
  for (ListedRun& run : runs) {
    const auto told = there.find(run.folder.id());
    run.number = told == there.end() ? 0 : told->second;
  }
}

std::vector<ListedRun> unnumbered_deleted(const fs::path& runs_dir) {
  std::vector<ListedRun> deleted;
  for (const RunId& id : trashed(runs_dir))
    deleted.push_back({runlog::RunFolder(trash_dir(runs_dir) / id)});
  return deleted;
}

/// Numbers all runs. Deleted runs keep their numbers, so that those of the others never change.
void number_all(const fs::path& runs_dir, std::vector<ListedRun>& runs,
                std::vector<ListedRun>& deleted) {
  std::vector<std::tuple<std::string, RunId, int*>> turns;
  for (auto* const all : {&runs, &deleted}) {
    for (ListedRun& run : *all)
      turns.emplace_back(turn_of(run.folder.path()), run.folder.id(), &run.number);
  }
  int of_nobody = 0;
  std::error_code ignored;
  for (const runlog::NotedRun& run : runlog::noted_runs(runs_dir)) {
    if (!fs::exists(runs_dir / run.id, ignored) &&
        !fs::exists(trash_dir(runs_dir) / run.id, ignored))
      turns.emplace_back(run.turn, run.id, &of_nobody);
  }
  std::ranges::sort(turns);
  int number = 0;
  for (const auto& turn : turns) *std::get<int*>(turn) = ++number;
  const RunNumbers there = copied_numbers(runs_dir);
  number_copies(runs, there);
  number_copies(deleted, there);
}

/// The ids of some runs, newest first, in the form in which they can be typed.
std::string some_of(const std::vector<ListedRun>& deleted) {
  constexpr std::size_t kMost = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(deleted.size(), kMost); ++i) {
    const ListedRun& run = deleted[deleted.size() - 1 - i];
    names += (i == 0 ? "" : ", ") + run.folder.id();
    if (run.number > 0) names += " (#" + std::to_string(run.number) + ")";
  }
  if (deleted.size() > kMost) names += " and " + std::to_string(deleted.size() - kMost) + " more";
  return names;
}

}  // namespace

bool holds_run(const fs::path& folder) {
  std::error_code ignored;
  const runlog::RunFolder run(folder);
  return fs::is_regular_file(run.spec_path(), ignored) ||
         fs::is_regular_file(run.log_path(0), ignored);
}

std::string name_runs(std::string text, std::span<const ListedRun> listed) {
  for (std::size_t at = next_id(text, 0); at != text.npos; at = next_id(text, at)) {
    const std::string id = text.substr(at, kIdBytes);
    const auto run = std::ranges::lower_bound(listed, id, {},
                                              [](const ListedRun& one) { return one.folder.id(); });
    if (run == listed.end() || run->folder.id() != id || run->number == 0) continue;
    text.replace(at, kIdBytes, "#" + std::to_string(run->number));
  }
  return text;
}

std::string name_runs(std::string text, const fs::path& runs_dir) {
  if (next_id(text, 0) == text.npos) return text;
  const auto listed = list_runs(runs_dir);
  return listed ? name_runs(std::move(text), *listed) : text;
}

Result<std::vector<ListedRun>> list_runs(const fs::path& runs_dir) {
  std::vector<ListedRun> runs;
  std::error_code error;
  const auto status = fs::status(runs_dir, error);
  if (status.type() == fs::file_type::not_found) return runs;
  for (fs::directory_iterator it(runs_dir, error), end; !error && it != end; it.increment(error)) {
    // A name that begins with a dot is the trash, or a run that is being copied.
    if (is_run_id(it->path().filename().string()) && holds_run(it->path()))
      runs.push_back({runlog::RunFolder(it->path())});
  }
  if (error) {
    return bad_request("cannot read the runs folder " + runs_dir.string() + ": " + error.message() +
                       "; choose another with --runs-dir or RINGSIDE_RUNS_DIR");
  }
  std::ranges::sort(runs,
                    [](const auto& a, const auto& b) { return a.folder.id() < b.folder.id(); });
  std::vector<ListedRun> deleted = unnumbered_deleted(runs_dir);
  number_all(runs_dir, runs, deleted);
  return runs;
}

Result<ListedRun> find_run(const fs::path& runs_dir, std::string_view text) {
  auto runs = RINGSIDE_TRY(list_runs(runs_dir));
  if (text.find('/') != text.npos || text == "." || text == "..") {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(fs::path(text), error);
    if (error || !holds_run(path)) {
      return bad_request(std::string(text) +
                         " is not a run folder: it has neither spec.toml nor node_0.log");
    }
    for (const auto& run : runs) {
      if (fs::equivalent(run.folder.path(), path, error)) return run;
    }
    return ListedRun{runlog::RunFolder(path)};
  }
  if (text.empty()) return bad_request("name a run: an id or its unique prefix, `last`, or a path");
  if (runs.empty()) {
    return bad_request("there are no runs in " + runs_dir.string() +
                       " yet; `ringside run demo` makes one");
  }
  if (text == "last") return runs.back();
  if (const auto number = short_number(text)) return by_number(runs_dir, runs, *number);
  return by_prefix(runs_dir, runs, text);
}

Result<ListedRun> find_deleted_run(const fs::path& runs_dir, std::string_view text) {
  auto runs = RINGSIDE_TRY(list_runs(runs_dir));
  std::vector<ListedRun> deleted = unnumbered_deleted(runs_dir);
  if (deleted.empty())
    return bad_request("there are no deleted runs in " + trash_dir(runs_dir).string());
  number_all(runs_dir, runs, deleted);
  const auto number = short_number(text);
  std::vector<ListedRun> meant;
  for (const ListedRun& run : deleted) {
    const bool named =
        number ? *number > 0 && run.number == *number : run.folder.id().starts_with(text);
    if (text == "last" || (named && !text.empty())) meant.push_back(run);
  }
  if (meant.size() == 1) return meant.front();
  if (meant.empty())
    return bad_request("no deleted run is \"" + std::string(text) + "\"; there are " +
                       some_of(deleted));
  return bad_request("\"" + std::string(text) + "\" can be " + std::to_string(meant.size()) +
                     " deleted runs; name one of them: " + some_of(meant));
}

}  // namespace ringside::runs
