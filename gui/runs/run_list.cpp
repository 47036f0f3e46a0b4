#include "gui/runs/run_list.h"

#include <algorithm>
#include <ctime>
#include <set>
#include <utility>

#include "gui/runs/run_figures.h"
#include "gui/runs/trash.h"
#include "protocol/base/clock.h"

namespace ringside::runs {
namespace {

/// A folder that changed more recently than this may change again without a new time, as file times
/// are coarse.
constexpr std::int64_t kSettledNs = 2'000'000'000;

RunSummary unread_summary(const ListedRun& run) {
  RunSummary summary{.folder = run.folder,
                     .number = run.number,
                     .name = run.folder.id(),
                     .labels = {},
                     .spec = {},
                     .recipe = {},
                     .state = {},
                     .figures = {},
                     .problem = {},
                     .read = false};
  summary.figures.started_wall_ns = wall_ns_of(run.folder.id());
  return summary;
}

FileStamp unsent_stamp(const runlog::RunFolder& folder) {
  const std::int32_t attempt = folder.attempts() - 1;
  FileStamp all;
  for (const Rank rank : folder.ranks_with_unsent(attempt)) {
    const FileStamp one = stamp_of(folder.unsent_path(attempt, rank));
    all.size_bytes += one.size_bytes;
    all.changed_ns = std::max(all.changed_ns, one.changed_ns);
  }
  return all;
}

LogStamps stamps_of(const runlog::RunFolder& folder, const messages::RunSpec& spec) {
  LogStamps stamps{log_stamp(folder, spec), {}, unsent_stamp(folder)};
  if (const auto baseline = baseline_folder(folder, spec))
    stamps.baseline = stamp_of(baseline->log_path(0));
  return stamps;
}

}  // namespace

std::int64_t wall_ns_of(const RunId& id) {
  std::tm parts{};
  const char* end = ::strptime(id.c_str(), "%Y%m%dT%H%M%SZ", &parts);
  if (end == nullptr) return 0;
  return static_cast<std::int64_t>(::timegm(&parts)) * 1'000'000'000;
}

RunList::RunList(std::filesystem::path runs_dir, std::filesystem::path file)
    : runs_dir_(std::move(runs_dir)), file_(std::move(file)) {}

void RunList::load() {
  if (std::exchange(loaded_, true) || file_.empty()) return;
  for (auto& [id, kept] : read_figure_file(file_)) {
    Known known{unread_summary({runlog::RunFolder(runs_dir_ / id), 0}), {}, kept.stamps};
    known.summary.figures = std::move(kept.figures);
    known.keep = true;
    known_.emplace(id, std::move(known));
  }
}

/// Returns whether folders were added or removed.
Result<bool> RunList::list() {
  const FileStamp folder = stamp_of(runs_dir_);
  const FileStamp trash = stamp_of(trash_dir(runs_dir_));
  if (listing_settled_ && folder == listed_folder_ && trash == listed_trash_) return false;
  auto found = RINGSIDE_TRY(list_runs(runs_dir_));
  const std::int64_t youngest = std::max(folder.changed_ns, trash.changed_ns);
  listing_settled_ = SystemClock().wall_ns() - youngest > kSettledNs;
  listed_folder_ = folder;
  listed_trash_ = trash;
  const bool same = std::equal(found.begin(), found.end(), listed_.begin(), listed_.end(),
                               [](const ListedRun& a, const ListedRun& b) {
                                 return a.number == b.number && a.folder.path() == b.folder.path();
                               });
  if (same) return false;
  listed_ = std::move(found);
  std::set<RunId> present;
  for (const ListedRun& run : listed_) present.insert(run.folder.id());
  std::erase_if(known_, [&present](const auto& entry) { return !present.contains(entry.first); });
  return true;
}

bool RunList::changed_on_disk(const ListedRun& run, const Known& known) const {
  return known.may_change || known.summary.number != run.number ||
         stamp_of(run.folder.path()) != known.folder ||
         log_stamp(run.folder, known.summary.spec) != known.logs.log ||
         unsent_stamp(run.folder) != known.logs.unsent;
}

void RunList::read(const ListedRun& run, Known& known, const std::atomic<bool>& leave) {
  // The stamp is taken before reading, so that later changes are read the next time.
  known.folder = stamp_of(run.folder.path());
  RunSummary now = read_folder(run);
  const LogStamps logs = stamps_of(run.folder, now.spec);
  const bool has_figures = known.read || known.keep;
  if (has_figures && known.logs == logs) {
    add_figures(now, std::move(known.summary.figures));
  } else {
    const auto stay = [&leave](std::uint64_t, std::uint64_t) { return !leave; };
    add_figures(now, read_figures(run.folder, now.spec, stay));
    known.logs = logs;
    // Figures of a growing log are not cached: they would be outdated at once.
    known.keep = !leave && now.presence != AgentPresence::kAlive;
    unsaved_ = unsaved_ || known.keep;
  }
  known.summary = std::move(now);
  known.read = true;
  known.may_change = !known.summary.state.ended || known.summary.presence != AgentPresence::kLeft;
}

/// Returns whether anything that is shown has changed.
bool RunList::look_again(const ListedRun& run, Known& known, const std::atomic<bool>& leave) {
  if (!changed_on_disk(run, known)) return false;
  const RunSummary before = known.summary;
  const LogStamps logs = known.logs;
  read(run, known, leave);
  const RunSummary& now = known.summary;
  return logs != known.logs || before.number != now.number || before.state.word != now.state.word ||
         (now.report && before.state.detail != now.state.detail) || before.labels != now.labels ||
         before.name != now.name || before.baseline != now.baseline;
}

std::vector<RunSummary> RunList::summaries() const {
  std::vector<RunSummary> all;
  all.reserve(listed_.size());
  for (auto run = listed_.rbegin(); run != listed_.rend(); ++run) {
    const auto known = known_.find(run->folder.id());
    const bool read = known != known_.end() && known->second.read;
    all.push_back(read ? known->second.summary : unread_summary(*run));
  }
  return all;
}

void RunList::save() {
  if (file_.empty() || !std::exchange(unsaved_, false)) return;
  std::vector<FiguresToKeep> all;
  for (const auto& [id, known] : known_) {
    if (known.keep) all.push_back({id, known.logs, known.summary.figures});
  }
  // An error is ignored: without the file the next start only reads the logs again.
  (void)write_figure_file(file_, all);
}

Result<RunList::Part> RunList::poll(std::int64_t budget_ns, bool everywhere,
                                    const std::atomic<bool>& leave) {
  const std::int64_t begun_ns = mono_now_ns();
  load();
  const auto listed = RINGSIDE_TRY(list());
  Part part;
  part.changed = listed;
  std::size_t logs = 0;
  for (auto run = listed_.rbegin(); run != listed_.rend() && !leave; ++run) {
    auto entry = known_.find(run->folder.id());
    if (entry == known_.end())
      entry = known_.emplace(run->folder.id(), Known{unread_summary(*run), {}, {}}).first;
    Known& known = entry->second;
    if (known.read) {
      const bool suspect = everywhere || known.may_change || listed;
      if (suspect && look_again(*run, known, leave)) part.changed = true;
    } else if (logs > 0 && mono_now_ns() - begun_ns > budget_ns) {
      // At least one log is read, so that even the smallest budget makes progress.
      ++part.unread;
    } else {
      read(*run, known, leave);
      ++logs;
      part.changed = true;
    }
  }
  if (part.unread == 0) save();
  if (part.changed) part.runs = summaries();
  return part;
}

}  // namespace ringside::runs
