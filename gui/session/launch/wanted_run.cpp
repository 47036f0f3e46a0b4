#include "gui/session/launch/wanted_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gui/place/kinds.h"
#include "gui/runs/find_run.h"
#include "gui/runs/probe_file.h"
#include "gui/session/machines/known_probe.h"
#include "gui/session/machines/machine_summary.h"
#include "gui/session/machines/remote_start.h"
#include "gui/session/studies/plan_request.h"
#include "gui/session/studies/study_form_plan.h"
#include "gui/session/studies/study_start.h"
#include "gui/view/launch/launch_probe.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

constexpr std::size_t kMostBaselines = 3;
constexpr const char* kElsewhere = "Other machine";  // title of its one check

/// The checks for this machine, with notes that say what is done about the baseline and why.
std::vector<view::CheckView> checks_here(const WantedRun& run, const launch::HostActivity& around) {
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

/// How the chosen devices are linked; nothing for one device or for several machines.
std::optional<view::CheckView> links_check(const view::LaunchForm& form, const WantedRun& run,
                                           const view::MachineSummary& summary,
                                           view::ProbeFacts facts) {
  const auto settled = launch::settled(run.spec, run.machine);
  const bool linked = settled && settled->devices.world_size >= 2 && settled->devices.nodes == 1;
  if (!linked) return std::nullopt;
  const auto probe = known_probe(*settled, run.runs_dir);
  facts.newest = probe ? &*probe : nullptr;
  facts.now_wall_ns = SystemClock().wall_ns();
  return view::probe_check(*settled, facts, view::link_advice(form, summary));
}

/// Finished runs that equal the baseline of these settings, newest first, and the run that the
/// settings name.
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

}  // namespace

view::CheckView check_view(const launch::Check& check) {
  view::CheckView view{view::CheckState::kFail, check.title, check.detail,
                       view::label::kFailed,    check.hint,  check.command};
  if (check.verdict == launch::Verdict::kPass) {
    view.state = view::CheckState::kPass;
    view.word = view::label::kPass;
  } else if (check.verdict == launch::Verdict::kWarning) {
    view.state = view::CheckState::kWarning;
    view.word = view::label::kWarning;
  }
  return view;
}

Result<StudyPlan> plan_wanted(const WantedRun& run) {
  StudyPlanRequest plan_request;
  plan_request.spec = run.spec;
  plan_request.request.one_setting = true;
  plan_request.preset = run.preset;
  plan_request.earlier = run.earlier;
  const auto chosen = RINGSIDE_TRY(run.form.chosen());
  plan_request = RINGSIDE_TRY(in_place(std::move(plan_request), *chosen));
  if (plan_request.where->is_here()) return plan_study(run.runs_dir, plan_request, run.machine);
  const auto machine = RINGSIDE_TRY(plan_request.where->machine({}));
  return plan_study(run.runs_dir, plan_request, machine);
}

Preflight check_on_slurm(WantedRun run, const Clock& clock) {
  Preflight found;
  found.answered_mono_ns = run.answered_mono_ns;
  const std::int64_t now_ns = clock.mono_ns();
  if (!run.answered_mono_ns || now_ns - *run.answered_mono_ns >= kToldForNs)
    found.answered_mono_ns = ask_anew(run.form) ? std::optional(now_ns) : std::nullopt;
  found.there = run.form.there();
  const auto fail = [&found](const char* title, const Error& error) {
    found.checks.push_back(check_view({launch::Verdict::kFail, title, error.message, {}, {}}));
  };
  const auto planned = plan_wanted(run);
  if (!planned) {
    fail(launch::titles::kPlan, planned.error());
    return found;
  }
  for (const launch::Check& check : checks_of(*planned, run.machine, run.runs_dir))
    found.checks.push_back(check_view(check));
  auto shown = planned->where->preview(planned->plan, run.runs_dir);
  if (shown) found.argv = std::move(shown->back().argv);
  if (!shown) fail(found.there->offer().kind->title, shown.error());
  return found;
}

Preflight check_here(const WantedRun& run, const std::vector<launch::ProgramAnswer>& programs,
                     const std::vector<view::BaselineChoice>& finished,
                     const view::LaunchForm& form, const view::ProbeFacts& probe) {
  Preflight found;
  found.answered_mono_ns = run.answered_mono_ns;
  launch::HostActivity around = launch::inspect_host(run.machine);
  around.programs = programs;
  found.checks = checks_here(run, around);
  found.baselines = equal_baselines(run.spec, run.machine, run.earlier, finished);
  found.summary = summary_of(around, run.runs_dir);
  if (auto links = links_check(form, run, *found.summary, probe))
    found.checks.push_back(std::move(*links));
  return found;
}

Preflight check_there(const OtherMachine& machine, const WantedRun& run) {
  Preflight found;
  found.answered_mono_ns = run.answered_mono_ns;
  found.checks = {{view::CheckState::kLater, kElsewhere,
                   remote::text_of(machine.address) + " checks it when it starts",
                   view::label::kLater}};
  if (!run.form.on()) return found;
  auto job = plan_job_there(machine, messages::to_toml(run.spec), run.form.typed());
  if (job) {
    found.argv = std::move(*job);
  } else {
    found.checks = {
        check_view({launch::Verdict::kFail, launch::titles::kPlan, job.error().message, {}, {}})};
  }
  return found;
}

Result<launch::Started> start_in_place(WantedRun run) {
  if (run.form.on()) (void)ask_anew(run.form);
  auto planned = RINGSIDE_TRY(plan_wanted(run));
  RINGSIDE_TRY(launch::refuse_failures(checks_of(planned, run.machine, run.runs_dir)));
  auto started = RINGSIDE_TRY(start_study(run.runs_dir, std::move(planned)));
  return std::move(started.runs);
}

}  // namespace ringside::session
