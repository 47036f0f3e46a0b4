#include "gui/session/launch/wanted_run.h"

#include <optional>
#include <utility>

#include "gui/session/studies/study_form_plan.h"
#include "gui/session/studies/study_start.h"
#include "gui/session/studies/study_wish.h"

namespace ringside::session {
namespace {

constexpr const char* kSlurm = "Slurm";  // title of its check

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

Result<StudyPlan> plan_wanted(const WantedRun& run) {
  StudyWish wish;
  wish.spec = run.spec;
  wish.request.one_setting = true;
  wish.preset = run.preset;
  wish.earlier = run.earlier;
  const auto chosen = RINGSIDE_TRY(chosen_place(run.form, run.spec.devices.kind));
  wish = RINGSIDE_TRY(in_place(std::move(wish), *chosen));
  if (wish.where->is_here()) return plan_study(run.runs_dir, wish, run.machine);
  const auto machine = RINGSIDE_TRY(wish.where->machine({}));
  return plan_study(run.runs_dir, wish, machine);
}

Preflight check_on_slurm(WantedRun run, const Clock& clock) {
  Preflight found;
  found.told_mono_ns = run.told_mono_ns;
  const std::int64_t now_ns = clock.mono_ns();
  if (!run.told_mono_ns || now_ns - *run.told_mono_ns >= kToldForNs)
    found.told_mono_ns = ask_anew(run.form) ? std::optional(now_ns) : std::nullopt;
  found.allocation = run.form.allocation();
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
  if (!shown) fail(kSlurm, shown.error());
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
