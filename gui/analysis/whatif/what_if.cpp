#include "gui/analysis/whatif/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "gui/analysis/scaling/pace.h"
#include "gui/analysis/scaling/student.h"
#include "gui/analysis/whatif/replay.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

constexpr double kMostUnexplained = 0.1;
constexpr double kRuns = 0.02;         ///< usual relative difference of runs with equal settings
constexpr double kOfChange = 0.1;      ///< error as a share of the predicted change
constexpr double kSharedCores = 0.2;   ///< error as a share of the time due to shared cores
constexpr double kLeastExcess = 0.01;  ///< share of a step above which a longer piece is not noise
constexpr double kPerDoubling = 0.1;   ///< error as a share of a step, per doubling of the ranks
constexpr Rank kMostRanks = 256;  ///< limit for a replay, which polls all ranks in each iteration
/// Limit, since a replay of more and smaller buckets would take long.
constexpr double kLeastBucketMib = 0.1;
constexpr double kMostBuckets = 4096;
constexpr double kBytesPerMib = 1 << 20;

double mean_value_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Usual duration of each bucket's exchange, ns.
std::vector<double> usual_exchanges(const WorkedSteps& worked) {
  std::vector<double> usual;
  for (std::size_t b = 0; b < worked.bucket_bytes.size(); ++b) {
    std::vector<double> all;
    for (const WorkedStep& step : worked.steps)
      for (const WorkedRank& rank : step.ranks) all.push_back(rank.exchange_ns[b]);
    usual.push_back(upper_median(std::move(all)));
  }
  return usual;
}

/// Least squares over the buckets; without a bandwidth if the sizes do not determine one.
LinkModel link_of_buckets(const WorkedSteps& worked, const std::vector<double>& usual) {
  const std::vector<double> bytes(worked.bucket_bytes.begin(), worked.bucket_bytes.end());
  const double mean_bytes = mean_value_of(bytes);
  const double mean_ns = mean_value_of(usual);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    squares += (bytes[i] - mean_bytes) * (bytes[i] - mean_bytes);
    products += (bytes[i] - mean_bytes) * (usual[i] - mean_ns);
  }
  const auto [least, most] = std::ranges::minmax(bytes);
  if (most < 1.5 * least || !(products > 0)) return {mean_ns, 0};
  const double ns_per_byte = products / squares;
  const double latency = mean_ns - mean_bytes * ns_per_byte;
  if (latency < 0) return {0, mean_bytes / mean_ns};
  return {latency, 1 / ns_per_byte};
}

/// Takes the latency from the probe's smallest exchange, and the bandwidth that then fits the
/// buckets.
LinkModel with_probe(LinkModel link, const WorkedSteps& worked, const LinkProbe* probe) {
  if (link.bytes_per_ns > 0 || probe == nullptr || probe->sizes.empty()) return link;
  const double latency = probe->sizes.front().seconds * 1e9;
  const std::vector<double> bytes(worked.bucket_bytes.begin(), worked.bucket_bytes.end());
  if (!(latency < link.latency_ns)) return link;
  return {latency, mean_value_of(bytes) / (link.latency_ns - latency), true};
}

/// Replaces exchange times by those of the model, keeping the relative variation between steps.
WorkedSteps by_model(WorkedSteps worked, const LinkModel& link, const std::vector<double>& usual) {
  for (WorkedStep& step : worked.steps)
    for (WorkedRank& rank : step.ranks)
      for (std::size_t b = 0; b < usual.size(); ++b)
        if (usual[b] > 0)
          rank.exchange_ns[b] *= link.ns(static_cast<double>(worked.bucket_bytes[b])) / usual[b];
  return worked;
}

/// The step `back` steps earlier or, near the beginning, that many steps later.
std::size_t step_before(const WorkedSteps& worked, std::size_t step, std::size_t back) {
  const std::size_t count = worked.steps.size();
  return step >= back ? step - back : std::min(count - 1, step + back);
}

/// The pieces at one place in all steps of some ranks, the shortest first.
std::vector<Piece*> by_length(WorkedSteps& worked, std::size_t place,
                              const std::function<bool(std::size_t)>& counts) {
  std::vector<Piece*> found;
  for (WorkedStep& step : worked.steps)
    for (std::size_t i = 0; i < step.ranks.size(); ++i)
      if (counts(i)) found.push_back(&step.ranks[i].pieces[place]);
  std::ranges::stable_sort(found, {}, [](const Piece* one) { return one->ns(); });
  return found;
}

double mean_of_pieces(const std::vector<Piece*>& pieces) {
  double sum = 0;
  for (const Piece* piece : pieces) sum += piece->ns();
  return sum / static_cast<double>(pieces.size());
}

