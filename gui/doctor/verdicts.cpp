#include "gui/doctor/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "protocol/host/listening.h"

namespace ringside::doctor {
namespace {

constexpr double kCalm = 0.9;  ///< on a busier machine limits on time do not count
constexpr double kMiB = 1024.0 * 1024.0;

double number(const nlohmann::json& facts, const char* name) {
  const auto found = facts.find(name);
  return found != facts.end() && found->is_number() ? found->get<double>() : std::nan("");
}

bool flag(const nlohmann::json& facts, const char* name) {
  const auto found = facts.find(name);
  return found != facts.end() && found->is_boolean() && found->get<bool>();
}

std::string text(const nlohmann::json& facts, const char* name) {
  const auto found = facts.find(name);
  return found != facts.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string rate_text(double bytes_per_s) { return fmt::format("{:.2f} GB/s", bytes_per_s / 1e9); }

double total(const RankFacts& ranks, const char* name) {
  double sum = 0;
  for (const auto& rank : ranks) sum += number(rank, name);
  return sum;
}

std::string too_noisy(double calm) {
  return fmt::format("too noisy: a busy thread gets {:.0f} % of one", calm * 100);
}

double largest_apart(const TwoLosses& losses, std::size_t& where) {
  double largest = 0;
  where = 0;
  const std::size_t steps = std::min(losses.ranks.size(), losses.other.size());
  for (std::size_t step = 0; step < steps; ++step) {
    const double apart = std::abs(losses.ranks[step] - losses.other[step]);
    if (apart <= largest) continue;  // NaN fails this comparison
    largest = std::isnan(apart) ? HUGE_VAL : apart;
    where = step;
  }
  return largest;
}

Measure losses_apart(const TwoLosses& losses, const char* other, double limit) {
  std::size_t where = 0;
  const double apart = largest_apart(losses, where);
  const bool comparable = !losses.ranks.empty() && losses.ranks.size() == losses.other.size();
  const double first = comparable ? losses.ranks[where] : std::nan("");
  const double second = comparable ? losses.other[where] : std::nan("");
  return {"loss",
          first,
          second,
          fmt::format("{:g} apart", limit),
          comparable && apart <= limit,
          fmt::format("loss at most {:.2g} apart over {} steps: {:.9g} and {:.9g} {}", apart,
                      losses.ranks.size(), first, second, other)};
}

// Clock drift of each rank, from the newest run that was long enough to measure it.
std::optional<Measure> drift_of(std::span<const Lateness> runs) {
  std::map<Rank, double> known;
  for (const Lateness& run : runs) {
    for (const auto& [rank, ppm] : run.drifts_ppm) known[rank] = ppm;
  }
  double largest = 0;
  std::string each;
  for (const auto& [rank, ppm] : known) {
    each += fmt::format("{}rank {} {:+.0f} ppm", each.empty() ? "" : ", ", rank, ppm);
    largest = std::max(largest, std::abs(ppm));
  }
  if (known.empty()) return std::nullopt;
  return Measure{"drift", largest, 0, "", true, "the GPUs' clocks against the host's: " + each};
}

}  // namespace

LockedVersions locked_versions() { return {RINGSIDE_LOCKED_NCCL, RINGSIDE_LOCKED_CUDNN}; }

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

CheckVerdict judge_load(const RankFacts& ranks, const LockedVersions& locked) {
  CheckVerdict judged;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto& facts = ranks[rank];
    constexpr double kConvolution = 1e-3;  // cuDNN's Winograd and FFT algorithms are not exact
    const double convolution = number(facts, "convolution_error");
    const double wrong = number(facts, "product_error") + number(facts, "nccl_wrong");
    const bool fails = wrong != 0 || !(convolution <= kConvolution);
    const std::string which = fails && ranks.size() > 1 ? fmt::format("rank {}, ", rank) : "";
    judged.measures.push_back(
        {"compute", wrong, 0, "0", wrong == 0,
         fmt::format("{}{}: matrix product and all-reduce are {:g} away from the CPU's", which,
                     text(facts, "name"), wrong)});
    judged.measures.push_back(
        {"convolution", convolution, kConvolution, "0.001 of the largest",
         convolution <= kConvolution,
         fmt::format("{}the convolution is {:g} of its largest number away", which, convolution)});
    if (rank > 0) continue;
    // The package's version "9.19.0.56" is 91900 in the library.
    int major = 0;
    int minor = 0;
    int patch = 0;
    (void)std::sscanf(locked.cudnn.c_str(), "%d.%d.%d", &major, &minor, &patch);
    const double wanted = major * 10000.0 + minor * 100.0 + patch;
    judged.measures.push_back(
        {"cudnn", number(facts, "cudnn"), wanted, "equal", number(facts, "cudnn") == wanted,
         fmt::format("cuDNN {:.0f}, built for {:.0f}", number(facts, "cudnn"), wanted)});
    const std::string versions = text(facts, "versions");
    judged.measures.push_back({"nccl", 0, 0, "equal",
                               versions.find("NCCL " + locked.nccl) != std::string::npos,
                               versions + ", built for NCCL " + locked.nccl});
  }
  return judged;
}

CheckVerdict judge_copies(const RankFacts& ranks) {
  constexpr double kLeastOfLink = 0.7;
  const auto& facts = ranks.front();
  const double on_device = number(facts, "bits_on_device");
  const double on_host = number(facts, "bits_on_host");
  const double rate = number(facts, "batch_bytes_per_s");
  const double link = number(facts, "link_bytes_per_s");
  // Compared as integers: a double has too few digits for the sum of bits.
  const bool equal = facts.value("bits_on_device", nlohmann::json()) ==
                     facts.value("bits_on_host", nlohmann::json(1.5));
  return {{{"bits", on_device, on_host, "equal", equal,
            fmt::format("sums of bits of {:.0f} batches: {:.0f} on the device, {:.0f} on the host",
                        number(facts, "batches"), on_device, on_host)},
           {"bandwidth", rate, link, "70 % of the link", rate >= kLeastOfLink * link,
            fmt::format("batches of {:.2f} MiB at {}, one large copy at {}",
                        number(facts, "batch_bytes") / kMiB, rate_text(rate), rate_text(link))}},
          {}};
}

CheckVerdict judge_sums(const RankFacts& ranks) {
  const auto& facts = ranks.front();
  const double wrong = total(ranks, "wrong");
  const double rate = number(facts, "bus_bytes_per_s");
  const std::string transport = text(facts, "transport");
  return {{{"wrong_sums", wrong, number(facts, "sizes"), "0", wrong == 0,
            fmt::format("{:.0f} wrong sums in {:.0f} sizes from 4 B to {:.0f} MiB on {:.0f} ranks",
                        wrong, number(facts, "sizes"), number(facts, "largest_bytes") / kMiB,
                        number(facts, "ranks"))},
           {"bus_bandwidth", rate, 0, "", true,
            fmt::format("bus bandwidth {} by {} over {}", rate_text(rate), text(facts, "backend"),
                        transport.empty() ? "an unknown transport" : transport)}},
          {}};
}

CheckVerdict judge_overflow(const RankFacts& ranks) {
  const auto count = [&ranks](const auto& holds) {
    return static_cast<double>(std::ranges::count_if(ranks, holds));
  };
  const auto all = static_cast<double>(ranks.size());
  const double skipped = count([](const auto& rank) { return flag(rank, "skipped"); });
  const double unmoved = count([](const auto& rank) { return !flag(rank, "weights_moved"); });
  const double moved_after =
      count([](const auto& rank) { return flag(rank, "next_weights_moved"); });
  const double before = number(ranks.front(), "scale_before");
  const double halved = count([before](const auto& rank) {
    return before > 0 && number(rank, "scale_before") == before &&
           number(rank, "scale_after") == before / 2;
  });
  const double after = number(ranks.back(), "scale_after");
  const auto measure = [all](const char* what, double found, const std::string& sentence) {
    return Measure{what,         found,
                   all,          "all",
                   found == all, fmt::format("{:.0f} of {:.0f} ranks {}", found, all, sentence)};
  };
  return {{measure("skipped", skipped, "skipped the step"),
           measure("unmoved", unmoved, "kept their weights"),
           measure("halved", halved, fmt::format("halved the scale, {:g} to {:g}", before, after)),
           measure("moved_after", moved_after, "learned again in the next step")},
          {}};
}

CheckVerdict judge_identity(std::span<const GpuIdentity> ranks) {
  constexpr double kLeast = 0.9;
  constexpr double kMostElsewhere = 0.1;
  constexpr double kTaken = 1024 * kMiB;
  const auto same = std::ranges::count_if(
      ranks, [](const GpuIdentity& gpu) { return gpu.asked_uuid == gpu.cuda_uuid; });
  double elsewhere = 0;
  for (const GpuIdentity& gpu : ranks.subspan(1))
    elsewhere = std::max(elsewhere, static_cast<double>(gpu.grown_bytes));
  const auto here = static_cast<double>(ranks.front().grown_bytes);
  const auto all = static_cast<double>(ranks.size());
  return {{{"uuids", static_cast<double>(same), all, "all", same == std::ssize(ranks),
            fmt::format("{} of {} UUIDs of CUDA are those asked for, in reversed order", same,
                        ranks.size())},
           {"memory", here, elsewhere, "1 GiB there, 0.1 GiB elsewhere",
            here >= kLeast * kTaken && elsewhere <= kMostElsewhere * kTaken,
            fmt::format("of 1 GiB taken NVML shows {:.0f} MiB there and {:.0f} MiB elsewhere",
                        here / kMiB, elsewhere / kMiB)}},
          {}};
}

CheckVerdict judge_ddp(const TwoLosses& losses, bool ranks_equal, Rank ranks) {
  CheckVerdict judged{{losses_apart(losses, "of one process on the CPU", 1e-4)}, {}};
  judged.measures.push_back({"ranks_equal", ranks_equal ? static_cast<double>(ranks) : 0,
                             static_cast<double>(ranks), "all", ranks_equal,
                             fmt::format("parameters of {} ranks {}", ranks,
                                         ranks_equal ? "are equal bit by bit" : "differ")});
  return judged;
}

CheckVerdict judge_replay(const TwoLosses& losses, std::int64_t replayed, double replay_ns,
                          double eager_ns) {
  constexpr double kMostSlower = 1.05;
  CheckVerdict judged{{losses_apart(losses, "eagerly", 1e-6)}, {}};
  const auto steps = static_cast<double>(losses.ranks.size());
  judged.measures.push_back({"replayed", static_cast<double>(replayed), steps, "at least 1",
                             replayed > 0, fmt::format("{} steps were replayed", replayed)});
  if (replay_ns <= 0) return judged;
  judged.measures.push_back({"step_time", replay_ns, eager_ns, "not slower",
                             replay_ns <= kMostSlower * eager_ns,
                             fmt::format("a replayed step takes {:.3f} ms, an eager one {:.3f} ms",
                                         replay_ns / 1e6, eager_ns / 1e6)});
  return judged;
}

CheckVerdict judge_timing(const RankFacts& ranks, const StepTimes& times, double calm) {
  constexpr double kMostOff = 0.03;
  constexpr double kLeastOfWall = 0.98;
  constexpr double kMostOfWall = 1.0;
  const double read = number(ranks.front(), "read_ns");
  const double host = number(ranks.front(), "host_ns");
  const double pieces = number(ranks.front(), "pieces");
  const double share = times.steps_ns / times.wall_ns;
  CheckVerdict judged{
      {{"calibrated", read / pieces, host / pieces, "3 %", std::abs(read / host - 1) <= kMostOff,
        fmt::format("work of {:.3f} ms by the host's clock reads {:.3f} ms", host / pieces / 1e6,
                    read / pieces / 1e6)},
       {"steps_of_wall", times.steps_ns, times.wall_ns, "0.98 to 1.00",
        share >= kLeastOfWall && share <= kMostOfWall,
        fmt::format("steps are {:.4f} of the wall, {:.1f} of {:.1f} ms", share,
                    times.steps_ns / 1e6, times.wall_ns / 1e6)},
       {"order", static_cast<double>(times.out_of_turn), static_cast<double>(times.buckets), "0",
        times.out_of_turn == 0 && (times.buckets > 0 || ranks.size() == 1),
        fmt::format("{} of {} buckets are not ready, reduced and through in this order",
                    times.out_of_turn, times.buckets)}},
      {}};
  const bool late = !judged.measures[0].holds || share < kLeastOfWall;
  if (late && share <= kMostOfWall && calm < kCalm) judged.skipped = too_noisy(calm);
  return judged;
}

CheckVerdict judge_straggler(std::span<const Lateness> runs, double calm) {
  constexpr double kLeastNamed = 0.95;
  constexpr double kMostByChance = 0.8;
  constexpr double kMostFarBehind = 0.025;
  CheckVerdict judged;
  double noise = 0;
  // Set if another rank is last most of the time, which noise of a busy machine cannot cause.
  bool wrong_rank = false;
  for (const Lateness& run : runs) {
    const auto compared = static_cast<double>(run.compared);
    if (run.delayed == kNoRank) {
      noise = static_cast<double>(run.far_behind) / compared;
      const auto most = static_cast<double>(*std::ranges::max_element(run.times_last));
      judged.measures.push_back(
          {"undelayed", most, compared, "80 %", compared > 0 && most <= kMostByChance * compared,
           fmt::format("undelayed, one rank is last in {:.0f} of {:.0f} steps{}", most, compared,
                       run.named ? fmt::format(" and rank {} is named", *run.named) : "")});
      continue;
    }
    const auto last = static_cast<double>(run.times_last[static_cast<std::size_t>(run.delayed)]);
    wrong_rank = wrong_rank || last <= compared / 2;
    judged.measures.push_back(
        {fmt::format("rank_{}", run.delayed), last, compared, "95 %, and named",
         compared > 0 && last >= kLeastNamed * compared && run.named == run.delayed,
         fmt::format("rank {} late by 20 ms is last in {:.0f} of {:.0f} steps and {} named",
                     run.delayed, last, compared, run.named == run.delayed ? "is" : "is not")});
  }
  if (auto drift = drift_of(runs)) judged.measures.push_back(std::move(*drift));
  const auto failed =
      std::ranges::count_if(judged.measures, [](const Measure& measure) { return !measure.holds; });
  if (failed > 0 && noise > kMostFarBehind) {
    judged.skipped = fmt::format(
        "too noisy: without a delay some rank is 10 ms late in {:.0f} % of the steps", noise * 100);
  } else if (failed > 0 && !wrong_rank && calm < kCalm) {
    // A rank that shares its core is late and rightly named, and sometimes later than the delayed
    // one.
    judged.skipped = too_noisy(calm);
  }
  return judged;
}

CheckVerdict judge_ends(std::span<const RanksGone> gone, Step saved_at, Step resumed_at,
                        double calm, double bare_s) {
  const double most_s = 2 + bare_s;
  CheckVerdict judged;
  bool late_only = true;
  for (const RanksGone& one : gone) {
    const bool in_time = one.seconds <= most_s;
    late_only = late_only && one.state_ok;
    judged.measures.push_back(
        {one.how, one.seconds, most_s, fmt::format("{:g} s", most_s), in_time && one.state_ok,
         fmt::format("{}: all gone after {:.2f} s, run {}", one.how, one.seconds, one.state)});
  }
  const bool loads = saved_at > 0 && resumed_at == saved_at;
  judged.measures.push_back(
      {"checkpoint", static_cast<double>(saved_at), static_cast<double>(resumed_at), "equal", loads,
       fmt::format("saved after step {}, went on from step {}", saved_at, resumed_at)});
  const bool holds =
      std::ranges::all_of(judged.measures, [](const Measure& measure) { return measure.holds; });
  if (!holds && late_only && loads && calm < kCalm) judged.skipped = too_noisy(calm);
  return judged;
}

CheckVerdict judge_feed(const nlohmann::json& facts, std::span<const std::string> listening,
                        double calm) {
  constexpr double kLeast = 0.9;
  constexpr double kWidest = 1.2;
  const auto seconds = [&facts](const char* name) {
    return facts.value(name, std::vector<double>());
  };
  const double images = number(facts, "images");
  const double loader = images / median(seconds("loader_s"));
  const double model = images / median(seconds("model_s"));
  const double together = images / median(seconds("together_s"));
  double slowest = std::min(loader, model);
  std::string copy;
  if (flag(facts, "gpu")) {
    const double rate = images / median(seconds("copy_s"));
    slowest = std::min(slowest, rate);
    copy = fmt::format(", copy {:.0f}", rate);
  }
  const auto outside =
      std::ranges::count_if(listening, [](const auto& address) { return !is_loopback(address); });
  CheckVerdict judged{
      {{"together", together, slowest, "90 % of the slowest", together >= kLeast * slowest,
        fmt::format("images/s: loader {:.0f}{}, model {:.0f}, together {:.0f}", loader, copy, model,
                    together)},
       {"sockets", static_cast<double>(outside), static_cast<double>(listening.size()),
        "0 beyond loopback", outside == 0 && !listening.empty(),
        fmt::format("{} of {} listening sockets reach beyond loopback", outside,
                    listening.size())}},
      {}};
  const auto rounds = seconds("model_s");
  const auto [least, most] = std::ranges::minmax_element(rounds);
  const bool wide = least != rounds.end() && *most > kWidest * *least;
  if (!judged.measures[0].holds && judged.measures[1].holds && (wide || calm < kCalm)) {
    judged.skipped =
        wide ? fmt::format("too noisy: the model alone takes {:.2f} to {:.2f} s a round", *least,
                           *most)
             : too_noisy(calm);
  }
  return judged;
}

}  // namespace ringside::doctor
