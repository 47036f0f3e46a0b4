#include "gui/remote/follower.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "gui/place/run_place.h"
#include "gui/remote/left_threads.h"
#include "gui/remote/mirror.h"
#include "gui/runs/find_run.h"
#include "protocol/base/clock.h"

namespace ringside::remote {
namespace {

constexpr int kFreshMs = 250;
constexpr std::int64_t kListNs = 3'000'000'000;
constexpr int kLongestPauseS = 30;
constexpr std::int64_t kSteadyNs = 60'000'000'000;
// Polling interval for a queued job, which may wait for days and whose folder is on the cluster's
// file system.
constexpr std::int64_t kQueuedNs = 30'000'000'000;
// Limits for runs that nobody has opened: the list needs their logs, but not gigabytes of them.
constexpr std::uint64_t kMostUnaskedBytes = std::uint64_t{32} << 20;
constexpr std::size_t kMostUnasked = 50;  // runs
constexpr std::size_t kMostListed = 500;

}  // namespace

/// State shared with the thread; it may outlive the Follower.
struct Follower::Work {
  Work(Options made_of, std::unique_ptr<Connection> open, Changed tell)
      : options(std::move(made_of)),
        changed(std::move(tell)),
        mirror(options.folder, options.address, options.runs_dir),
        connection(std::move(open)) {}

  void follow();
  bool connect();
  Result<std::unique_ptr<Connection>> reach();
  /// Updates the copies until the connection is cut or the Follower is gone.
  void keep_fresh();
  Result<void> look();
  /// Tries all watched runs and returns the first failure.
  Result<void> bring_watched();
  Result<void> look_at_all();
  /// Fetches the state of Slurm's jobs on that machine.
  Result<void> look_at_queue();
  /// Whether the run is queued according to its copy, which was just updated; if so, Slurm's queue
  /// on that machine is polled.
  bool is_queued(const RunId& id);
  /// Updates the copies of waiting jobs: those whose last update is some time ago, or all.
  void bring_queued_again(bool all);
  Result<void> bring_listed(const RunId& id, bool live, bool whole);
  /// Forgets deleted runs. `newest`: the newest runs that exist; older ones are not listed.
  void forget_deleted(const std::set<RunId>& newest);
  bool goes_on_listing();
  bool pause_ms(int ms);
  template <class Change>
  void change(const Change& make);