/// Makes one rank as fast as the others. Each piece of its steps is replaced by the piece of the
/// others at the same percentile, so that slow steps stay in place but are as rare and as slow as
/// those of the others.
void take_out(WorkedSteps& worked, std::size_t rank) {
  for (std::size_t place = 0; place < kFirstBucket + worked.bucket_bytes.size() + 1; ++place) {
    const auto own = by_length(worked, place, [rank](std::size_t i) { return i == rank; });
    const auto others = by_length(worked, place, [rank](std::size_t i) { return i != rank; });
    const double longer = mean_of_pieces(own) - mean_of_pieces(others);
    if (longer < kLeastExcess * worked.recorded_ns) continue;
    for (std::size_t k = 0; k < own.size(); ++k)
      *own[k] = *others[(2 * k + 1) * others.size() / (2 * own.size())];
  }
}

void set_ranks(WorkedSteps& worked, std::size_t ranks, const LinkModel& link) {
  const std::vector<WorkedStep> was = worked.steps;
  const auto before = static_cast<double>(was.front().ranks.size());
  const auto after = static_cast<double>(ranks);
  // The link model is a ring: 2 (N - 1) latencies, and 2 (N - 1) / N of the bytes over each link.
  const double latencies = (after - 1) / (before - 1);
  const double transfers = (after - 1) / after * before / (before - 1);
  for (std::size_t s = 0; s < was.size(); ++s) {
    auto& now = worked.steps[s].ranks;
    now.clear();
    for (std::size_t i = 0; i < ranks; ++i) {
      const std::size_t from = i % was[s].ranks.size();
      const std::size_t back = i / was[s].ranks.size();
      WorkedRank one = was[s].ranks[from];
      one.pieces = was[step_before(worked, s, back)].ranks[from].pieces;
      for (std::size_t b = 0; b < one.exchange_ns.size(); ++b) {
        const double latency = std::min(link.latency_ns, one.exchange_ns[b]);
        one.exchange_ns[b] = latency * latencies + (one.exchange_ns[b] - latency) * transfers;
      }
      now.push_back(std::move(one));
    }
  }
  if (ranks != was.front().ranks.size()) worked.cores = worked.cores.for_ranks(ranks);
}

void speed_up_link(WorkedSteps& worked, double times, const LinkModel& link) {
  for (WorkedStep& step : worked.steps)
    for (WorkedRank& rank : step.ranks)
      for (double& ns : rank.exchange_ns) {
        const double latency = link.bytes_per_ns > 0 ? std::min(link.latency_ns, ns) : 0;
        ns = latency + (ns - latency) / times;
      }
}

/// Time from the beginning of the backward pass until this many bytes of gradients are ready,
/// interpolated linearly between buckets.
double ready_ns(const WorkedSteps& worked, const WorkedRank& rank, double bytes) {
  double before = 0;
  double at = 0;
  for (std::size_t b = 0; b < worked.bucket_bytes.size(); ++b) {
    const auto size = static_cast<double>(worked.bucket_bytes[b]);
    const double length = rank.pieces[kFirstBucket + b].work_ns;
    at += length * std::clamp((bytes - before) / size, 0.0, 1.0);
    before += size;
  }
  return at;
}

WorkedRank cut_again(const WorkedSteps& worked, const WorkedRank& rank,
                     const std::vector<std::int64_t>& sizes, double modelled_ns,
                     const LinkModel& link) {
  WorkedRank now = rank;
  const auto buckets = now.pieces.begin() + kFirstBucket;
  double asleep = 0;
  for (auto piece = buckets; piece + 1 != now.pieces.end(); ++piece) asleep += piece->asleep_ns;
  now.pieces.erase(buckets, now.pieces.end() - 1);
  const double took = std::accumulate(rank.exchange_ns.begin(), rank.exchange_ns.end(), 0.0);
  now.exchange_ns.clear();
  double at = 0;
  double bytes = 0;
  for (const std::int64_t size : sizes) {
    const auto one = static_cast<double>(size);
    bytes += one;
    const double then = ready_ns(worked, rank, bytes);
    now.pieces.insert(now.pieces.end() - 1, {std::exchange(asleep, 0), then - at});
    at = then;
    // The relative variation between steps is kept.
    now.exchange_ns.push_back(link.ns(one) * (modelled_ns > 0 ? took / modelled_ns : 1));
  }
  return now;
}

void cut_buckets(WorkedSteps& worked, double bucket_bytes, const LinkModel& link) {
  std::vector<std::int64_t> sizes;
  std::int64_t left =
      std::accumulate(worked.bucket_bytes.begin(), worked.bucket_bytes.end(), std::int64_t{0});
  double modelled = 0;
  for (const std::int64_t size : worked.bucket_bytes)
    modelled += link.ns(static_cast<double>(size));
  for (const auto most = std::max<std::int64_t>(1, std::llround(bucket_bytes)); left > 0;
       left -= sizes.back())
    sizes.push_back(std::min(left, most));
  for (WorkedStep& step : worked.steps)
    for (WorkedRank& rank : step.ranks) rank = cut_again(worked, rank, sizes, modelled, link);
  worked.bucket_bytes = std::move(sizes);
}

