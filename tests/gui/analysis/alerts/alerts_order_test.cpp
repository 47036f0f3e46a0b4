// Alerts must not depend on when they are computed, nor on which rank's record came first: each
// rank's own order is fixed, the order between ranks is not. Made-up runs are read in many orders,
// with the alerts computed after every record.
//
// For these kinds, the same keys are reported in every order, each once: failures, broken losses,
// lost and refused records, notices, restarts, throttled devices. Other kinds depend on the moment
// and on what the viewer knew: silent ranks and those waited for, the straggler, changes in the
// newest steps, a disk, and a failed run, which stands for a node or for a failed rank without
// records. The first alert at the end is also the same in every order.
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/alerts/alert_tracker.h"
#include "gui/analysis/alerts/alerts.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/records.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using messages::Severity;
using messages::State;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kStepNs = 100 * kMs;

bool of_the_moment(AlertKind kind) {
  return kind == AlertKind::kRankSilent || kind == AlertKind::kRankHung ||
         kind == AlertKind::kStraggler || kind == AlertKind::kDiverged ||
         kind == AlertKind::kLossSpike || kind == AlertKind::kSlowSteps ||
         kind == AlertKind::kDiskLow || kind == AlertKind::kRunFailed;
}

struct Said {
  messages::Stamp stamp;
  messages::Record record;
};

/// Streams of records that each keep their order: one per rank, with the agent's records about it,
/// and one of the agent itself.
using Streams = std::map<Rank, std::deque<Said>>;

/// Records of a run with a step every 100 ms.
class Story {
 public:
  Streams streams;

  template <class Body>
  void say(Rank rank, const Body& body) {
    const std::int64_t at_ns = now_ns_ + (rank == kNoRank ? 0 : rank + 1) * kMs;
    streams[rank].push_back({{0, rank, seq_[rank]++, at_ns}, messages::Record(body)});
  }
  void wait(std::int64_t ns) { now_ns_ += ns; }
  void lose(Rank rank, std::uint64_t records) { seq_[rank] += records; }

  void run_state(State state, const std::string& text = {}) {
    messages::RankState body;
    body.state = state;
    body.text = text;
    body.attempt = attempt_;
    say(kNoRank, body);
  }
  /// Adds the agent's record of a rank's end.
  void ended(Rank rank, State state) {
    messages::RankState body;
    body.state = state;
    body.attempt = attempt_;
    body.about = rank;
    body.exit_code = state == State::kFinished ? 0 : 1;
    streams[rank].push_back({{0, kNoRank, seq_[kNoRank]++, now_ns_ + 50 * kMs}, body});
  }
  void notice(Rank rank, Severity severity, const std::string& code) {
    say(rank, messages::Notice{severity, code, code});
  }
  void hello(Rank rank, Rank world, Step first) {
    messages::RankHello body;
    body.world_size = world;
    body.attempt = attempt_;
    body.first_step = first;
    body.steps_per_epoch = 20;
    body.device_uuid = "GPU-" + std::to_string(rank);
    say(rank, body);
  }

