#include "gui/doctor/verdicts.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::doctor;
using nlohmann::json;

namespace {

Outcome outcome_of(const CheckVerdict& judged) { return result_of(kChecks[0], judged, 0).outcome; }

bool verdicts_holds(const CheckVerdict& judged, const std::string& what) {
  for (const Measure& measure : judged.measures) {
    if (measure.what == what) return measure.holds;
  }
  FAIL("no measure " + what);
  return false;
}

constexpr double kCalm = 1.0;
constexpr double kBusy = 0.5;

}  // namespace

TEST_CASE("Load: results equal the CPU's, and cuDNN and NCCL are the locked versions") {
  const json good{{"name", "H100"},       {"versions", "CUDA 13.0, NCCL 2.28.9"},
                  {"cudnn", 91900},       {"convolution_error", 0.0},
                  {"product_error", 0.0}, {"nccl_wrong", 0}};
  const LockedVersions locked{"2.28.9", "9.19.0.56"};
  CHECK(outcome_of(judge_load({good, good}, locked)) == Outcome::kPass);
  CHECK(!verdicts_holds(judge_load({good}, {"2.29.1", "9.19.0.56"}), "nccl"));
  CHECK(!verdicts_holds(judge_load({good}, {"2.28.9", "9.20.0.1"}), "cudnn"));
  json bad = good;
  bad["convolution_error"] = 5e-7;  // another algorithm rounds differently
  CHECK(outcome_of(judge_load({bad}, locked)) == Outcome::kPass);
  bad["convolution_error"] = 0.01;
  CHECK(!verdicts_holds(judge_load({bad}, locked), "convolution"));
  bad = good;
  bad["product_error"] = 0.5;
  CHECK(outcome_of(judge_load({good, bad}, locked)) == Outcome::kFail);
  CHECK(judge_load({good, bad}, locked).measures[4].sentence.starts_with("rank 1, H100: "));
  bad.erase("product_error");
  CHECK(outcome_of(judge_load({bad}, locked)) == Outcome::kFail);
  CHECK(!locked_versions().nccl.empty());
  CHECK(!locked_versions().cudnn.empty());
}

TEST_CASE("Identity: UUIDs in the requested order, and 1 GiB on that GPU alone") {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  CHECK(outcome_of(judge_identity(std::vector<GpuIdentity>{{"b", "b", kGiB}, {"a", "a", 0}})) ==
        Outcome::kPass);
  CHECK(!verdicts_holds(judge_identity(std::vector<GpuIdentity>{{"b", "a", kGiB}, {"a", "b", 0}}),
                        "uuids"));
  CHECK(!verdicts_holds(judge_identity(std::vector<GpuIdentity>{{"b", "b", 0}, {"a", "a", kGiB}}),
                        "memory"));
}

