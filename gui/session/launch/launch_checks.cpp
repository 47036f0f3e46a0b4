#include "gui/session/launch/launch_checks.h"

#include <algorithm>
#include <utility>

#include "gui/runs/find_run.h"
#include "gui/runs/probe_file.h"
#include "gui/session/machines/known_probe.h"
#include "gui/view/launch/launch_probe.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

constexpr std::size_t kMostBaselines = 3;

}  // namespace

view::CheckView check_view(const launch::Check& check) {
  switch (check.verdict) {
    case launch::Verdict::kPass:
      return {view::CheckState::kPass, check.title, check.detail,
              view::label::kPass,      check.hint,  check.command};
    case launch::Verdict::kWarning:
      return {view::CheckState::kWarning, check.title, check.detail,
              view::label::kWarning,      check.hint,  check.command};
    case launch::Verdict::kFail:
      break;
  }
  return {view::CheckState::kFail, check.title, check.detail,
          view::label::kFailed,    check.hint,  check.command};
}

std::vector<view::CheckView> checks_here(const WantedRun& run, const launch::Surroundings& around) {
  const auto plan = plan_wanted(run);
  if (!plan) {
    return {
        check_view({launch::Verdict::kFail, launch::titles::kPlan, plan.error().message, {}, {}})};
  }
  auto checks = launch::preflight(plan->plan, around, run.runs_dir);
  for (const std::string& note : plan->plan.notes)
    checks.push_back({launch::Verdict::kPass, "Baseline", note, {}, {}});
  std::vector<view::CheckView> views;
  for (launch::Check& check : checks) {
    check.detail = runs::name_runs(std::move(check.detail), run.runs_dir);
    views.push_back(check_view(check));
  }
  return views;
}

std::optional<view::CheckView> links_check(const view::LaunchForm& form,
                                           const messages::RunSpec& spec,
                                           const launch::Machine& machine,
                                           const view::MachineSummary& summary,
                                           const std::filesystem::path& runs_dir,
                                           view::ProbeFacts facts) {
  const auto settled = launch::settled(spec, machine);
  const bool linked = settled && settled->devices.world_size >= 2 && settled->devices.nodes == 1;
  if (!linked) return std::nullopt;
  const auto probe = known_probe(*settled, runs_dir);
  facts.newest = probe ? &*probe : nullptr;
  facts.now_wall_ns = SystemClock().wall_ns();
  return view::probe_check(*settled, facts, view::link_advice(form, summary));
}

std::vector<view::BaselineChoice> equal_baselines(const messages::RunSpec& spec,
                                                  const launch::Machine& machine,
                                                  const std::vector<launch::EarlierRun>& earlier,
                                                  const std::vector<view::BaselineChoice>& shown) {
  std::vector<view::BaselineChoice> choices;
  const auto whole = launch::settled(spec, machine);
  for (const view::BaselineChoice& choice : shown) {
    if (!whole) break;
    const bool named = spec.baseline.mode == "reuse" && spec.baseline.run == choice.id;
    if (!named && choices.size() >= kMostBaselines) continue;
    const auto run = std::find_if(earlier.begin(), earlier.end(),
                                  [&](const auto& one) { return one.id == choice.id; });
    if (run == earlier.end()) continue;
    launch::Equality equality = launch::equal_baseline(*whole, *run, machine);
    if (!equality.equal && !named) continue;
    choices.push_back(choice);
    choices.back().same_work = equality.equal || launch::not_comparable(*whole, *run).empty();
    choices.back().brief = std::move(equality.brief);
    choices.back().reason = std::move(equality.reason);
  }
  return choices;
}

}  // namespace ringside::session
