#include "gui/session/launch_place.h"

#include <optional>
#include <utility>

#include "gui/slurm/steps.h"

namespace ringside::session {
namespace {

constexpr const char* kSlurm = "Slurm";  // title of its check

struct Planned {
  launch::Plan plan;
  place::PlacePtr where;
};

Result<Planned> plan_in_place(const WantedRun& run) {
  const auto where = RINGSIDE_TRY(chosen_place(run.form, run.spec.devices.kind));
  const bool here = where->is_here();
  const auto spec = RINGSIDE_TRY(where->settled(run.spec));
  const auto machine = here ? Result<launch::Machine>(run.machine) : where->machine({});
  if (!machine) return pass(machine);
  auto plan = RINGSIDE_TRY(launch::plan_experiment(spec, *machine, run.find,
                                                   here ? run.find_equal : launch::FindEqual()));
  launch::keep_source(plan, run.preset);
  return Planned{std::move(plan), where};
}

}  // namespace

Result<place::PlacePtr> chosen_place(const view::SlurmForm& form, const std::string& kind) {
  if (!form.on()) return place::here(form.allocation());
  auto asked = RINGSIDE_TRY(form.asked(kind));
  return place::on_slurm(std::move(asked), form.allocation());
}

bool ask_anew(view::SlurmForm& form, const launch::Cancelled& cancelled) {
  if (!form.allocation()) return false;
  const auto told = slurm::ask_allocation(cancelled);
  form.set_allocation(told);
  return told && told->gpus_unknown.empty();
}

// Only the files of a cluster's machines can be checked from here.
SlurmPreflight check_on_slurm(WantedRun run, const Clock& clock) {
  SlurmPreflight found;
  found.told_mono_ns = run.told_mono_ns;
  const std::int64_t now_ns = clock.mono_ns();
  if (!run.told_mono_ns || now_ns - *run.told_mono_ns >= kToldForNs)
    found.told_mono_ns = ask_anew(run.form) ? std::optional(now_ns) : std::nullopt;
  found.allocation = run.form.allocation();
  const auto fail = [&found](const char* title, const Error& error) {
    found.checks.push_back({launch::Verdict::kFail, title, error.message, {}, {}});
  };
  const auto planned = plan_in_place(run);
  if (!planned) {
    fail(launch::titles::kPlan, planned.error());
    return found;
  }
  found.checks = launch::check_files(planned->plan, run.runs_dir);
  auto shown = planned->where->preview(planned->plan, run.runs_dir, false);
  if (shown) found.argv = std::move(shown->back().argv);
  if (!shown) fail(kSlurm, shown.error());
  return found;
}

Result<launch::Experiment> start_in_place(WantedRun run) {
  if (run.form.on()) (void)ask_anew(run.form);
  const auto planned = RINGSIDE_TRY(plan_in_place(run));
  RINGSIDE_TRY(launch::refuse_failures(
      planned.where->is_here()
          ? launch::preflight(planned.plan, launch::look_around(run.machine), run.runs_dir)
          : launch::check_files(planned.plan, run.runs_dir)));
  return planned.where->start(planned.plan, run.runs_dir, {});
}

}  // namespace ringside::session
