// The sentence of each part of the waterfall: its number, range of steps, and confidence.
#include <cmath>

#include "gui/view/number_format.h"
#include "gui/view/scaling/waterfall_view.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using analysis::Loss;
using analysis::LostTime;
using analysis::Waterfall;

/// Milliseconds with as many decimals as a step of this length needs.
std::string step_text_of(double ns) {
  const double ms = ns / 1e6;
  const double size = std::abs(ms);
  return decimal_text(ms, size >= 10 ? 1 : size >= 1 ? 2 : 3) + " ms";
}

std::string long_text_of(double ns) {
  const double seconds = ns / 1e9;
  if (std::abs(seconds) < 0.1) return step_text_of(ns);
  return decimal_text(seconds, std::abs(seconds) >= 10 ? 1 : 2) + " s";
}

double per_time(const LostTime& part) {
  return part.times > 0 ? static_cast<double>(part.run_ns) / static_cast<double>(part.times) : 0;
}

/// The baseline's share for one step, evaluation or checkpoint of the run.
std::string ideal_text(const LostTime& part, std::string (*text_of)(double)) {
  return text_of(
      part.times > 0 ? static_cast<double>(part.ideal_ns) / static_cast<double>(part.times) : 0);
}

double baseline_per_time(const Waterfall& all, const LostTime& part) {
  if (part.baseline_times == 0) return 0;
  return static_cast<double>(part.ideal_ns) * all.ideal / static_cast<double>(part.baseline_times);
}

/// ", ideal 1.77 ms (3.54 ms on the baseline)": the first multiplied by the run's count is the
/// baseline's share.
std::string against_baseline(const Waterfall& all, const LostTime& part,
                             std::string (*text_of)(double)) {
  if (part.baseline_times == 0) return ", none on the baseline";
  const std::string theirs = text_of(baseline_per_time(all, part)) + " on the baseline";
  if (all.ideal == 1) return ", " + theirs;
  return ", ideal " + ideal_text(part, text_of) + " (" + theirs + ")";
}

std::string steps_of(std::int64_t steps) { return plural(steps, "step", "steps"); }

/// "; most in steps 1 to 281 (its loss ±0.4 s)."
std::string ending(const LostTime& part) {
  std::string text;
  if (part.worst.count() > 0)
    text +=
        "; most in steps " + count_text(part.worst.begin + 1) + " to " + count_text(part.worst.end);
  if (std::isfinite(part.error_ns)) {
    text += " (its loss ±" + long_text_of(part.error_ns) +
            (part.is_noise() ? ", within the noise)" : ")");
  }
  return text + ".";
}

/// "r2 loads 6.12 ms longer than the others"
std::string slow_text(const analysis::SlowRank& slow, const char* does) {
  return rank_label(slow.rank) + does + step_text_of(slow.excess_ns) + " longer than the others";
}

std::string each_step_text(const Waterfall& all, const LostTime& part, const char* what) {
  return step_text_of(per_time(part)) + what + " in each of " + steps_of(part.times) +
         against_baseline(all, part, step_text_of);
}

std::string data_text(const Waterfall& all, const LostTime& part) {
  if (part.slow) return slow_text(*part.slow, " loads ") + ", mean of " + steps_of(part.times);
  return each_step_text(all, part, "");
}

/// Whether the rank that comes last does so because it loads data longer, which is data wait.
bool late_by_data(const Waterfall& all) {
  const auto& loads = all.part(Loss::kDataWait).slow;
  return all.late && loads && loads->rank == all.late->rank;
}

std::string imbalance_text(const Waterfall& all, const LostTime& part) {
  if (all.speedup.devices == 1) return "One device waits for no other";
  const std::string over = steps_of(part.times);
  if (part.slow) return slow_text(*part.slow, " computes ") + ", mean of " + over;
  const std::string waits = step_text_of(per_time(part));
  if (late_by_data(all))
    return "Beyond what " + rank_label(all.late->rank) + " loads longer, the ranks wait " + waits +
           " per step for whoever computes longest, mean of " + over;
  if (all.late)
    return rank_label(all.late->rank) + " is ready last in " + percent_text(all.late->share) +
           " of " + over + ", by " + step_text_of(all.late->late_ns);
  return "The ranks wait " + waits + " per step for whoever computes longest; none stands out in " +
         over;
}

