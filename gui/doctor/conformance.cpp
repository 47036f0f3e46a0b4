#include "gui/doctor/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace ringside::doctor {
namespace {

using messages::BucketReport;
using messages::CollectiveReport;
using messages::EpochReport;
using messages::GroupReport;
using messages::RankGoodbye;
using messages::RankHello;
using messages::RankState;
using messages::StepReport;

struct RuleOutcome {
  Verdict verdict = Verdict::kNotSeen;
  std::string told;
};

RuleOutcome fail(std::string told) { return {Verdict::kFail, std::move(told)}; }

/// Calls visit(stamp, body) for each record of this type that a rank sent.
template <class Body, class Visit>
void each(const ReceivedRecords& received, Visit&& visit) {
  for (const auto& [stamp, record] : received.reported) {
    const auto* body = std::get_if<Body>(&record);
    if (body != nullptr && stamp.rank != kNoRank) visit(stamp, *body);
  }
}

template <class Body>
std::size_t count_of(const ReceivedRecords& received) {
  std::size_t count = 0;
  each<Body>(received, [&](const auto&, const Body&) { ++count; });
  return count;
}

std::map<Rank, std::vector<const ReceivedRecords::ReceivedRecord*>> by_rank(
    const ReceivedRecords& received) {
  std::map<Rank, std::vector<const ReceivedRecords::ReceivedRecord*>> ranks;
  for (const auto& reported : received.reported) {
    if (reported.stamp.rank != kNoRank) ranks[reported.stamp.rank].push_back(&reported);
  }
  return ranks;
}

/// Keeps the first complaint; without one the rule passes, if anything was seen that it applies to.
class Complaints {
 public:
  template <class... Parts>
  void unless(bool holds, fmt::format_string<Parts...> text, Parts&&... parts) {
    if (!holds && first_.empty()) first_ = fmt::format(text, std::forward<Parts>(parts)...);
  }
  RuleOutcome over(std::size_t seen, std::string well) const {
    if (!first_.empty()) return fail(first_);
    return seen == 0 ? RuleOutcome{} : RuleOutcome{Verdict::kPass, std::move(well)};
  }

