#include "gui/launch/preflight/fast.h"

#include <algorithm>

#include "protocol/messages/spec/spec_problems.h"

namespace ringside::launch {
namespace {

constexpr int kFirstWithBf16 = 8;  // Ampere
// Limit of a short step: the host takes half of it to enqueue a step of ResNet-18.
constexpr double kShortStepMs = 3.0;

}  // namespace

std::string why_not_fast(const messages::RunSpec& spec,
                         const std::vector<std::string>& capabilities) {
  if (!spec.program.argv.empty()) return "a command computes as its own program says";
  if (spec.model.name == "none") return "no model is trained";
  if (spec.devices.kind == "cpu" || capabilities.empty()) return "the ranks have no GPUs";
  for (const std::string& capability : capabilities) {
    if (capability.empty()) return "a GPU does not say its compute capability";
    if (std::atoi(capability.c_str()) < kFirstWithBf16)
      return "a GPU of compute capability " + capability + " has no bf16, which 8.0 and newer have";
  }
  return {};
}

std::vector<std::string> capabilities_of(const messages::RunSpec& spec, const Machine& machine) {
  const auto& ids = spec.devices.ids;
  std::vector<std::string> found;
  for (const Gpu& gpu : machine.gpus) {
    if (ids.empty() || std::find(ids.begin(), ids.end(), gpu.uuid) != ids.end())
      found.push_back(gpu.capability);
  }
  return found;
}

std::vector<std::string> fast_settings(const messages::RunSpec& spec,
                                       std::optional<double> step_ms) {
  std::vector<std::string> sets{"train.precision=bf16", "train.channels_last=true"};
  if (!spec.train.deterministic) sets.emplace_back("train.cudnn_benchmark=true");
  if (!step_ms || *step_ms >= kShortStepMs) return sets;
  messages::RunSpec recorded = spec;
  recorded.train.cuda_graph = true;
  if (messages::problems(recorded).size() <= messages::problems(spec).size())
    sets.emplace_back("train.cuda_graph=true");
  return sets;
}

bool is_fast(const messages::RunSpec& spec) {
  return spec.train.precision == "bf16" && spec.train.channels_last &&
         (spec.train.cudnn_benchmark || spec.train.deterministic);
}

std::optional<Check> check_speed(const Plan& plan, const Machine& machine) {
  const auto spec = plan.runs.empty() ? messages::RunSpec() : plan.runs.back().spec;
  if (!why_not_fast(spec, capabilities_of(spec, machine)).empty()) return std::nullopt;
  if (is_fast(spec)) return Check{Verdict::kPass, kSpeedTitle, kFastEffect, {}, {}};
  return Check{Verdict::kPass,
               kSpeedTitle,
               "these GPUs compute bf16 faster than fp32, and a run does not use that by itself",
               std::string("`ringside run --fast` sets it: ") + kFastEffect,
               {}};
}

}  // namespace ringside::launch