  const Options options;
  const Changed changed;
  Mirror mirror;
  std::unique_ptr<Connection> connection;  ///< used by the thread; abandoned under the mutex
  std::set<RunId> listed;                  ///< at the last listing
  std::set<RunId> settled;                 ///< the listed runs that are no longer written
  std::set<RunId> complete;  ///< watched runs that are copied completely and no longer written
  std::set<RunId> fresh;     ///< watched runs that changed since the last listing
  std::int64_t listed_ns = 0;
  /// Slurm jobs that may still change, and when they were last updated.
  std::map<RunId, std::int64_t> queued;
  std::int64_t queue_ns = 0;
  Result<void> queue_told;  ///< result of the last query
  std::mutex mutex;
  std::condition_variable woken;
  FollowState state;
  std::set<RunId> watched;
  bool opened = false;  ///< a watched run that was not tried yet
  bool closing = false;
};

Follower::Follower(Options options, std::unique_ptr<Connection> open, Changed changed)
    : work_(std::make_shared<Work>(std::move(options), std::move(open), std::move(changed))),
      thread_([work = work_] { work->follow(); }) {}

Follower::~Follower() {
  {
    const std::lock_guard lock(work_->mutex);
    work_->closing = true;
    if (work_->connection) work_->connection->abandon();
  }
  work_->woken.notify_all();
  leave(std::move(thread_));
}

void Follower::watch(const RunId& id) {
  {
    const std::lock_guard lock(work_->mutex);
    work_->opened = work_->watched.insert(id).second || work_->opened;
  }
  work_->woken.notify_all();
}

FollowState Follower::state() const {
  const std::lock_guard lock(work_->mutex);
  return work_->state;
}

/// Changes the status and notifies under the mutex: after the end of the Follower nothing is
/// notified.
template <class Change>
void Follower::Work::change(const Change& make) {
  const std::lock_guard lock(mutex);
  make(state);
  if (!closing && changed) changed(state);
}

/// Sleeps; false if the Follower is gone.
bool Follower::Work::pause_ms(int ms) {
  std::unique_lock lock(mutex);
  woken.wait_for(lock, std::chrono::milliseconds(ms), [this] { return closing; });
  return !closing;
}

void Follower::Work::follow() {
  bool was_there = false;
  for (int pause_s = 1;; pause_s = std::min(2 * pause_s, kLongestPauseS)) {
    if (connect()) {
      was_there = true;
      change([](FollowState& now) {
        now.contact = Contact::kThere;
        now.sentence.clear();
      });
      const std::int64_t since_ns = mono_now_ns();
      keep_fresh();
      // A connection that keeps being cut counts like a machine that does not answer.
      if (mono_now_ns() - since_ns > kSteadyNs) pause_s = 1;
    } else if (!was_there) {
      change([](FollowState& now) { now.contact = Contact::kFailed; });
      return;
    }
    change([&](FollowState& now) {
      now.contact = Contact::kLost;
      now.retry_s = pause_s;
    });
    if (!pause_ms(1000 * pause_s)) return;
  }
}

bool Follower::Work::connect() {
  if (connection) return true;
  auto reached = reach();
  const std::lock_guard lock(mutex);
  // The connection is closed on this thread, not by whoever destroys the Follower.
  if (closing) return false;
  if (reached) connection = std::move(*reached);
  if (!reached) state.sentence = reached.error().message;
  return connection != nullptr;
}

/// Connects, and asks for the studies: a host that greets may still hang at the first file that it
/// opens, so it counts as reached only once it has answered.
Result<std::unique_ptr<Connection>> Follower::Work::reach() {
  const auto left = [this] {
    const std::lock_guard lock(mutex);
    return closing;
  };
  auto reached = RINGSIDE_TRY(Connection::open(options.address, left, options.most_silent_ms));
  const auto answer = reached->ask(ListStudies{options.runs_dir});
  if (!answer && reached->lost()) return pass(answer);
  return reached;
}

void Follower::Work::keep_fresh() {
  queue_ns = 0;
  do {
    const auto looked = look();
    const std::string problem = looked ? std::string() : looked.error().message;
    if (problem != state.sentence) change([&](FollowState& now) { now.sentence = problem; });
    if (looked) continue;
    if (connection->lost()) break;
  } while (pause_ms(kFreshMs));
  std::unique_ptr<Connection> gone;
  const std::lock_guard lock(mutex);
  gone = std::move(connection);
}

Result<void> Follower::Work::look() {
  bring_queued_again(false);
  auto brought = bring_watched();
  if (!brought && connection->lost()) return brought;
  if (queued.empty()) queue_told = {};
  if (!queued.empty() && (queue_ns == 0 || mono_now_ns() - queue_ns > kListNs)) {
    queue_told = look_at_queue();
    if (!queue_told && connection->lost()) return queue_told;
  }
  if (options.list && (listed_ns == 0 || mono_now_ns() - listed_ns > kListNs)) {
    if (auto looked = look_at_all(); !looked) return looked;
  }
  return brought ? queue_told : brought;
}

Result<void> Follower::Work::bring_watched() {
  std::vector<RunId> wanted;
  {
    const std::lock_guard lock(mutex);
    wanted.assign(watched.begin(), watched.end());
    opened = false;
  }
  Result<void> outcome;
  for (const RunId& id : wanted) {
    if (complete.count(id) > 0) continue;
    const auto copied = mirror.bring(*connection, id);
    if (!copied) {
      if (outcome) outcome = pass(copied);
      if (connection->lost()) return outcome;
      // The run was deleted on its machine, so asking again would be refused again.
      const std::lock_guard lock(mutex);
      if (copied.error().kind != ErrorKind::kRequest) continue;
      watched.erase(id);
      if (!options.list) mirror.forget(id);  // otherwise the list reports it
      continue;
    }
    if (copied->changed) fresh.insert(id);
    // The list shows when an agent has the run again.
    const bool again = is_queued(id) || options.list;
    if (again && !copied->live && copied->whole) complete.insert(id);
  }
  return outcome;
}

Result<void> Follower::Work::look_at_queue() {
  queue_ns = mono_now_ns();  // a failed query is not repeated at once
  const auto brought = RINGSIDE_TRY(mirror.bring_queue(*connection));
  if (!brought) return {};
  bring_queued_again(true);
  change([](FollowState& now) { ++now.brought; });
  return {};
}

void Follower::Work::bring_queued_again(bool all) {
  // Only the list shows that an agent has the run.
  const std::int64_t pause_ns = options.list ? kQueuedNs : kListNs;
  const std::int64_t now_ns = mono_now_ns();
  for (const auto& [id, brought_ns] : queued) {
    if (!all && now_ns - brought_ns < pause_ns) continue;
    settled.erase(id);
    complete.erase(id);
  }
}

bool Follower::Work::is_queued(const RunId& id) {
  const bool open = place::is_open(mirror.run(id));
  if (open) queued[id] = mono_now_ns();
  if (!open) queued.erase(id);
  return open;
}

/// A run that somebody opens does not wait for the rest of a list.
bool Follower::Work::goes_on_listing() {
  const std::lock_guard lock(mutex);
  return !closing && !opened;
}

/// The newest runs come first, as people look for those.
Result<void> Follower::Work::look_at_all() {
  if (listed_ns == 0) {  // a listed run may have been deleted while the connection was down
    if (const auto copies = runs::list_runs(options.folder))
      for (const runs::ListedRun& run : *copies) listed.insert(run.folder.id());
  }
  const auto answer = RINGSIDE_TRY(connection->ask(ListRuns{options.runs_dir, kMostListed}));
  std::vector<std::pair<RunId, bool>> runs;
  std::set<RunId> ids;
  runs::RunNumbers numbers;
  try {
    for (const auto& row : answer.at("runs")) {
      runs.emplace_back(row.at("id").get<std::string>(), row.at("live").get<bool>());
      ids.insert(runs.back().first);
      numbers[runs.back().first] = row.value("number", 0);
    }
  } catch (const nlohmann::json::exception&) {
    return failure(text_of(options.address) + " lists its runs in a form that is not known here");
  }
  if (auto taken = mirror.take_numbers(numbers, true); !taken) return taken;
  forget_deleted(ids);
  std::reverse(runs.begin(), runs.end());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!goes_on_listing()) return {};
    const auto& [id, live] = runs[i];
    if (live) {
      settled.erase(id);
      complete.erase(id);
    }
    if (settled.count(id) > 0) continue;
    const auto brought = bring_listed(id, live, i < kMostUnasked);
    // A run that was deleted or cannot be read is left out of the list; the others stay.
    if (!brought && connection->lost()) return brought;
  }
  if (auto brought = mirror.bring_studies(*connection); !brought) return brought;
  listed_ns = mono_now_ns();
  change([](FollowState& now) { now.listed = true; });
  return {};
}

void Follower::Work::forget_deleted(const std::set<RunId>& newest) {
  // If the list was full, older runs may exist without being listed.
  const bool all = newest.size() < kMostListed;
  for (const RunId& id : listed) {
    const bool told = newest.empty() || newest.count(id) > 0 || (!all && id < *newest.begin());
    if (told) continue;
    settled.erase(id);
    complete.erase(id);
    queued.erase(id);
    mirror.forget(id);
  }
  listed = newest;
}

Result<void> Follower::Work::bring_listed(const RunId& id, bool live, bool whole) {
  const auto head = RINGSIDE_TRY(mirror.bring_head(*connection, id));
  bool news = fresh.erase(id) > 0 || head;
  bool kept = false;
  if (whole) {
    const auto copied = RINGSIDE_TRY(mirror.bring(*connection, id, kMostUnaskedBytes));
    live = live || copied.live;
    kept = copied.kept;
    news = news || copied.changed;
  }
  const bool waits = is_queued(id);
  if (!live && (waits || !kept)) settled.insert(id);
  if (news) change([](FollowState& now) { ++now.brought; });
  return {};
}

}  // namespace ringside::remote
