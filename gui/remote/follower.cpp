#include "gui/remote/follower.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "protocol/base/clock.h"

namespace ringside::remote {
namespace {

constexpr int kFreshMs = 250;
constexpr std::int64_t kListNs = 3'000'000'000;
constexpr int kLongestPauseS = 30;
// Of a run that nobody has opened: its list needs its log, but not gigabytes of it.
constexpr std::uint64_t kMostUnaskedBytes = std::uint64_t{32} << 20;
constexpr std::size_t kMostUnasked = 50;  // runs
constexpr std::size_t kMostListed = 500;

}  // namespace

Follower::Follower(Options options, std::unique_ptr<Connection> open, Changed changed)
    : options_(std::move(options)),
      changed_(std::move(changed)),
      mirror_(options_.folder, options_.address, options_.runs_dir),
      connection_(std::move(open)),
      thread_([this] { follow(); }) {}

Follower::~Follower() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    if (connection_) connection_->abandon();
  }
  woken_.notify_all();
  thread_.join();
}

void Follower::watch(const RunId& id) {
  {
    const std::lock_guard lock(mutex_);
    opened_ = watched_.insert(id).second || opened_;
  }
  woken_.notify_all();
}

FollowState Follower::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

template <class Change>
void Follower::change(const Change& make) {
  FollowState now;
  {
    const std::lock_guard lock(mutex_);
    make(state_);
    if (closing_) return;  // that it ends is no news
    now = state_;
  }
  if (changed_) changed_(now);
}

/// False when this object ends.
bool Follower::pause_ms(int ms) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return closing_; });
  return !closing_;
}

void Follower::follow() {
  bool was_there = false;
  for (int pause_s = 1;; pause_s = std::min(2 * pause_s, kLongestPauseS)) {
    if (connect()) {
      was_there = true;
      pause_s = 1;
      change([](FollowState& state) {
        state.contact = Contact::kThere;
        state.sentence.clear();
      });
      keep_fresh();
    } else if (!was_there) {
      change([](FollowState& state) { state.contact = Contact::kFailed; });
      return;
    }
    change([&](FollowState& state) {
      state.contact = Contact::kLost;
      state.retry_s = pause_s;
    });
    if (!pause_ms(1000 * pause_s)) return;
  }
}

bool Follower::connect() {
  if (connection_) return true;
  auto opened = Connection::open(options_.address, [this] {
    const std::lock_guard lock(mutex_);
    return closing_;
  });
  const std::lock_guard lock(mutex_);
  if (opened) connection_ = std::move(*opened);
  if (!opened) state_.sentence = opened.error().message;
  return connection_ != nullptr && !closing_;
}

void Follower::keep_fresh() {
  do {
    const auto looked = look();
    const std::string problem = looked ? std::string() : looked.error().message;
    if (problem != state().sentence) change([&](FollowState& state) { state.sentence = problem; });
    if (looked) continue;
    if (connection_->lost()) break;
  } while (pause_ms(kFreshMs));
  std::unique_ptr<Connection> gone;
  const std::lock_guard lock(mutex_);
  gone = std::move(connection_);
}

Result<void> Follower::look() {
  auto brought = bring_watched();
  if (!brought && connection_->lost()) return brought;
  if (options_.list && (listed_ns_ == 0 || mono_now_ns() - listed_ns_ > kListNs)) {
    if (auto looked = look_at_all(); !looked) return looked;
  }
  return brought;
}

Result<void> Follower::bring_watched() {
  std::vector<RunId> watched;
  {
    const std::lock_guard lock(mutex_);
    watched.assign(watched_.begin(), watched_.end());
    opened_ = false;
  }
  Result<void> outcome;
  for (const RunId& id : watched) {
    if (complete_.count(id) > 0) continue;
    const auto copied = mirror_.bring(*connection_, id);
    if (!copied) {
      if (outcome) outcome = pass(copied);
      if (connection_->lost()) return outcome;
      // It was deleted there: asked again it is refused again.
      const std::lock_guard lock(mutex_);
      if (copied.error().kind == ErrorKind::kRequest) watched_.erase(id);
      continue;
    }
    // The list tells when somebody resumes it.
    if (options_.list && !copied->live && copied->whole) complete_.insert(id);
  }
  return outcome;
}

/// What somebody opens does not wait for the rest of a list.
bool Follower::goes_on_listing() {
  const std::lock_guard lock(mutex_);
  return !closing_ && !opened_;
}

/// Newest first: those are looked for.
Result<void> Follower::look_at_all() {
  const auto answer =
      connection_->ask({{"do", "runs"}, {"runs_dir", options_.runs_dir}, {"newest", kMostListed}});
  if (!answer) return pass(answer);
  std::vector<std::pair<RunId, bool>> runs;
  std::set<RunId> ids;
  try {
    for (const auto& row : answer->at("runs")) {
      runs.emplace_back(row.at("id").get<std::string>(), row.at("live").get<bool>());
      ids.insert(runs.back().first);
    }
  } catch (const nlohmann::json::exception&) {
    return failure(text_of(options_.address) + " lists its runs in a form that is not known here");
  }
  forget_deleted(ids);
  std::reverse(runs.begin(), runs.end());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!goes_on_listing()) return {};
    const auto& [id, live] = runs[i];
    if (live) {
      settled_.erase(id);
      complete_.erase(id);
    }
    if (settled_.count(id) > 0) continue;
    const auto brought = bring_listed(id, live, i < kMostUnasked);
    // A run that was deleted or cannot be read is none of the list; the others are.
    if (!brought && connection_->lost()) return brought;
  }
  listed_ns_ = mono_now_ns();
  change([](FollowState& state) { state.listed = true; });
  return {};
}

void Follower::forget_deleted(const std::set<RunId>& newest) {
  for (const RunId& id : listed_) {
    const bool gone = !newest.empty() && id > *newest.begin() && newest.count(id) == 0;
    if (!gone) continue;
    settled_.erase(id);
    complete_.erase(id);
    mirror_.forget(id);
  }
  listed_ = newest;
}

Result<void> Follower::bring_listed(const RunId& id, bool live, bool whole) {
  if (auto head = mirror_.bring_head(*connection_, id); !head) return head;
  if (whole) {
    const auto copied = mirror_.bring(*connection_, id, kMostUnaskedBytes);
    if (!copied) return pass(copied);
    live = live || copied->live;
  }
  if (!live) settled_.insert(id);
  change([](FollowState& state) { ++state.brought; });
  return {};
}

}  // namespace ringside::remote