std::string transfer_text(const Waterfall& all, const LostTime& part) {
  if (all.speedup.devices == 1) return "One device exchanges nothing";
  std::string text = step_text_of(per_time(part)) + " of transfer in each of " +
                     steps_of(part.times) + " not hidden behind backward";
  if (all.transfer.steps > 0 && all.transfer.hidden_ns > 0.01 * per_time(part))
    text += "; " + step_text_of(all.transfer.hidden_ns) + " hidden in the last " +
            count_text(all.transfer.steps);
  return text;
}

std::string own_exchange_text(const Waterfall& all, const LostTime& part) {
  return "The baseline, one device, ran DDP with itself: " +
         step_text_of(baseline_per_time(all, part)) + " in each of " +
         steps_of(part.baseline_times) + ", which, divided by " + decimal_text(all.ideal, 0) +
         ", makes the ideal too long";
}

/// "31 % more", "5 % less"
std::string compared_text(double ours, double theirs) {
  const double more = ours / theirs - 1;
  return percent_text(std::abs(more)) + (more < 0 ? " less" : " more");
}

/// The compute time of one sample, which is comparable between batch sizes.
std::string compute_text(const Waterfall& all, const LostTime& part) {
  if (!(all.samples_per_step > 0) || !(all.baseline_samples_per_step > 0))
    return each_step_text(all, part, "");
  const double ours = per_time(part) / all.samples_per_step;
  const double theirs = baseline_per_time(all, part) / all.baseline_samples_per_step;
  const auto batch = [](double samples) {
    return decimal_text(samples, samples == std::floor(samples) ? 0 : 1);
  };
  return "A sample takes " + step_text_of(ours) + " in batches of " + batch(all.samples_per_step) +
         " per device, " + compared_text(ours, theirs) + " than the " + step_text_of(theirs) +
         " in those of " + batch(all.baseline_samples_per_step) + " on the baseline; mean of " +
         steps_of(part.times);
}

std::string each_time_text(const Waterfall& all, const LostTime& part, const char* one,
                           const char* many) {
  if (part.times == 0) return std::string("No ") + one + " here";
  return long_text_of(per_time(part)) + " in " +
         (part.times == 1 ? std::string("the one ") + one
                          : "each of " + plural(part.times, one, many)) +
         against_baseline(all, part, long_text_of);
}

/// The text names no ideal, as a run cannot reach it: one device writes a checkpoint as fast.
std::string checkpoint_text(const Waterfall& all, const LostTime& part) {
  const std::string text = each_time_text(all, part, "checkpoint", "checkpoints");
  return all.speedup.devices > 1 && part.times > 0 ? text + "; one rank writes, the others wait"
                                                   : text;
}

std::string rest_text(const Waterfall& all, const LostTime& part) {
  const std::string whole = long_text_of(static_cast<double>(all.run_ns));
  const double rest_ns = static_cast<double>(part.run_ns);
  // One rank can still be in a step while another evaluates.
  if (part.run_ns < 0)
    return "Steps, evaluation and checkpoints of different ranks overlap by " +
           long_text_of(-rest_ns) + " of " + whole;
  const std::string text =
      long_text_of(rest_ns) + " of " + whole + " lie outside of steps, evaluation and checkpoints";
  std::string missing;
  for (const LostTime& one : all.parts) {
    if (!one.measured) add_listed(missing, loss_word(one.loss));
  }
  return missing.empty() ? text : text + ", or in parts that were not measured (" + missing + ")";
}