 private:
  std::string first_;
};

RuleOutcome judge_frames(const ReceivedRecords& received) {
  for (const auto& reported : received.reported) {
    const auto* notice = std::get_if<messages::Notice>(&reported.record);
    if (notice != nullptr && reported.stamp.rank == kNoRank && notice->code == "frames_refused")
      return fail("the agent refused frames: " + notice->text + "; see protocol/wire/FORMAT.md");
  }
  Complaints wrong;
  wrong.unless(received.decoded.malformed == 0,
               "{} records are malformed: fields follow one another without padding, little-endian",
               received.decoded.malformed);
  wrong.unless(received.decoded.unknown_types == 0, "{} records are of no known type",
               received.decoded.unknown_types);
  std::size_t records = 0;
  for (const auto& [rank, reported] : by_rank(received)) records += reported.size();
  return wrong.over(records, fmt::format("{} records, none bad", records));
}

RuleOutcome judge_hello(const ReceivedRecords& received) {
  Complaints wrong;
  std::set<std::int32_t> pids;
  const auto ranks = by_rank(received);
  for (const auto& [rank, reported] : ranks) {
    const auto* hello = std::get_if<RankHello>(&reported.front()->record);
    wrong.unless(hello != nullptr, "the first record of rank {} is no RankHello", rank);
    if (hello == nullptr) continue;
    wrong.unless(hello->world_size == received.ranks,
                 "rank {} says world_size = {}; WORLD_SIZE is {}", rank, hello->world_size,
                 received.ranks);
    wrong.unless(hello->local_rank == rank, "rank {} says local_rank = {}; LOCAL_RANK is {}", rank,
                 hello->local_rank, rank);
    wrong.unless(hello->attempt == 0, "rank {} says attempt = {}; RINGSIDE_ATTEMPT is 0", rank,
                 hello->attempt);
    wrong.unless(hello->pid > 0 && pids.insert(hello->pid).second,
                 "rank {} says pid = {}, which is not a process of its own", rank, hello->pid);
    wrong.unless(hello->wall_ns > 0, "rank {} says wall_ns = {}; send nanoseconds since 1970", rank,
                 hello->wall_ns);
  }
  const auto silent = static_cast<std::size_t>(received.ranks) -
                      std::min<std::size_t>(static_cast<std::size_t>(received.ranks), ranks.size());
  wrong.unless(ranks.empty() || silent == 0, "{} of {} ranks sent no record", silent,
               received.ranks);
  return wrong.over(ranks.size(), fmt::format("of {} ranks", ranks.size()));
}

RuleOutcome judge_sequence(const ReceivedRecords& received) {
  Complaints wrong;
  const auto ranks = by_rank(received);
  for (const auto& [rank, reported] : ranks) {
    std::uint64_t next = 0;
    std::int64_t missing = 0;
    std::int64_t told = 0;
    for (const ReceivedRecords::ReceivedRecord* one : reported) {
      wrong.unless(one->stamp.seq >= next, "rank {} used sequence number {} where {} is due", rank,
                   one->stamp.seq, next);
      if (one->stamp.seq > next) missing += static_cast<std::int64_t>(one->stamp.seq - next);
      next = one->stamp.seq + 1;
      if (const auto* goodbye = std::get_if<RankGoodbye>(&one->record)) told = goodbye->dropped;
    }
    wrong.unless(missing == told,
                 "{} numbers of rank {} are missing, and it reports {} dropped records: a gap is a "
                 "loss",
                 missing, rank, told);
  }
  return wrong.over(ranks.size(), "without a gap that is not reported");
}

RuleOutcome judge_goodbye(const ReceivedRecords& received) {
  Complaints wrong;
  const auto ranks = by_rank(received);
  std::size_t seen = 0;
  for (const auto& [rank, reported] : ranks) {
    const auto* goodbye = std::get_if<RankGoodbye>(&reported.back()->record);
    if (goodbye == nullptr) {
      const auto earlier = [](const ReceivedRecords::ReceivedRecord* one) {
        return std::holds_alternative<RankGoodbye>(one->record);
      };
      wrong.unless(std::ranges::none_of(reported, earlier), "rank {} went on after its RankGoodbye",
                   rank);
      wrong.unless(false, "rank {} left without a RankGoodbye; wait for goodbye_ack before leaving",
                   rank);
      continue;
    }
    ++seen;
    const auto produced = static_cast<std::int64_t>(reported.back()->stamp.seq) + 1;
    wrong.unless(goodbye->produced == produced,
                 "rank {} says produced = {}, and its last number is {}: the goodbye counts too",
                 rank, goodbye->produced, produced - 1);
    wrong.unless(goodbye->dropped >= 0 && goodbye->dropped < goodbye->produced,
                 "rank {} says dropped = {}", rank, goodbye->dropped);
  }
  return wrong.over(seen, "its counts agree with what arrived");
}

RuleOutcome judge_steps(const ReceivedRecords& received) {
  Complaints wrong;
  std::map<Rank, Step> next;
  each<RankHello>(received, [&](const auto& stamp, const RankHello& hello) {
    next[stamp.rank] = hello.first_step;
  });
  each<StepReport>(received, [&](const auto& stamp, const StepReport& step) {
    Step& due = next[stamp.rank];
    wrong.unless(step.step == due,
                 "rank {} reports step {} where {} is due: from first_step on, "
                 "one by one",
                 stamp.rank, step.step, due);
    due = step.step + 1;
    wrong.unless(step.step_ns > 0 || step.step_ns == -1, "step {} of rank {} took step_ns = {}",
                 step.step, stamp.rank, step.step_ns);
    wrong.unless(step.samples > 0 || step.samples == -1, "step {} of rank {} has samples = {}",
                 step.step, stamp.rank, step.samples);
    wrong.unless(step.correct <= step.samples || step.samples == -1,
                 "step {} of rank {} has more correct than samples", step.step, stamp.rank);
  });
  const std::size_t seen = count_of<StepReport>(received);
  return wrong.over(seen, fmt::format("{} reports, one by one", seen));
}

RuleOutcome judge_phases(const ReceivedRecords& received) {
  Complaints wrong;
  std::size_t seen = 0;
  each<StepReport>(received, [&](const auto& stamp, const StepReport& step) {
    std::int64_t sum = 0;
    for (const std::int64_t phase : {step.data_wait_ns, step.host_to_device_ns, step.forward_ns,
                                     step.backward_ns, step.exposed_comm_ns, step.optimizer_ns}) {
      wrong.unless(phase >= -1, "a phase of step {} of rank {} lasts {} ns; -1 is not known",
                   step.step, stamp.rank, phase);
      if (phase >= 0) ++seen;
      // Each phase is capped, so that absurd values cannot overflow the sum.
      if (phase > 0) sum += std::min(phase, std::int64_t{1} << 60);
      sum = std::min(sum, std::int64_t{1} << 61);
    }
    wrong.unless(sum <= step.step_ns || step.step_ns == -1,
                 "the phases of step {} of rank {} last {} ns together, the step {}: they must not "
                 "overlap",
                 step.step, stamp.rank, sum, step.step_ns);
  });
  return wrong.over(seen, "none exceed their step");
}

RuleOutcome judge_unknown(const ReceivedRecords& received) {
  Complaints wrong;
  std::map<Rank, std::pair<int, int>> losses;  // NaNs that were computed, and all NaNs
  each<StepReport>(received, [&](const auto& stamp, const StepReport& step) {
    auto& [nans, all] = losses[stamp.rank];
    if (std::isnan(step.loss) && !messages::is_unknown(step.loss)) ++nans;
    ++all;
    wrong.unless(step.correct >= -1, "correct = {} at step {} of rank {}; -1 is not known",
                 step.correct, step.step, stamp.rank);
  });
  for (const auto& [rank, counts] : losses) {
    wrong.unless(counts.first < counts.second,
                 "every loss of rank {} is NaN: one that is not known has the bytes AD DE C0 7F",
                 rank);
  }
  return wrong.over(losses.size(), "-1 and AD DE C0 7F stand for it");
}

struct Window {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

RuleOutcome judge_buckets(const ReceivedRecords& received) {
  std::map<std::pair<Rank, Step>, Window> steps;
  each<StepReport>(received, [&](const auto& stamp, const StepReport& step) {
    const std::int64_t begin_ns = step.step_ns == -1 ? 0 : stamp.mono_ns - step.step_ns;
    steps[{stamp.rank, step.step}] = {begin_ns, stamp.mono_ns};
  });
  Complaints wrong;
  std::set<std::tuple<Rank, Step, std::int32_t>> known;
  each<BucketReport>(received, [&](const auto& stamp, const BucketReport& bucket) {
    wrong.unless(bucket.bucket >= 0 && bucket.size_bytes > 0,
                 "bucket {} of step {} of rank {} has {} bytes", bucket.bucket, bucket.step,
                 stamp.rank, bucket.size_bytes);
    wrong.unless(known.insert({stamp.rank, bucket.step, bucket.bucket}).second,
                 "bucket {} of step {} of rank {} is reported twice", bucket.bucket, bucket.step,
                 stamp.rank);
    wrong.unless(bucket.ready_ns <= bucket.reduced_ns || bucket.reduced_ns == -1,
                 "bucket {} of step {} of rank {} was reduced before it was ready", bucket.bucket,
                 bucket.step, stamp.rank);
    const auto step = steps.find({stamp.rank, bucket.step});
    wrong.unless(step != steps.end(), "rank {} reports a bucket of step {}, and no such step",
                 stamp.rank, bucket.step);
    if (step == steps.end()) return;
    for (const std::int64_t at_ns : {bucket.ready_ns, bucket.reduced_ns}) {
      const bool inside = at_ns >= step->second.begin_ns && at_ns <= step->second.end_ns;
      wrong.unless(inside || at_ns == -1,
                   "bucket {} of step {} of rank {} lies outside of the step, which began at "
                   "mono_ns - step_ns: times are CLOCK_MONOTONIC",
                   bucket.bucket, bucket.step, stamp.rank);
    }
  });
  return wrong.over(known.size(), fmt::format("{} inside their steps", known.size()));
}

RuleOutcome judge_collectives(const ReceivedRecords& received) {
  Complaints wrong;
  std::set<std::pair<Rank, std::int32_t>> groups;
  using Sequence = std::tuple<Rank, std::int32_t, std::int32_t, std::uint8_t>;
  std::map<Sequence, std::int64_t> next;
  std::set<std::pair<Sequence, std::int64_t>> under_way;
  const auto judge_group = [&](Rank rank, const GroupReport& group) {
    const bool member = std::ranges::find(group.ranks, rank) != group.ranks.end();
    wrong.unless(member, "rank {} reports group {}, but is not one of its ranks", rank, group.name);
    groups.insert({rank, group.group});
  };
  const auto judge_one = [&](Rank rank, const CollectiveReport& one) {
    const auto where =
        fmt::format("collective {} of group {} of rank {}", one.number, one.group, rank);
    wrong.unless(groups.contains({rank, one.group}), "{}: no GroupReport came before it", where);
    const bool pair = one.operation >= static_cast<std::uint8_t>(messages::Collective::kSend);
    const std::uint8_t between_two = pair ? one.operation : 0;
    const std::tuple sequence{rank, one.group, one.peer, between_two};
    std::int64_t& due = next[sequence];
    const bool again = one.done_ns >= 0 && under_way.erase({sequence, one.number}) == 1;
    wrong.unless(again || one.number >= due, "{}: its number is used again, {} is due", where, due);
    if (one.done_ns < 0) under_way.insert({sequence, one.number});
    if (!again && one.number < std::numeric_limits<std::int64_t>::max()) due = one.number + 1;
    wrong.unless(one.entered_ns <= one.issued_ns, "{} was issued before it was entered", where);
    wrong.unless(one.done_ns == -1 || one.done_ns >= one.entered_ns,
                 "{} was done before it was entered", where);
    wrong.unless(one.size_bytes >= -1 && one.own_ns >= -1, "{}: what is not known is -1", where);
  };
  std::size_t seen = 0;
  for (const auto& [stamp, record] : received.reported) {
    if (const auto* group = std::get_if<GroupReport>(&record)) judge_group(stamp.rank, *group);
    const auto* one = std::get_if<CollectiveReport>(&record);
    if (one != nullptr) judge_one(stamp.rank, *one);
    seen += one != nullptr ? 1 : 0;
  }
  return wrong.over(seen, fmt::format("{}, each of a group and after those before it", seen));
}

RuleOutcome judge_epochs(const ReceivedRecords& received) {
  std::map<std::pair<Rank, Epoch>, std::int64_t> steps;
  each<StepReport>(received, [&](const auto& stamp, const StepReport& step) {
    ++steps[{stamp.rank, step.epoch}];
  });
  Complaints wrong;
  each<EpochReport>(received, [&](const auto& stamp, const EpochReport& epoch) {
    const auto where = fmt::format("epoch {} of rank {}", epoch.epoch, stamp.rank);
    wrong.unless(epoch.correct <= epoch.counted || epoch.counted < 0,
                 "{}: {} correct of {} counted", where, epoch.correct, epoch.counted);
    wrong.unless(epoch.padded_correct <= epoch.correct || epoch.correct < 0,
                 "{}: padded_correct is more than correct", where);
    wrong.unless(epoch.seconds >= 0 && epoch.idle_seconds <= epoch.seconds,
                 "{}: {} s, {} s of them idle", where, epoch.seconds, epoch.idle_seconds);
    wrong.unless(epoch.counted >= -1 && epoch.padded >= -1 && epoch.correct >= -1,
                 "{}: a count is below -1", where);
    const auto known = steps.find({stamp.rank, epoch.epoch});
    const bool train = epoch.phase == messages::Phase::kTrain;
    wrong.unless(!train || known == steps.end() || epoch.steps < 0 || epoch.steps == known->second,
                 "{}: steps = {}, and {} were reported", where, epoch.steps,
                 known == steps.end() ? 0 : known->second);
  });
  const std::size_t seen = count_of<EpochReport>(received);
  return wrong.over(seen, fmt::format("{} reports, their sums are plausible", seen));
}

RuleOutcome judge_clock(const ReceivedRecords& received) {
  Complaints wrong;
  Window run;
  for (const auto& reported : received.reported) {
    if (reported.stamp.rank != kNoRank) continue;
    if (run.begin_ns == 0) run.begin_ns = reported.stamp.mono_ns;
    run.end_ns = std::max(run.end_ns, reported.stamp.mono_ns);
  }
  const auto ranks = by_rank(received);
  for (const auto& [rank, reported] : ranks) {
    for (const ReceivedRecords::ReceivedRecord* one : reported) {
      wrong.unless(one->stamp.mono_ns >= run.begin_ns && one->stamp.mono_ns <= run.end_ns,
                   "record {} of rank {} is stamped {} ns, outside of the run: stamps are "
                   "CLOCK_MONOTONIC in nanoseconds",
                   one->stamp.seq, rank, one->stamp.mono_ns);
    }
  }
  return wrong.over(ranks.size(), "stamps lie within the run");
}

/// The last run state that the agent recorded.
const RankState* end_of(const ReceivedRecords& received) {
  const RankState* last = nullptr;
  for (const auto& reported : received.reported) {
    const auto* state = std::get_if<RankState>(&reported.record);
    if (state != nullptr && reported.stamp.rank == kNoRank && state->about == kNoRank) last = state;
  }
  return last;
}

RuleOutcome judge_end(const ReceivedRecords& received) {
  const RankState* end = end_of(received);
  if (end == nullptr) return {};
  if (end->state == messages::State::kFinished) return {Verdict::kPass, "with exit code 0"};
  return fail(fmt::format("the run {}: {}", messages::name_of(end->state), end->text));
}

RuleOutcome judge_stop(const StopSeen& stop) {
  if (!stop.asked) return {};
  const RankState* end = end_of(stop.received);
  Complaints wrong;
  wrong.unless(
      stop.seconds <= kStopSeconds,
      "asked to stop, the ranks ended after {:.1f} s, and only when they got SIGTERM; read "
      "the stop frame between two steps",
      stop.seconds);
  const bool well = end != nullptr && (end->state == messages::State::kStopped ||
                                       end->state == messages::State::kFinished);
  wrong.unless(well, "asked to stop, the run ended as {}: {}",
               end == nullptr ? std::string_view("nothing") : messages::name_of(end->state),
               end == nullptr ? std::string() : end->text);
  return wrong.over(1, fmt::format("left after {:.1f} s", stop.seconds));
}

RuleOutcome judge(Rule rule, const ReceivedRecords& received, const StopSeen& stop) {
  switch (rule) {
    case Rule::kFrames:
      return judge_frames(received);
    case Rule::kHello:
      return judge_hello(received);
    case Rule::kSequence:
      return judge_sequence(received);
    case Rule::kGoodbye:
      return judge_goodbye(received);
    case Rule::kSteps:
      return judge_steps(received);
    case Rule::kPhases:
      return judge_phases(received);
    case Rule::kUnknown:
      return judge_unknown(received);
    case Rule::kBuckets:
      return judge_buckets(received);
    case Rule::kCollectives:
      return judge_collectives(received);
    case Rule::kEpochs:
      return judge_epochs(received);
    case Rule::kClock:
      return judge_clock(received);
    case Rule::kEnd:
      return judge_end(received);
    case Rule::kStop:
      return judge_stop(stop);
  }
  return {};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  if (verdict == Verdict::kPass) return "pass";
  return verdict == Verdict::kFail ? "fail" : "not seen";
}

std::vector<RuleResult> judge_conformance(const ReceivedRecords& received, const StopSeen& stop) {
  std::vector<RuleResult> results;
  for (const RuleKind& kind : kRules) {
    RuleOutcome judged = judge(kind.rule, received, stop);
    if (judged.verdict == Verdict::kNotSeen) judged.told = kind.advice;
    results.push_back({kind, judged.verdict, std::move(judged.told)});
  }
  return results;
}

bool conforms(const std::vector<RuleResult>& results) {
  return std::ranges::none_of(
      results, [](const RuleResult& result) { return result.verdict == Verdict::kFail; });
}

}  // namespace ringside::doctor
