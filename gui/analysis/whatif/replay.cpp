#include "gui/analysis/whatif/replay.h"

#include <algorithm>
#include <limits>
#include <span>

namespace ringside::analysis {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Replays consecutive steps from the first to the last.
class Replay {
 public:
  Replay(const WorkedSteps& all, std::span<const WorkedStep> steps)
      : cores_(all.cores), steps_(steps), buckets_(all.bucket_bytes.size()) {
    runners_.resize(steps.front().ranks.size());
    computing_.resize(runners_.size() + 1);
    ready_.resize(steps.size() * buckets_);
    lengths_.resize(steps.size());
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      runners_[i].begin_ns = runners_[i].until_ns = steps.front().ranks[i].begin_ns;
      runners_[i].state = State::kBegins;
    }
  }

  std::vector<double> play() {
    now_ns_ = kNever;
    for (const Runner& runner : runners_) now_ns_ = std::min(now_ns_, runner.until_ns);
    for (;;) {
      double next = kNever;
      for (std::size_t i = 0; i < runners_.size(); ++i) next = std::min(next, next_turn(i));
      if (next == kNever) break;
      pass_to(next);
      for (std::size_t i = 0; i < runners_.size(); ++i) {
        if (next_turn(i) <= now_ns_) turn(i);
      }
    }
    return lengths_;
  }

 private:
  enum class State { kBegins, kComputes, kAsleep, kComputesOn, kWaits, kDone };
  struct Runner {
    State state = State::kBegins;
    std::size_t step = 0;
    std::size_t piece = 0;
    double begin_ns = 0;  ///< begin of its step
    double until_ns = 0;  ///< end of its sleep or wait
    double left_ns = 0;   ///< remaining work
  };

  static bool computes(const Runner& runner) {
    return runner.state == State::kComputes || runner.state == State::kComputesOn;
  }
  const WorkedRank& work_of(std::size_t i) const { return steps_[runners_[i].step].ranks[i]; }
  std::size_t group_of(std::size_t i) const { return cores_.group_of[i]; }
  double speed_of(std::size_t i) const {
    return cores_.speed(group_of(i), computing_[group_of(i)]);
  }

  double next_turn(std::size_t i) const {
    const Runner& runner = runners_[i];
    if (runner.state == State::kDone) return kNever;
    if (!computes(runner)) return runner.until_ns;
    return now_ns_ + runner.left_ns / speed_of(i);
  }

  void pass_to(double next) {
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (!computes(runners_[i])) continue;
      const double speed = speed_of(i);
      // A remainder caused by rounding must not need another iteration.
      const double left = runners_[i].left_ns - (next - now_ns_) * speed;
      runners_[i].left_ns = left < 1e-3 ? 0 : left;
    }
    now_ns_ = next;
  }

  void turn(std::size_t i) {
    Runner& runner = runners_[i];
    switch (runner.state) {
      case State::kBegins:
        return begin_piece(i);
      case State::kComputes:
        --computing_[group_of(i)];
        runner.state = State::kAsleep;
        runner.until_ns = now_ns_ + work_of(i).pieces[runner.piece].asleep_ns;
        return;
      case State::kAsleep:
        return compute(i, State::kComputesOn);
      case State::kComputesOn:
        --computing_[group_of(i)];
        return end_piece(i);
      case State::kWaits:
        runner.piece = kFirstBucket + buckets_;
        return begin_piece(i);
      case State::kDone:
        return;
    }
  }

  void begin_piece(std::size_t i) { compute(i, State::kComputes); }

  /// Starts the part of a piece before its sleep or after it.
  void compute(std::size_t i, State state) {
    runners_[i].state = state;
    const Piece& piece = work_of(i).pieces[runners_[i].piece];
    runners_[i].left_ns =
        piece.work_ns * (state == State::kComputes ? piece.before : 1 - piece.before);
    ++computing_[group_of(i)];
  }

  void end_piece(std::size_t i) {
    Runner& runner = runners_[i];
    if (runner.piece == kFirstBucket + buckets_) return end_step(i);
    if (++runner.piece <= kFirstBucket) return begin_piece(i);
    const std::size_t bucket = runner.piece - 1 - kFirstBucket;
    const bool last = bucket + 1 == buckets_;
    if (last) {
      runner.state = State::kWaits;
      runner.until_ns = kNever;
    } else {
      begin_piece(i);
    }
    if (++ready_[runner.step * buckets_ + bucket] == runners_.size())
      start_exchange(runner.step, bucket, last);
  }

  void start_exchange(std::size_t step, std::size_t bucket, bool last) {
    const double begin = std::max(now_ns_, free_ns_);
    free_ns_ = begin;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      const double end = begin + steps_[step].ranks[i].exchange_ns[bucket];
      free_ns_ = std::max(free_ns_, end);
      if (last) runners_[i].until_ns = end;
    }
  }

  void end_step(std::size_t i) {
    Runner& runner = runners_[i];
    lengths_[runner.step] += (now_ns_ - runner.begin_ns) / static_cast<double>(runners_.size());
    runner.begin_ns = now_ns_;
    runner.piece = 0;
    if (++runner.step == steps_.size()) {
      runner.state = State::kDone;
    } else {
      begin_piece(i);
    }
  }

  const Cores& cores_;
  std::span<const WorkedStep> steps_;
  std::size_t buckets_;
  std::vector<Runner> runners_;
  std::vector<int> computing_;      ///< by group
  std::vector<std::size_t> ready_;  ///< number of ranks that have it ready, by step and bucket
  std::vector<double> lengths_;
  double now_ns_ = 0;
  double free_ns_ = 0;  ///< time from which the link is free
};

}  // namespace

std::vector<double> replay(const WorkedSteps& all) {
  std::vector<double> lengths;
  const std::span<const WorkedStep> steps(all.steps);
  for (std::size_t begin = 0; begin < steps.size();) {
    std::size_t end = begin + 1;
    while (end < steps.size() && steps[end].follows) ++end;
    const auto part = Replay(all, steps.subspan(begin, end - begin)).play();
    lengths.insert(lengths.end(), part.begin(), part.end());
    begin = end;
  }
  return lengths;
}

}  // namespace ringside::analysis