std::string fact_of(const Waterfall& all, const LostTime& part) {
  switch (part.loss) {
    case Loss::kDataWait:
      return data_text(all, part);
    case Loss::kImbalance:
      return imbalance_text(all, part);
    case Loss::kTransfer:
      return transfer_text(all, part);
    case Loss::kOwnExchange:
      return own_exchange_text(all, part);
    case Loss::kCompute:
      return compute_text(all, part);
    case Loss::kOverhead:
      return each_step_text(all, part, " between the phases");
    case Loss::kOptimizer:
      return each_step_text(all, part, "");
    case Loss::kEvaluation:
      return each_time_text(all, part, "evaluation", "evaluations");
    case Loss::kCheckpoint:
      return checkpoint_text(all, part);
    case Loss::kNotMeasured:
    case Loss::kCount:
      break;
  }
  return rest_text(all, part);
}

std::string short_of_time(const LostTime& part, const char* each) {
  const std::string ours = long_text_of(per_time(part)) + each;
  if (part.baseline_times == 0) return ours + ", none on the baseline";
  return ours + ", ideal " + ideal_text(part, long_text_of);
}

std::string short_imbalance(const Waterfall& all, const LostTime& part) {
  if (part.slow) return slow_text(*part.slow, " computes ");
  if (all.late && !late_by_data(all))
    return rank_label(all.late->rank) + " is ready last in " + percent_text(all.late->share) +
           ", by " + step_text_of(all.late->late_ns);
  return step_text_of(per_time(part)) + " per step; no rank stands out";
}

std::string short_compute(const Waterfall& all, const LostTime& part) {
  if (!(all.samples_per_step > 0) || !(all.baseline_samples_per_step > 0))
    return short_of_time(part, " per step");
  const double ours = per_time(part) / all.samples_per_step;
  const double theirs = baseline_per_time(all, part) / all.baseline_samples_per_step;
  return step_text_of(ours) + " per sample, " + compared_text(ours, theirs) + " than the baseline" +
         (part.is_noise() ? ", within the noise" : "");
}

}  // namespace

std::string loss_word(Loss loss) {
  // The order is that of analysis::Loss.
  constexpr const char* kWords[] = {"Data wait",           "Compute imbalance", "Exposed transfer",
                                    "Baseline's exchange", "Slower compute",    "Step overhead",
                                    "Optimizer",           "Evaluation",        "Checkpoint",
                                    "Not measured"};
  static_assert(std::size(kWords) == analysis::kLosses);
  return kWords[index_of(loss)];
}

std::string loss_hint(const Waterfall& all, const LostTime& part) {
  if (!part.measured) return "not measured by both";
  switch (part.loss) {
    case Loss::kDataWait:
      return part.slow ? slow_text(*part.slow, " loads ") : short_of_time(part, " per step");
    case Loss::kImbalance:
      return short_imbalance(all, part);
    case Loss::kTransfer:
      return step_text_of(per_time(part)) + " per step not hidden behind backward";
    case Loss::kOwnExchange:
      return step_text_of(baseline_per_time(all, part)) +
             " per step of the baseline, DDP with itself";
    case Loss::kCompute:
      return short_compute(all, part);
    case Loss::kOverhead:
    case Loss::kOptimizer:
      return short_of_time(part, " per step");
    case Loss::kEvaluation:
    case Loss::kCheckpoint:
      return part.times == 0 ? "none here" : short_of_time(part, " each");
    case Loss::kNotMeasured:
    case Loss::kCount:
      break;
  }
  if (part.run_ns < 0)
    return "phases of the ranks overlap by " + long_text_of(-static_cast<double>(part.run_ns));
  return long_text_of(static_cast<double>(part.run_ns)) + " of " +
         long_text_of(static_cast<double>(all.run_ns)) + " outside of all of these";
}

std::string loss_sentence(const Waterfall& all, const LostTime& part) {
  if (!part.measured) return "Not measured by this run or its baseline.";
  return fact_of(all, part) + ending(part);
}

}  // namespace ringside::view
