#include <system_error>
#include <utility>

#include "gui/place/places.h"
#include "gui/slurm/jobs.h"
#include "gui/slurm/steps.h"
#include "gui/slurm/study_jobs.h"
#include "protocol/base/clock.h"

namespace ringside::place {
namespace {

namespace fs = std::filesystem;

class OnSlurm final : public Place {
 public:
  OnSlurm(slurm::Options options, std::optional<slurm::Allocation> inside)
      : options_(std::move(options)), inside_(std::move(inside)) {}

  Result<launch::Machine> machine(const launch::Cancelled& /*cancelled*/) const override {
    return slurm::cluster();
  }
  Result<messages::RunSpec> settled(messages::RunSpec spec) const override {
    const auto options = RINGSIDE_TRY(options_for(spec.devices.kind));
    return slurm::on_cluster(std::move(spec), options);
  }
  Result<PlacePtr> for_study(messages::RunSpec& recipe,
                             launch::SweepRequest& request) const override {
    auto options = inside_ ? slurm::study_within(*inside_, options_, recipe.devices.kind)
                           : Result<slurm::Options>(options_);
    if (!options) return pass(options);
    RINGSIDE_TRY(slurm::place_on_nodes(*options, request));
    recipe = slurm::recipe_on_cluster(std::move(recipe), *options);
    return std::make_shared<OnSlurm>(std::move(*options), inside_);
  }
  Result<void> fits(const std::string& point, const messages::RunSpec& spec) const override {
    return inside_ ? slurm::refuse_unfit(*inside_, point, spec) : Result<void>();
  }
  Result<void> can_begin(const std::vector<runlog::RunFolder>& runs,
                         const launch::Cancelled& cancelled) const override {
    if (!inside_) return {};
    const auto now = slurm::ask_allocation(cancelled);
    if (const auto there = slurm::refuse_ended(now.value_or(*inside_)); !there) return there;
    slurm::wait_for_ends(runs, cancelled);
    return {};
  }
  Result<std::vector<Preview>> preview(const launch::Plan& plan, const fs::path& runs_dir,
                                       bool in_turn) const override {
    std::vector<Preview> all;
    if (inside_) {
      auto steps = RINGSIDE_TRY(slurm::planned_steps(plan, *inside_, runs_dir));
      all.push_back({"Inside " + slurm::name_of(*inside_), std::move(steps)});
      return all;
    }
    for (const auto& run : plan.runs) {
      const std::string after = in_turn && !all.empty() ? "JOB" : "";
      auto argv = RINGSIDE_TRY(slurm::planned_argv(run.spec, options_, runs_dir, after));
      all.push_back({run.is_baseline ? "The baseline's job" : "The job", std::move(argv)});
    }
    return all;
  }
  // Not cancelled half way: whoever follows the jobs takes them out of the queue.
  Result<launch::Experiment> start(const launch::Plan& plan, const fs::path& runs_dir,
                                   const launch::Cancelled& /*cancelled*/) const override {
    const auto options = RINGSIDE_TRY(options_for(plan.runs.back().spec.devices.kind));
    RINGSIDE_TRY(preview(plan, runs_dir, false));
    auto made = RINGSIDE_TRY(launch::make_folders(plan, runs_dir, SystemClock()));
    std::vector<runlog::RunFolder> folders;
    for (const auto& run : made) folders.push_back(run.folder);
    auto started = start_in(std::move(made), plan, options, false, {});
    std::error_code ignored;
    for (const auto& folder : folders) {
      if (!started) fs::remove_all(folder.path(), ignored);
    }
    return started;
  }
  Result<launch::Experiment> start_folders(std::vector<launch::LockedFolder> runs,
                                           const launch::Plan& plan,
                                           const launch::Cancelled& cancelled) const override {
    RINGSIDE_TRY(slurm::refuse_queued(runs));
    return start_in(std::move(runs), plan, options_, true, cancelled);
  }
  std::string doing() const override {
    return inside_ ? "trains inside " + slurm::name_of(*inside_) : "is in Slurm's queue";
  }
  std::string order(std::size_t runs) const override {
    if (inside_) return slurm::name_of(*inside_) + " runs them one after the other as steps.";
    return "Slurm gets a job for each run (" + std::to_string(runs) +
           "), each after the end of the one before it.";
  }

 private:
  /// Inside an allocation what it has for devices of this kind.
  Result<slurm::Options> options_for(const std::string& kind) const {
    return inside_ ? slurm::within(*inside_, options_, kind) : options_;
  }
  Result<launch::Experiment> start_in(std::vector<launch::LockedFolder> runs,
                                      const launch::Plan& plan, const slurm::Options& options,
                                      bool in_turn, const launch::Cancelled& cancelled) const {
    const SystemClock clock;
    return inside_ ? slurm::start_step_folders(std::move(runs), plan, options, *inside_, clock,
                                               cancelled)
                   : slurm::submit(std::move(runs), plan, options, in_turn, clock, cancelled);
  }

  slurm::Options options_;
  std::optional<slurm::Allocation> inside_;
};

}  // namespace

PlacePtr on_slurm(slurm::Options options, std::optional<slurm::Allocation> inside) {
  return std::make_shared<OnSlurm>(std::move(options), std::move(inside));
}

}  // namespace ringside::place