WorkedSteps changed(WorkedSteps worked, const StepChange& change, LinkModel link) {
  if (change.without_rank != kNoRank)
    take_out(worked, static_cast<std::size_t>(change.without_rank));
  if (change.no_data_wait)
    for (WorkedStep& step : worked.steps)
      for (WorkedRank& rank : step.ranks) rank.pieces.front() = {};
  if (change.bucket_mib > 0) cut_buckets(worked, change.bucket_mib * kBytesPerMib, link);
  if (change.link != 1) speed_up_link(worked, change.link, link);
  if (change.ranks > 0) set_ranks(worked, static_cast<std::size_t>(change.ranks), link);
  return worked;
}

/// Half of the width of the band in ns: the contributions of each source of error.
double half_band(const Replayable& run, const StepChange& change, const WorkedSteps& worked,
                 const std::vector<double>& times, double step_ns) {
  const MeanError error = mean_error(times);
  // A measured run that would verify it varies by the same amount.
  const double steps = std::sqrt(2.0) * t_quantile(error.freedom) * error.error;
  const double unexplained = std::abs(run.replayed_ns - run.worked.recorded_ns);
  const double moved = kOfChange * std::abs(step_ns - run.worked.recorded_ns);
  double half = std::hypot(steps, unexplained, kRuns * step_ns) + moved;
  if (run.worked.shared && change.any()) {
    WorkedSteps alone = worked;
    alone.cores.per_rank = 0;
    const double shared = std::abs(step_ns - mean_value_of(replay(alone)));
    half += (run.worked.knows_asleep ? kSharedCores : 1) * shared;
  }
  if (change.ranks > 0) {
    const double times_as_many = static_cast<double>(change.ranks) /
                                 static_cast<double>(run.worked.steps.front().ranks.size());
    half += kPerDoubling * std::abs(std::log2(times_as_many)) * step_ns;
  }
  // The whole change in exchange time counts as uncertainty if bandwidth and latency could not be
  // separated.
  const bool exchanges = change.link != 1 || change.bucket_mib > 0 || change.ranks > 0;
  if (exchanges && run.link.bytes_per_ns <= 0) half += std::abs(step_ns - run.worked.recorded_ns);
  return half;
}

}  // namespace

Replayable replayable(const model::RunModel& model, const LinkProbe* probe, StepRange only) {
  Replayable run;
  run.worked = worked_steps(model, only);
  run.refused = run.worked.missing;
  if (!run.refused.empty()) return run;
  const auto usual = usual_exchanges(run.worked);
  run.link = with_probe(link_of_buckets(run.worked, usual), run.worked, probe);
  run.replayed_ns = mean_value_of(replay(by_model(run.worked, run.link, usual)));
  const double off = run.replayed_ns / run.worked.recorded_ns - 1;
  if (std::abs(off) > kMostUnexplained)
    run.refused = fmt::format(
        "These records do not explain the step: replayed as it was it takes {:.1f} ms, recorded "
        "were {:.1f} ms.",
        run.replayed_ns / 1e6, run.worked.recorded_ns / 1e6);
  return run;
}

Prediction predict(const Replayable& run, const StepChange& change) {
  Prediction found;
  found.refused = run.refused;
  found.recorded_ns = run.worked.recorded_ns;
  found.steps = std::ssize(run.worked.steps);
  const auto& sizes = run.worked.bucket_bytes;
  const double bytes = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (change.bucket_mib > 0 && bytes > kMostBuckets * change.bucket_mib * kBytesPerMib)
    found.refused = fmt::format(
        "the gradients of a step make more than {:g} buckets of that size, "
        "and no more are replayed",
        kMostBuckets);
  if (!found.refused.empty()) return found;
  found.replayed_ns = run.replayed_ns;
  found.link = run.link;
  found.shares_cores = run.worked.shared;
  found.extrapolated =
      change.ranks > 0 && change.ranks != std::ssize(run.worked.steps.front().ranks);
  const WorkedSteps worked = changed(run.worked, change, run.link);
  const auto times = replay(worked);
  const double step_ns = mean_value_of(times);
  const double half = half_band(run, change, worked, times, step_ns);
  found.step_ns = {step_ns, std::max(0.0, step_ns - half), step_ns + half};
  return found;
}

std::string check_change(const StepChange& change, Rank ranks) {
  if (change.without_rank != kNoRank && (change.without_rank < 0 || change.without_rank >= ranks))
    return fmt::format("there is no rank {} in this run: its ranks are 0 to {}",
                       change.without_rank, ranks - 1);
  if (!(change.link > 0) || change.link > 1e6)
    return "the factor of a link is above 0 and at most 1,000,000";
  if (change.bucket_mib != 0 &&
      (!(change.bucket_mib >= kLeastBucketMib) || change.bucket_mib > 1e6))
    return "a bucket has at least 0.1 and at most 1,000,000 MiB";
  if (change.ranks != 0 && (change.ranks < 2 || change.ranks > kMostRanks))
    return fmt::format("a replay is of 2 to {} ranks", kMostRanks);
  return {};
}

}  // namespace ringside::analysis
