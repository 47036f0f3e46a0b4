#include "protocol/runlog/log_merge.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace ringside::runlog {
namespace {

// Limits for times from damaged logs, so that sums of them cannot overflow.
constexpr std::int64_t kWall = std::int64_t{1} << 61;
constexpr std::int64_t kMono = std::int64_t{1} << 60;
constexpr std::int64_t kOffset = std::int64_t{1} << 59;
std::int64_t wall(std::int64_t ns) { return std::clamp(ns, -kWall, kWall); }
std::int64_t mono(std::int64_t ns) { return std::clamp(ns, -kMono, kMono); }
std::int64_t offset(std::int64_t ns) { return std::clamp(ns, -kOffset, kOffset); }

// Larger jumps of the base mean a different clock (another machine or boot), since running clocks
// are adjusted by less.
constexpr std::int64_t kOtherClockNs = 5'000'000'000;

}  // namespace

class LogMerge::Input final : public messages::RecordSink {
 public:
  explicit Input(LogMerge& merge) : merge_(&merge) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    merge_->add(*this, stamp, record);
  }

  void belong_to(LogMerge& merge) { merge_ = &merge; }

  Node node = 0;
  std::deque<Entry> queue;
  std::int64_t base_ns = 0;                 // the node's wall clock minus its monotonic clock
  std::optional<std::int64_t> to_first_ns;  // node 0's monotonic clock minus this node's
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_base_ns = last_ns;
  bool ended = false;
  std::size_t old = 0;  // number of entries that were queued before the last release_old

 private:
  LogMerge* merge_;
};

LogMerge::LogMerge() = default;
LogMerge::~LogMerge() = default;

LogMerge::LogMerge(LogMerge&& other) noexcept
    : inputs_(std::move(other.inputs_)),
      heads_(std::move(other.heads_)),
      waiting_(std::exchange(other.waiting_, 0)) {
  for (auto& [node, input] : inputs_) input->belong_to(*this);
}

LogMerge& LogMerge::operator=(LogMerge&& other) noexcept {
  inputs_ = std::move(other.inputs_);
  heads_ = std::move(other.heads_);
  waiting_ = std::exchange(other.waiting_, 0);
  for (auto& [node, input] : inputs_) input->belong_to(*this);
  return *this;
}

messages::RecordSink& LogMerge::input(Node node) {
  auto& input = inputs_[node];
  if (!input) {
    input = std::make_unique<Input>(*this);
    input->node = node;
  }
  return *input;
}

void LogMerge::set_identity(Node node, const LogIdentity& identity) {
  auto& input = static_cast<Input&>(this->input(node));
  if (input.base_ns == 0) input.base_ns = wall(identity.wall_ns) - mono(identity.mono_ns);
}

void LogMerge::set_ended(Node node, bool ended) { static_cast<Input&>(input(node)).ended = ended; }

bool LogMerge::has(Node node) const {
  const auto found = inputs_.find(node);
  return found != inputs_.end() && !found->second->queue.empty();
}

// Once a node's clock has been compared with node 0's, only the wall clock of node 0 is used.
std::int64_t LogMerge::base_ns(const Input& from) const {
  const auto first = inputs_.find(0);
  const bool compared = from.to_first_ns && first != inputs_.end() && first->second->base_ns != 0;
  return compared ? first->second->base_ns + *from.to_first_ns : from.base_ns;
}

// Comparisons with the previous clock do not apply to the new one.
void LogMerge::set_base(Input& from, std::int64_t base_ns) {
  const bool other = from.base_ns != 0 && std::abs(base_ns - from.base_ns) > kOtherClockNs;
  from.base_ns = base_ns;
  if (!other) return;
  from.to_first_ns.reset();
  if (from.node != 0) return;
  for (auto& [node, input] : inputs_) input->to_first_ns.reset();
}

// This log's clock was ahead: none of its records so far was made after `at_ns`.
void LogMerge::put_back(Input& from, std::int64_t at_ns) {
  from.last_ns = at_ns;
  for (auto entry = from.queue.rbegin(); entry != from.queue.rend() && entry->at_ns > at_ns;
       ++entry)
    entry->at_ns = at_ns;
  heads_ = {};
  for (const auto& [node, input] : inputs_) {
    if (!input->queue.empty()) heads_.push({input->queue.front().at_ns, node});
  }
}

void LogMerge::add(Input& from, const messages::Stamp& stamp, const messages::Record& record) {
  if (const auto* state = std::get_if<messages::RankState>(&record);
      state != nullptr && stamp.rank == kNoRank && state->wall_ns != 0) {
    // A restarted agent may run after a reboot, so its monotonic clock may have a new base.
    set_base(from, wall(state->wall_ns) - mono(stamp.mono_ns));
  }
  if (const auto* sync = std::get_if<messages::ClockSync>(&record)) {
    const bool of_agent = stamp.rank == kNoRank;
    if (of_agent && stamp.node != 0 && sync->peer == 0) from.to_first_ns = offset(sync->offset_ns);
    const auto peer = of_agent && stamp.node == 0 ? inputs_.find(sync->peer) : inputs_.end();
    if (peer != inputs_.end() && sync->peer != 0)
      peer->second->to_first_ns = -offset(sync->offset_ns);
  }
  // A clock adjustment must not move a record before an earlier one of the same log.
  const std::int64_t base = base_ns(from);
  const std::int64_t at_ns = mono(stamp.mono_ns) + base;
  if (base < from.last_base_ns && at_ns < from.last_ns) put_back(from, at_ns);
  from.last_base_ns = base;
  from.last_ns = std::max(from.last_ns, at_ns);
  if (from.queue.empty()) heads_.push({from.last_ns, from.node});
  from.queue.push_back({from.last_ns, stamp, record});
  ++waiting_;
}

bool LogMerge::anyone_silent() const {
  return std::any_of(inputs_.begin(), inputs_.end(), [](const auto& entry) {
    return entry.second->queue.empty() && !entry.second->ended;
  });
}

LogMerge::Popped LogMerge::pop(messages::RecordSink& to) {
  Input& from = *inputs_[heads_.top().node];
  heads_.pop();
  const Entry entry = std::move(from.queue.front());
  from.queue.pop_front();
  const Popped popped{from.queue.empty() && !from.ended, from.old > 0};
  if (popped.old) --from.old;
  --waiting_;
  if (!from.queue.empty()) heads_.push({from.queue.front().at_ns, from.node});
  to.accept(entry.stamp, entry.record);
  return popped;
}

void LogMerge::release(messages::RecordSink& to) {
  bool silent = anyone_silent();
  while (waiting_ > 0 && !silent) silent = pop(to).silent;
}

void LogMerge::release_old(messages::RecordSink& to) {
  release(to);
  std::size_t old = 0;
  for (const auto& [node, input] : inputs_) old += input->old;
  while (old > 0) old -= pop(to).old ? 1U : 0U;
  for (auto& [node, input] : inputs_) input->old = input->queue.size();
}

void LogMerge::release_all(messages::RecordSink& to) {
  while (waiting_ > 0) pop(to);
}

}  // namespace ringside::runlog
