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
  Result<PlacePtr> for_study(messages::RunSpec& recipe,
                             launch::StudyRequest& request) const override {
    const auto inside = request.one_setting ? slurm::within : slurm::study_within;
    auto options = inside_ ? inside(*inside_, options_, recipe.devices.kind)
                           : Result<slurm::Options>(options_);
    if (!options) return pass(options);
    RINGSIDE_TRY(slurm::place_on_nodes(*options, request));
    recipe = request.one_setting ? slurm::on_cluster(std::move(recipe), *options)
                                 : slurm::recipe_on_cluster(std::move(recipe), *options);
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
  Result<std::vector<Preview>> preview(const launch::Plan& plan,
                                       const fs::path& runs_dir) const override {
    std::vector<Preview> all;
    if (inside_) {
      auto steps = RINGSIDE_TRY(slurm::planned_steps(plan, *inside_, runs_dir));
      all.push_back({"Inside " + slurm::name_of(*inside_), std::move(steps)});
      return all;
    }
    for (const auto& run : plan.runs) {
      const std::string after = plan.keep_going && !all.empty() ? "JOB" : "";
      auto argv = RINGSIDE_TRY(slurm::planned_argv(run.spec, options_, runs_dir, after));
      all.push_back({run.is_baseline ? "The baseline's job" : "The job", std::move(argv)});
    }
    return all;
  }
  Result<launch::Started> start(std::vector<launch::LockedFolder> runs, const launch::Plan& plan,
                                const launch::Cancelled& cancelled) const override {
    RINGSIDE_TRY(slurm::refuse_queued(runs));
    // One setting is not cancelled half way: whoever follows its jobs takes them out of the queue.
    const launch::Cancelled half_way = plan.keep_going ? cancelled : launch::Cancelled();
    const SystemClock clock;
    return inside_
               ? slurm::start_step_folders(std::move(runs), plan, options_, *inside_, clock,
                                           half_way)
               : slurm::submit(std::move(runs), plan, options_, plan.keep_going, clock, half_way);
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
  slurm::Options options_;
  std::optional<slurm::Allocation> inside_;
};

}  // namespace

PlacePtr on_slurm(slurm::Options options, std::optional<slurm::Allocation> inside) {
  return std::make_shared<OnSlurm>(std::move(options), std::move(inside));
}

}  // namespace ringside::place
