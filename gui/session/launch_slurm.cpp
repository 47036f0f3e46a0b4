#include "gui/session/launch_slurm.h"

#include <optional>
#include <utility>

#include "gui/slurm/jobs.h"
#include "gui/slurm/steps.h"

namespace ringside::session {
namespace {

constexpr const char* kSlurm = "Slurm";  // title of its check

struct Planned {
  launch::Plan plan;
  slurm::Options options;
};

Result<Planned> plan_on_slurm(const SlurmRun& run) {
  const auto asked = run.form.asked(run.spec.devices.kind);
  if (!asked) return pass(asked);
  auto plan =
      launch::plan_experiment(slurm::on_cluster(run.spec, *asked), slurm::cluster(), run.find);
  if (!plan) return pass(plan);
  launch::keep_source(*plan, run.preset);
  return Planned{std::move(*plan), *asked};
}

}  // namespace

bool ask_anew(view::SlurmForm& form, const launch::Cancelled& cancelled) {
  if (!form.allocation()) return false;
  const auto told = slurm::ask_allocation(cancelled);
  form.set_allocation(told);
  return told && told->gpus_unknown.empty();
}

// Of the machines of a cluster only the files are seen from here.
SlurmPreflight check_on_slurm(SlurmRun run, const Clock& clock) {
  SlurmPreflight found;
  found.told_mono_ns = run.told_mono_ns;
  const std::int64_t now_ns = clock.mono_ns();
  if (!run.told_mono_ns || now_ns - *run.told_mono_ns >= kToldForNs)
    found.told_mono_ns = ask_anew(run.form) ? std::optional(now_ns) : std::nullopt;
  found.allocation = run.form.allocation();
  const auto fail = [&found](const char* title, const Error& error) {
    found.checks.push_back({launch::Verdict::kFail, title, error.message, {}, {}});
  };
  const auto planned = plan_on_slurm(run);
  if (!planned) {
    fail(launch::titles::kPlan, planned.error());
    return found;
  }
  found.checks = launch::check_files(planned->plan, run.runs_dir);
  auto argv =
      found.allocation
          ? slurm::planned_steps(planned->plan, *found.allocation, run.runs_dir)
          : slurm::planned_argv(planned->plan.runs.back().spec, planned->options, run.runs_dir);
  if (argv) found.argv = std::move(*argv);
  if (!argv) fail(kSlurm, argv.error());
  return found;
}

Result<launch::Experiment> start_on_slurm(SlurmRun run) {
  (void)ask_anew(run.form);
  const auto planned = plan_on_slurm(run);
  if (!planned) return pass(planned);
  const auto fine = launch::refuse_failures(launch::check_files(planned->plan, run.runs_dir));
  if (!fine) return pass(fine);
  const auto started = slurm::start_runs(planned->plan, planned->options, run.form.allocation(),
                                         run.runs_dir, SystemClock());
  if (!started) return pass(started);
  launch::Experiment experiment;
  for (const slurm::SubmittedRun& one : *started) experiment.folders.push_back(one.folder);
  return experiment;
}

}  // namespace ringside::session