  /// Begins an attempt in which only the first `heard` ranks get as far as their hello.
  void begin(std::int32_t attempt, Rank world, Step first, Rank heard) {
    attempt_ = attempt;
    world_ = world;
    run_state(State::kStarting);
    wait(1'000 * kMs);
    for (Rank rank = 0; rank < heard; ++rank) {
      seq_[rank] = 0;
      hello(rank, world, first);
      messages::RankState training;
      training.state = State::kTraining;
      training.attempt = attempt;
      training.about = rank;
      say(rank, training);
    }
    run_state(State::kTraining);
  }
  void begin(std::int32_t attempt, Rank world, Step first) { begin(attempt, world, first, world); }
  void train(
      Step first, Step end,
      const std::function<bool(Rank, Step)>& breaks = [](Rank, Step) { return false; }) {
    for (Step step = first; step < end; ++step) {
      wait(kStepNs);
      for (Rank rank = 0; rank < world_; ++rank) report(rank, step, breaks(rank, step));
    }
  }
  void fail(Rank rank) {
    wait(kStepNs);
    notice(kNoRank, Severity::kError, "rank_failed");
    ended(rank, State::kFailed);
    for (Rank other = 0; other < world_; ++other) {
      if (other != rank) ended(other, State::kStopped);
    }
    wait(3'000 * kMs);
  }
  void stop() {
    for (Rank rank = 0; rank < world_; ++rank) leave(rank, State::kStopped);
    run_state(State::kStopped);
    wait(3'000 * kMs);
  }
  void finish() {
    for (Rank rank = 0; rank < world_; ++rank) leave(rank, State::kFinished);
    run_state(State::kFinished);
  }

 private:
  void report(Rank rank, Step step, bool broken) {
    messages::StepReport body;
    body.step = step;
    body.epoch = static_cast<Epoch>(step / 20);
    body.samples = 1;
    body.loss = broken ? std::nanf("") : static_cast<float>(rank + 1);
    body.step_ns = kStepNs;
    say(rank, body);
    if (step % 20 != 19) return;
    messages::EpochReport pass;
    pass.epoch = body.epoch;
    pass.correct = rank;
    pass.counted = 20;
    pass.steps = 20;
    pass.last_step = step;
    say(rank, pass);
  }
  void leave(Rank rank, State state) {
    messages::RankGoodbye goodbye;
    goodbye.produced = static_cast<std::int64_t>(seq_[rank]) + 1;
    say(rank, goodbye);
    ended(rank, state);
  }

  std::int64_t now_ns_ = 1'000'000 * kMs;
  std::map<Rank, std::uint64_t> seq_;
  std::int32_t attempt_ = 0;
  Rank world_ = 1;
};

/// Yields the records one by one. No stream is more than `slack_ns` behind the others, and one of
/// them is as far behind as allowed. Without slack: in the order of their times.
class Shuffled {
 public:
  Shuffled(const Streams& streams, std::int64_t slack_ns, std::uint32_t seed)
      : streams_(streams), slack_ns_(slack_ns), random_(seed) {
    auto slow = streams_.begin();
    std::advance(slow, static_cast<std::ptrdiff_t>(random_() % streams_.size()));
    slow_ = slow->first;
  }

  bool next(Said& said) {
    std::erase_if(streams_, [](const auto& stream) { return stream.second.empty(); });
    if (streams_.empty()) return false;
    const auto oldest =
        std::min_element(streams_.begin(), streams_.end(), [](const auto& a, const auto& b) {
          return a.second.front().stamp.mono_ns < b.second.front().stamp.mono_ns;
        });
    const std::int64_t until_ns = oldest->second.front().stamp.mono_ns + slack_ns_;
    std::vector<std::deque<Said>*> may;
    for (auto& [rank, stream] : streams_) {
      const bool held = rank == slow_ && random_() % 20 != 0;
      if (!held && stream.front().stamp.mono_ns <= until_ns) may.push_back(&stream);
    }
    auto& from = slack_ns_ == 0 || may.empty() ? oldest->second : *may[random_() % may.size()];
    said = std::move(from.front());
    from.pop_front();
    return true;
  }

 private:
  Streams streams_;
  std::int64_t slack_ns_;
  std::mt19937 random_;
  Rank slow_ = kNoRank;
};

/// The contents of the model at the end, as text.
std::string facts_of(const model::RunModel& model) {
  std::string text = "world " + std::to_string(model.world_size()) + " attempts";
  for (const auto& attempt : model.attempts())
    text += " " + std::to_string(attempt.attempt) + "/" + std::to_string(attempt.world_size);
  for (const Rank number : model.ranks()) {
    const model::RankModel& rank = *model.rank(number);
    text += "\nrank " + std::to_string(number);
    for (const std::int64_t fact :
         {static_cast<std::int64_t>(rank.steps_reported),
          static_cast<std::int64_t>(rank.steps_discarded),
          static_cast<std::int64_t>(rank.counts.lost), rank.newest_step, rank.joined,
          static_cast<std::int64_t>(rank.left), static_cast<std::int64_t>(rank.restarts)})
      text += " " + std::to_string(fact);
    if (rank.state) text += " " + std::string(messages::name_of(rank.state->state));
  }
  text += "\nloss";
  for (std::size_t step = 0; step < model.mean_loss().size(); ++step) {
    const auto loss = model.mean_loss().at(step);
    text += model.mean_loss().has(step) ? " " + std::to_string(loss) : " -";
  }
  for (const PassResult& pass : passes(model, messages::Phase::kTrain))
    text += "\npass " + std::to_string(pass.epoch) + " " + std::to_string(pass.counted) + " " +
            std::to_string(pass.correct) + (pass.complete ? " complete" : "");
  return text;
}

struct Reading {
  std::multiset<std::string> told;  ///< as from AlertTracker, queried after each record
  std::string first;                ///< the first alert at the end
  std::string facts;
};

Reading read(const Streams& streams, std::int64_t slack_ns, std::uint32_t seed) {
  Reading reading;
  model::RunModel model;
  AlertTracker tracker;
  Shuffled shuffled(streams, slack_ns, seed);
  std::int64_t now_ns = 0;
  for (Said said; shuffled.next(said);) {
    model.accept(said.stamp, said.record);
    now_ns = std::max(now_ns, said.stamp.mono_ns);
    for (const Alert& alert : tracker.take(alerts(model, now_ns, {}), now_ns)) {
      if (!of_the_moment(alert.kind)) reading.told.insert(key_of(alert));
    }
  }
  if (const auto last = alerts(model, now_ns, {}); !last.empty()) reading.first = key_of(last[0]);
  reading.facts = facts_of(model);
  return reading;
}

using Keys = std::multiset<std::string>;

/// A slack of 5 s reaches from one attempt into the next, which begins 4 s after it.
void check_orders(const Story& story, const Keys& expected, const std::string& first = {}) {
  const Reading in_order = read(story.streams, 0, 1);
  CHECK(in_order.told == expected);
  if (!first.empty()) CHECK(in_order.first == first);
  for (const std::int64_t slack_ns : {3 * kMs, 10 * kStepNs, 5'000 * kMs}) {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
      INFO("slack " << slack_ns / kMs << " ms, seed " << seed);
      const Reading other = read(story.streams, slack_ns, seed);
      CHECK(other.told == expected);
      if (!first.empty()) CHECK(other.first == first);
      CHECK(other.facts == in_order.facts);
    }
  }
}

}  // namespace

TEST_CASE("A run without problems gives no alert, in whatever order its records arrive") {
  Story story;
  story.begin(0, 3, 0);
  story.train(0, 60);
  story.finish();
  check_orders(story, {});
}

TEST_CASE("A broken loss is reported once, whichever rank reports it first") {
  Story story;
  story.begin(0, 3, 0);
  // Rank 1 is the first; its gradients break the others' losses in the next step.
  story.train(0, 60, [](Rank rank, Step step) { return step > 20 || (step == 20 && rank == 1); });
  story.finish();
  check_orders(story, {"loss_not_finite/0"});
}

TEST_CASE(
    "A loss that broke before a restart is not reported again, but one that breaks again is") {
  const Step first = GENERATE(10, 60);
  const auto breaks = [](Rank rank, Step step) { return step > 20 || (step == 20 && rank == 1); };
  Story story;
  story.begin(0, 3, 0);
  story.train(0, 60, breaks);
  story.fail(1);
  story.begin(1, 3, first);
  story.train(first, 80, breaks);
  story.finish();
  Keys expected{"loss_not_finite/0", "notice/-1/rank_failed/0", "rank_failed/1/0",
                "restarted/-1/1"};
  if (first == 10) expected.insert("loss_not_finite/1");
  check_orders(story, expected);
}

TEST_CASE("Each victim is reported once, after the cause, in whatever order they arrive") {
  const bool node_gone = GENERATE(true, false);
  Story story;
  story.begin(0, 3, 0);
  story.train(0, 40);
  story.ended(0, State::kFailed);
  story.wait(kStepNs);
  story.ended(1, State::kFailed);
  story.wait(kStepNs);
  if (!node_gone) story.ended(2, State::kFailed);
  story.wait(3'000 * kMs);
  story.run_state(State::kFailed, node_gone ? "node 1 (b): no message came from its agent for 30 s"
                                            : "node 1 (b): rank 2: killed by SIGKILL");
  Keys expected{"rank_failed/0/0", "rank_failed/1/0"};
  if (!node_gone) expected.insert("rank_failed/2/0");
  check_orders(story, expected, node_gone ? "run_failed/-1/0" : "rank_failed/2/0");
}

TEST_CASE("Each attempt's failure and each restart is reported once") {
  Story story;
  story.begin(0, 2, 0);
  story.train(0, 60);
  story.fail(1);
  story.begin(1, 2, 40);
  story.train(40, 80);
  story.fail(1);
  story.begin(2, 2, 60);
  story.train(60, 100);
  story.finish();
  check_orders(story, {"rank_failed/1/0", "notice/-1/rank_failed/0", "restarted/-1/1",
                       "rank_failed/1/1", "notice/-1/rank_failed/1", "restarted/-1/2"});
}

TEST_CASE("An attempt that died at once is reported like any other") {
  Story story;
  story.begin(0, 2, 0);
  story.train(0, 3);
  story.fail(1);
  story.begin(1, 2, 0);
  story.train(0, 40);
  story.finish();
  check_orders(story, {"rank_failed/1/0", "notice/-1/rank_failed/0", "restarted/-1/1"});
}

TEST_CASE("A restart counts for the run, also if one rank had never reported before") {
  Story story;
  story.begin(0, 3, 0, 2);
  story.ended(2, State::kFailed);
  story.ended(0, State::kStopped);
  story.ended(1, State::kStopped);
  story.wait(3'000 * kMs);
  story.begin(1, 3, 0);
  story.train(0, 40);
  story.finish();
  check_orders(story, {"rank_failed/2/0", "restarted/-1/1"});
}

TEST_CASE("A run that resumes with fewer and then with more ranks is reported as restarted twice") {
  Story story;
  story.begin(0, 3, 0);
  story.train(0, 60);
  story.stop();
  story.begin(1, 2, 40);
  story.train(40, 80);
  story.stop();
  story.begin(2, 3, 80);
  story.train(80, 120);
  story.finish();
  check_orders(story, {"restarted/-1/1", "restarted/-1/2"});
}

TEST_CASE("A program that restarts within an attempt is reported for each rank that does") {
  Story story;
  story.begin(0, 2, 0);
  story.train(0, 20);
  story.hello(0, 2, 20);
  story.hello(1, 2, 20);
  story.train(20, 40);
  story.finish();
  check_orders(story, {"restarted/0/1", "restarted/1/1"});
}

TEST_CASE("Lost records are reported for their rank, and again when they are tenfold") {
  Story story;
  story.begin(0, 2, 0);
  for (Step step = 0; step < 60; step += 5) {
    story.train(step, step + 5);
    story.lose(0, 1);
  }
  story.finish();
  check_orders(story, {"dropped/0/1", "dropped/0/2"});
}

TEST_CASE("Records cut off before a resume count as lost, whichever rank resumes first") {
  Story story;
  story.begin(0, 2, 0);
  story.train(0, 58);
  story.wait(4'000 * kMs);  // there is no goodbye: the machine was switched off
  story.begin(1, 2, 60);
  story.train(60, 80);
  story.finish();
  check_orders(story, {"dropped/0/1", "dropped/1/1", "restarted/-1/1"});
}

TEST_CASE("A notice is reported once per rank, and once more if it becomes an error") {
  Story story;
  story.begin(0, 2, 0);
  for (const Rank rank : {0, 1}) {
    story.notice(rank, Severity::kWarning, "checkpoint");
    story.train(20 * rank, 20 * rank + 20);
    story.notice(rank, Severity::kWarning, "checkpoint");
  }
  story.notice(0, Severity::kError, "checkpoint");
  story.finish();
  check_orders(story, {"notice/0/checkpoint", "notice/1/checkpoint", "notice/0/checkpoint/0"});
}

TEST_CASE("A throttled device is reported once, also if its rank is known only later") {
  Story story;
  const auto sample = [&] {
    messages::DeviceSample body;
    body.device_uuid = "GPU-1";
    body.valid = messages::bit_of(messages::DeviceField::kThrottle);
    body.throttle_reasons = model::kSlowingReasons;
    story.say(kNoRank, body);
  };
  for (int second = 0; second < 7; ++second) {
    sample();
    story.wait(1'000 * kMs);
  }
  story.begin(0, 2, 0);
  sample();
  story.train(0, 20);
  sample();
  story.finish();
  check_orders(story, {"gpu_slowed/0/GPU-1"});
}