TEST_CASE("Copies: equal bits at any size, and 70 % of the link's bandwidth") {
  json facts{{"batches", 1000},
             {"bits_on_device", 9'007'199'254'740'993},
             {"bits_on_host", 9'007'199'254'740'993},
             {"batch_bytes", 62720},
             {"batch_bytes_per_s", 18e9},
             {"link_bytes_per_s", 25e9}};
  CHECK(outcome_of(judge_copies({facts})) == Outcome::kPass);
  facts["bits_on_host"] = 9'007'199'254'740'992;
  CHECK(!verdicts_holds(judge_copies({facts}), "bits"));
  facts["batch_bytes_per_s"] = 17e9;
  CHECK(!verdicts_holds(judge_copies({facts}), "bandwidth"));
}

TEST_CASE("All-reduce: no sum is wrong on any rank") {
  const json good{{"backend", "gloo"},
                  {"transport", "TCP"},
                  {"ranks", 2},
                  {"sizes", 13},
                  {"largest_bytes", 16777216},
                  {"wrong", 0},
                  {"bus_bytes_per_s", 1.2e9}};
  const auto judged = judge_sums({good, good});
  CHECK(outcome_of(judged) == Outcome::kPass);
  CHECK(judged.measures[0].sentence == "0 wrong sums in 13 sizes from 4 B to 16 MiB on 2 ranks");
  CHECK(judged.measures[1].sentence == "bus bandwidth 1.20 GB/s by gloo over TCP");
  json bad = good;
  bad["wrong"] = 3;
  CHECK(outcome_of(judge_sums({good, bad})) == Outcome::kFail);
}

TEST_CASE("DDP: losses within 1e-4 of a single process, and equal parameters") {
  CHECK(outcome_of(judge_ddp({{2.3, 2.2}, {2.30005, 2.2}}, true, 2)) == Outcome::kPass);
  CHECK(!verdicts_holds(judge_ddp({{2.3, 2.2}, {2.3002, 2.2}}, true, 2), "loss"));
  CHECK(!verdicts_holds(judge_ddp({{2.3, 2.2}, {2.3}}, true, 2), "loss"));
  CHECK(!verdicts_holds(judge_ddp({{2.3, std::nan("")}, {2.3, 2.2}}, true, 2), "loss"));
  CHECK(!verdicts_holds(judge_ddp({{}, {}}, true, 2), "loss"));
  CHECK(!verdicts_holds(judge_ddp({{2.3}, {2.3}}, false, 2), "ranks_equal"));
}

TEST_CASE("AMP: all ranks skip, keep their weights, halve the scale and train again") {
  const json good{{"skipped", true},      {"weights_moved", false}, {"scale_before", 65536},
                  {"scale_after", 32768}, {"next_skipped", false},  {"next_weights_moved", true}};
  CHECK(outcome_of(judge_overflow({good, good})) == Outcome::kPass);
  const auto with = [&good](const char* name, const json& value) {
    json bad = good;
    bad[name] = value;
    return judge_overflow({good, bad});
  };
  CHECK(!verdicts_holds(with("skipped", false), "skipped"));
  CHECK(!verdicts_holds(with("weights_moved", true), "unmoved"));
  CHECK(!verdicts_holds(with("scale_after", 65536), "halved"));
  CHECK(!verdicts_holds(with("next_weights_moved", false), "moved_after"));
  json none = good;
  none["scale_before"] = none["scale_after"] = 0;
  CHECK(!verdicts_holds(judge_overflow({none, none}), "halved"));
}

TEST_CASE(
    "Graph: losses within 1e-6 of the eager ones, and on a GPU a replayed step is not slower") {
  const TwoLosses equal{{2.3, 2.2}, {2.3, 2.2000005}};
  CHECK(outcome_of(judge_replay(equal, 28, 0, 1e6)) == Outcome::kPass);
  CHECK(outcome_of(judge_replay(equal, 28, 0.8e6, 1e6)) == Outcome::kPass);
  CHECK(!verdicts_holds(judge_replay(equal, 28, 1.2e6, 1e6), "step_time"));
  CHECK(!verdicts_holds(judge_replay(equal, 0, 0, 1e6), "replayed"));
  CHECK(!verdicts_holds(judge_replay({{2.3}, {2.30001}}, 28, 0, 1e6), "loss"));
}

TEST_CASE("Timing: 3 % of the host's clock, 0.98 to 1 of the wall time, and buckets in order") {
  const auto facts = [](double read_ns, std::size_t ranks = 2) {
    return RankFacts(ranks, json{{"pieces", 20}, {"read_ns", read_ns}, {"host_ns", 200e6}});
  };
  const StepTimes good{990, 1000, 62, 0};
  CHECK(outcome_of(judge_timing(facts(199e6), good, kCalm)) == Outcome::kPass);
  CHECK(!verdicts_holds(judge_timing(facts(190e6), good, kCalm), "calibrated"));
  CHECK(!verdicts_holds(judge_timing(facts(199e6), {970, 1000, 62, 0}, kCalm), "steps_of_wall"));
  CHECK(!verdicts_holds(judge_timing(facts(199e6), {990, 1000, 62, 1}, kCalm), "order"));
  CHECK(!verdicts_holds(judge_timing(facts(199e6), {990, 1000, 0, 0}, kCalm), "order"));
  CHECK(verdicts_holds(judge_timing(facts(199e6, 1), {990, 1000, 0, 0}, kCalm), "order"));
  CHECK(outcome_of(judge_timing(facts(199e6), {970, 1000, 62, 0}, kBusy)) == Outcome::kSkipped);
  // Noise cannot make the steps longer than the wall time.
  CHECK(outcome_of(judge_timing(facts(199e6), {1010, 1000, 62, 0}, kBusy)) == Outcome::kFail);
}

TEST_CASE("Straggler: the late rank in 95 % of the steps, and without a delay none in 80 %") {
  const Lateness calm{kNoRank, 100, {55, 45}, 0, std::nullopt, {}};
  const Lateness first{0, 100, {97, 3}, 97, 0, {}};
  const Lateness second{1, 100, {2, 98}, 98, 1, {}};
  CHECK(outcome_of(judge_straggler(std::vector{calm, first, second}, kCalm)) == Outcome::kPass);
  Lateness seldom = second;
  seldom.times_last = {10, 90};
  CHECK(outcome_of(judge_straggler(std::vector{calm, first, seldom}, kCalm)) == Outcome::kFail);
  Lateness unnamed = second;
  unnamed.named = std::nullopt;
  CHECK(outcome_of(judge_straggler(std::vector{calm, first, unnamed}, kCalm)) == Outcome::kFail);
  Lateness biased = calm;
  biased.times_last = {85, 15};
  biased.named = 0;
  CHECK(outcome_of(judge_straggler(std::vector{biased, first, second}, kCalm)) == Outcome::kFail);
  CHECK(outcome_of(judge_straggler(std::vector{biased, first, second}, kBusy)) ==
        Outcome::kSkipped);
  CHECK(outcome_of(judge_straggler(std::vector{calm, first, seldom}, kBusy)) == Outcome::kSkipped);
  Lateness wrong = second;
  wrong.times_last = {60, 40};
  CHECK(outcome_of(judge_straggler(std::vector{calm, first, wrong}, kBusy)) == Outcome::kFail);
  biased.named = std::nullopt;  // too often last all the same
  CHECK(outcome_of(judge_straggler(std::vector{biased, first, second}, kCalm)) == Outcome::kFail);
  biased.times_last = {80, 20};
  CHECK(outcome_of(judge_straggler(std::vector{biased, first, second}, kCalm)) == Outcome::kPass);
  Lateness noisy = calm;
  noisy.far_behind = 5;
  const auto judged = judge_straggler(std::vector{noisy, first, seldom}, kCalm);
  CHECK(outcome_of(judged) == Outcome::kSkipped);
  CHECK(judged.skipped.starts_with("too noisy"));
  CHECK(outcome_of(judge_straggler(std::vector{noisy, first, second}, kCalm)) == Outcome::kPass);
}

TEST_CASE("Straggler: the drift of device clocks is reported if it is known") {
  Lateness calm{kNoRank, 100, {55, 45}, 0, std::nullopt, {}};
  Lateness first{0, 100, {97, 3}, 97, 0, {}};
  const auto last = [&] {
    return judge_straggler(std::vector{calm, first}, kCalm).measures.back();
  };
  CHECK(last().what == "rank_0");  // as on CPU slots
  calm.drifts_ppm = {{0, 9}};
  first.drifts_ppm = {{0, -12}, {1, 3}};
  CHECK(last().sentence == "the GPUs' clocks against the host's: rank 0 -12 ppm, rank 1 +3 ppm");
  CHECK(last().what == "drift");
  CHECK(last().measured == 12);
  CHECK(last().holds);
}

TEST_CASE("Ends: all gone in 2 s, the run in the expected state, the checkpoint read again") {
  const RanksGone killed{"KILL of a rank", 0.3, "failed", true};
  const RanksGone late{"STOP of a rank", 2.5, "stopped", true};
  const RanksGone wrong{"KILL of a rank", 0.3, "finished", false};
  CHECK(outcome_of(judge_ends(std::vector{killed}, 4, 4, kCalm)) == Outcome::kPass);
  CHECK(outcome_of(judge_ends(std::vector{killed, late}, 4, 4, kCalm)) == Outcome::kFail);
  CHECK(outcome_of(judge_ends(std::vector{killed, late}, 4, 4, kBusy)) == Outcome::kSkipped);
  // A process with a GPU needs time to end, whatever it was doing.
  CHECK(outcome_of(judge_ends(std::vector{killed, late}, 4, 4, kCalm, 0.6)) == Outcome::kPass);
  CHECK(outcome_of(judge_ends(std::vector{killed, late}, 4, 4, kCalm, 0.4)) == Outcome::kFail);
  CHECK(outcome_of(judge_ends(std::vector{wrong, late}, 4, 4, kBusy)) == Outcome::kFail);
  CHECK(!verdicts_holds(judge_ends(std::vector{killed}, 4, 0, kBusy), "checkpoint"));
  CHECK(outcome_of(judge_ends(std::vector{killed, late}, 0, 0, kBusy)) == Outcome::kFail);
}

TEST_CASE("Feed: together 90 % of the slowest alone, and no socket beyond loopback") {
  const std::vector<std::string> local{"127.0.0.1", "::1"};
  json facts{{"images", 1000},
             {"gpu", false},
             {"loader_s", {0.1, 0.1, 0.1}},
             {"copy_s", {0.9, 0.9, 0.9}},
             {"model_s", {0.5, 0.5, 0.52}},
             {"together_s", {0.52, 0.55, 0.53}}};
  CHECK(outcome_of(judge_feed(facts, local, kCalm)) == Outcome::kPass);
  CHECK(!verdicts_holds(judge_feed(facts, std::vector<std::string>{"127.0.0.1", "0.0.0.0"}, kCalm),
                        "sockets"));
  CHECK(!verdicts_holds(judge_feed(facts, {}, kCalm), "sockets"));
  facts["together_s"] = {0.6, 0.6, 0.6};
  CHECK(outcome_of(judge_feed(facts, local, kCalm)) == Outcome::kFail);
  CHECK(outcome_of(judge_feed(facts, local, kBusy)) == Outcome::kSkipped);
  facts["model_s"] = {0.5, 0.5, 0.7};
  CHECK(judge_feed(facts, local, kCalm).skipped ==
        "too noisy: the model alone takes 0.50 to 0.70 s a round");
  // On a GPU the copy counts too.
  facts["model_s"] = {0.5, 0.5, 0.5};
  facts["gpu"] = true;
  CHECK(outcome_of(judge_feed(facts, local, kCalm)) == Outcome::kPass);
}
