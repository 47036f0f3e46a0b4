#include "trainer/engine/loop/loop_reports.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include <c10/core/CachingDeviceAllocator.h>

#include "protocol/base/clock.h"
#include "protocol/messages/memory_names.h"
#include "trainer/dist/consensus.h"
#include "trainer/engine/rank_records.h"

namespace ringside::engine {
namespace {

using messages::Phase;

double share_of(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

// Sums over all ranks.
struct Totals {
  double loss = 0.0;
  double correct = 0.0;
  double counted = 0.0;
  double padded = 0.0;
  double padded_correct = 0.0;

  double accuracy() const { return share_of(correct, counted); }
  /// Accuracy with each sample counted once.
  double exact_accuracy() const { return share_of(correct - padded_correct, counted - padded); }
};

Totals sum_up(const dist::ProcessGroups& groups, const PassResult& own) {
  double all[] = {own.sums.loss_sum, static_cast<double>(own.sums.correct),
                  static_cast<double>(own.sums.counted), static_cast<double>(own.padded),
                  static_cast<double>(own.padded_correct)};
  dist::sum_over_ranks(groups, all);
  return {all[0], all[1], all[2], all[3], all[4]};
}

void print_pass(const std::string& heading, Phase phase, const Totals& totals, double seconds) {
  std::printf("%s%-8s  loss %.4f  accuracy %6.2f %%  %.0f samples  %.2f s\n", heading.c_str(),
              std::string(messages::name_of(phase)).c_str(), share_of(totals.loss, totals.counted),
              100.0 * totals.accuracy(), totals.counted, seconds);
  if (phase != Phase::kTrain && totals.padded > 0) {
    std::printf(
        "  with %.0f repeats %.0f of %.0f correct; each sample once: %.0f of %.0f, %.4f %%\n",
        totals.padded, totals.correct, totals.counted, totals.correct - totals.padded_correct,
        totals.counted - totals.padded, 100.0 * totals.exact_accuracy());
  }
  std::fflush(stdout);
}

}  // namespace

void LoopReports::post_mib(const char* name, Step step, std::int64_t bytes) {
  constexpr double kMib = 1024.0 * 1024.0;
  reporter_.post(messages::Scalar{name, step, static_cast<double>(bytes) / kMib});
}

void LoopReports::memory_parts(Step step) {
  std::int64_t parameters = 0;
  for (const at::Tensor& one : parts_.replica->parameters())
    parameters += static_cast<std::int64_t>(one.nbytes());
  post_mib(messages::kMemoryParameters, step, parameters);
  post_mib(messages::kMemoryGradients, step, parts_.replica->gradient_bytes());
  post_mib(messages::kMemoryOptimizer, step, parts_.optimizer->state_bytes());
  told_parts_ = true;
}

void LoopReports::memory(Step step, std::int64_t step_ns) {
  if (!told_parts_) memory_parts(step);
  const at::Device device = parts_.placement.device;
  if (!device.is_cuda()) return;
  const std::int64_t steps_per_s = kSecondNs / std::max<std::int64_t>(1, step_ns);
  const auto every = static_cast<Step>(std::bit_ceil(static_cast<std::uint64_t>(steps_per_s) + 1));
  if (step % every != 0) return;
  const auto counted = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  post_mib(messages::kMemoryAllocated, step, counted.allocated_bytes[0].current);
  post_mib(messages::kMemoryReserved, step, counted.reserved_bytes[0].current);
  post_mib(messages::kMemoryPeak, step, counted.allocated_bytes[0].peak);
}

void LoopReports::flops(Step step, const FlopCount& count) {
  for (const auto& [kind, flops] : count.found()) {
    reporter_.post(
        messages::Scalar{"flops/" + kind + " per step", step, static_cast<double>(flops)});
  }
}

void print_line(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

double seconds_since(std::int64_t begin_ns) {
  return static_cast<double>(mono_now_ns() - begin_ns) * 1e-9;
}

void LoopReports::state(messages::State state, const std::string& text) {
  messages::RankState record = rank_state(state, parts_.env, text);
  record.last_step = progress_.now().step - 1;
  reporter_.post(record);
}

void LoopReports::notice(messages::Severity severity, const std::string& code,
                         const std::string& text) {
  messages::Notice notice;
  notice.severity = severity;
  notice.code = code;
  notice.text = text;
  reporter_.post(notice);
  print_line(text);
}

double LoopReports::pass(Phase phase, Epoch epoch, const PassResult& result, double seconds) {
  messages::EpochReport report;
  report.epoch = epoch;
  report.phase = phase;
  report.loss_sum = result.sums.loss_sum;
  report.correct = result.sums.correct;
  report.counted = result.sums.counted;
  report.padded = result.padded;
  report.padded_correct = result.padded_correct;
  report.steps = result.sums.steps;
  report.seconds = seconds;
  report.last_step = progress_.now().step - 1;
  report.idle_seconds = result.idle_seconds;
  reporter_.post(report);
  const Totals totals = sum_up(parts_.groups, result);
  if (parts_.is_first_rank()) {
    const std::string heading = phase == Phase::kTest
                                    ? std::string()
                                    : "epoch " + std::to_string(epoch + 1) + "/" +
                                          std::to_string(parts_.spec.train.epochs) + "  ";
    print_pass(heading, phase, totals, seconds);
  }
  return totals.exact_accuracy();
}

}  // namespace ringside::engine
