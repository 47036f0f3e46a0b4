#include "gui/session/studies/study_fit.h"

#include <algorithm>
#include <utility>

#include "gui/session/quick_fit.h"

namespace ringside::session {
namespace {

bool has_adopted(const StudyPlan& plan) {
  if (plan.study.settings.empty()) return !plan.plan.runs.back().spec.baseline.run.empty();
  return std::ranges::any_of(plan.study.settings,
                             [](const auto& setting) { return !setting.adopted.empty(); });
}

QuickFitRequest quick_fit_request(const StudyPlan& plan, const StudyFitRequest& asked) {
  QuickFitRequest plan_request;
  plan_request.probing = asked.probing;
  plan_request.cancelled = asked.cancelled;
  const bool one_setting = plan.study.settings.empty();
  if (!one_setting)
    for (const StudyPlan::Place& place : plan.places) plan_request.keys.push_back(place.key);
  // Adopted runs already have their size.
  plan_request.may_resize = !asked.chosen_size && !has_adopted(plan);
  plan_request.may_leave_out = !asked.chosen_settings;
  if (!one_setting) plan_request.time.all_s *= static_cast<double>(plan.study.head.repeats);
  return plan_request;
}

}  // namespace

launch::StudyRequest without_settings(launch::StudyRequest request,
                                      std::span<const std::string> keys) {
  const auto is_out = [&](const std::string& series, const launch::WorldSize& world) {
    return std::ranges::count(keys, series + "-" + launch::world_text(world)) > 0;
  };
  std::int64_t largest = 1;
  for (const launch::WorldSize& world : request.world)
    if (world.nodes == 1) largest = std::max(largest, world.devices);
  for (launch::StudyVariant& variant : request.variants)
    if (variant.devices == 0) variant.devices = largest;
  std::erase_if(request.variants,
                [&](const auto& variant) { return is_out(variant.word, {variant.devices}); });
  std::erase_if(request.world, [&](const auto& world) {
    return is_out("weak", world) || is_out("strong", world);
  });
  return request;
}

Result<StudyPlan> fit_study(const std::filesystem::path& runs_dir, const StudyPlanRequest& recipe,
                            StudyPlan plan, const launch::Machine& machine,
                            const StudyFitRequest& plan_request) {
  if (!plan.where->is_here() || plan.where->has_begun()) return plan;
  const auto fit =
      RINGSIDE_TRY(fit_quick(plan.plan, quick_fit_request(plan, plan_request), machine));
  if (fit.train_samples > 0 || !fit.left_out.empty()) {
    StudyPlanRequest smaller = recipe;
    if (fit.train_samples > 0) smaller.spec.data.train_samples = fit.train_samples;
    // Each rank gets as many threads as with all settings of the study.
    smaller.spec.devices.threads = plan.plan.runs.back().spec.devices.threads;
    smaller.request = without_settings(std::move(smaller.request), fit.left_out);
    auto planned = plan_study(runs_dir, smaller, machine);
    if (!planned) return planned;
    plan = std::move(*planned);
  }
  expect_seconds(fit, plan.plan);
  plan.quick = fit.lines;
  return plan;
}

}  // namespace ringside::session
