#include "gui/runs/run_list.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <set>
#include <utility>

#include "gui/runs/trash.h"
#include "protocol/base/clock.h"

namespace ringside::runs {
namespace {

/// A folder whose time is younger may change again without showing it: times of files are coarse.
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

}  // namespace

std::int64_t wall_ns_of(const RunId& id) {
  std::tm parts{};
  const char* end = ::strptime(id.c_str(), "%Y%m%dT%H%M%SZ", &parts);
  if (end == nullptr) return 0;
  return static_cast<std::int64_t>(::timegm(&parts)) * 1'000'000'000;
}

RunList::RunList(std::filesystem::path runs_dir, Catalogue::ReadFigures read_figures,
                 const std::filesystem::path& cache)
    : runs_dir_(std::move(runs_dir)),
      cache_(cache),
      catalogue_(runs_dir_, [this, read = std::move(read_figures)](const runlog::RunFolder& folder,
                                                                   const messages::RunSpec& spec) {
        const LogStamps stamps = stamps_of(folder, spec);
        if (const RunFigures* cached = cache_.find(folder.id(), stamps)) return *cached;
        RunFigures figures = read(folder, spec);
        // Of a log that grows the figures are old before they are written.
        const bool whole = leave_ == nullptr || !*leave_;
        if (whole && agent_presence(folder) != AgentPresence::kAlive)
          cache_.put(folder.id(), stamps, figures);
        return figures;
      }) {}

LogStamps RunList::stamps_of(const runlog::RunFolder& folder, const messages::RunSpec& spec) const {
  LogStamps stamps{stamp_of(folder.log_path(0)), {}};
  const std::string& baseline = spec.baseline.run;
  if (!baseline.empty() && baseline.find('/') == std::string::npos) {
    const runlog::RunFolder beside(folder.path().parent_path() / baseline);
    stamps.baseline = stamp_of(beside.log_path(0));
  }
  return stamps;
}

/// True when folders came or went.
Result<bool> RunList::list() {
  const FileStamp folder = stamp_of(runs_dir_);
  const FileStamp trash = stamp_of(trash_dir(runs_dir_));
  if (listing_settled_ && folder == listed_folder_ && trash == listed_trash_) return false;
  auto found = list_runs(runs_dir_);
  if (!found) return pass(found);
  const std::int64_t youngest = std::max(folder.changed_ns, trash.changed_ns);
  listing_settled_ = SystemClock().wall_ns() - youngest > kSettledNs;
  listed_folder_ = folder;
  listed_trash_ = trash;
  const bool same = std::equal(found->begin(), found->end(), listed_.begin(), listed_.end(),
                               [](const ListedRun& a, const ListedRun& b) {
                                 return a.number == b.number && a.folder.path() == b.folder.path();
                               });
  if (same) return false;
  listed_ = std::move(*found);
  std::set<RunId> present;
  for (const ListedRun& run : listed_) present.insert(run.folder.id());
  std::erase_if(known_, [&present](const auto& entry) { return !present.contains(entry.first); });
  return true;
}

bool RunList::changed_on_disk(const ListedRun& run, const Known& known) const {
  return known.may_change || known.summary.number != run.number ||
         stamp_of(run.folder.path()) != known.folder ||
         stamp_of(run.folder.log_path(0)) != known.log;
}

void RunList::read(const ListedRun& run, Known& known) {
  // Looked at before reading: what changes meanwhile is read again the next time.
  known.folder = stamp_of(run.folder.path());
  known.log = stamp_of(run.folder.log_path(0));
  known.summary = catalogue_.summary(run);
  known.may_change =
      !known.summary.state.ended || agent_presence(run.folder) != AgentPresence::kLeft;
}

std::vector<RunSummary> RunList::summaries() const {
  std::vector<RunSummary> all;
  all.reserve(listed_.size());
  for (auto run = listed_.rbegin(); run != listed_.rend(); ++run) {
    const auto known = known_.find(run->folder.id());
    all.push_back(known == known_.end() ? unread_summary(*run) : known->second.summary);
  }
  return all;
}

void RunList::save_cache() {
  std::vector<RunId> present;
  present.reserve(listed_.size());
  for (const ListedRun& run : listed_) present.push_back(run.folder.id());
  // Without a cache the next start reads the logs again; nobody has to be told.
  (void)cache_.save(present);
}

Result<RunList::Part> RunList::poll(std::int64_t budget_ns, bool everywhere,
                                    const std::atomic<bool>& leave) {
  const std::int64_t begun_ns = mono_now_ns();
  leave_ = &leave;
  const auto listed = list();
  if (!listed) return pass(listed);
  Part part;
  part.changed = *listed;
  std::size_t logs = 0;
  for (auto run = listed_.rbegin(); run != listed_.rend() && !leave; ++run) {
    auto known = known_.find(run->folder.id());
    if (known == known_.end()) {
      // One at least, so that the smallest budget comes to an end.
      if (logs > 0 && mono_now_ns() - begun_ns > budget_ns) {
        ++part.unread;
        continue;
      }
      known = known_.emplace(run->folder.id(), Known{unread_summary(*run), {}, {}, true}).first;
      read(*run, known->second);
      ++logs;
      part.changed = true;
      continue;
    }
    Known& entry = known->second;
    const bool suspect = everywhere || entry.may_change || *listed;
    if (!suspect || !changed_on_disk(*run, entry)) continue;
    const RunSummary before = entry.summary;
    const FileStamp log = entry.log;
    read(*run, entry);
    part.changed = part.changed || log != entry.log || before.number != entry.summary.number ||
                   before.state.word != entry.summary.state.word ||
                   before.labels != entry.summary.labels || before.name != entry.summary.name;
  }
  if (part.unread == 0) save_cache();
  if (part.changed) part.runs = summaries();
  return part;
}

}  // namespace ringside::runs
