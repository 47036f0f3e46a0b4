#include <utility>

#include "gui/launch/paths.h"
#include "gui/place/kinds.h"
#include "gui/place/places.h"
#include "gui/slurm/job_ends.h"
#include "gui/slurm/jobs.h"
#include "gui/slurm/steps.h"
#include "gui/slurm/study_jobs.h"
#include "protocol/base/clock.h"

namespace ringside::place {

extern const Kind kSlurm;

namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;

using slurm::kOptions;

/// The offer inside an allocation, without the options that were settled when it was requested.
Offer offer_inside(const slurm::Allocation& allocation, Offer offer) {
  offer.title = slurm::name_of(allocation);
  offer.inside = true;
  offer.nodes = slurm::nodes_of(allocation);
  offer.told = allocation.gpus_unknown.empty();
  std::erase_if(offer.options, [](const launch::PlaceOption& row) { return row.most == 0; });
  for (launch::PlaceOption& row : offer.options) {
    if (row.of_run) {
      row.empty = "all";
      row.tip = "Empty: all of the allocation";
    } else if (!offer.told || allocation.gpus_per_node > 0) {
      row.empty = offer.told ? "all" : "not known yet";
      row.tip = "With a rank for each; empty: all, or CPU ranks where devices.kind is cpu";
    }
  }
  return offer;
}

class OnSlurm final : public Place {
 public:
  OnSlurm(slurm::Options options, std::optional<slurm::Allocation> inside)
      : options_(std::move(options)), inside_(std::move(inside)) {}

  Offer offer() const override {
    Offer all{&kSlurm, kSlurm.title, false, {}, true, {kOptions.begin(), kOptions.end()}};
    return inside_ ? offer_inside(*inside_, std::move(all)) : all;
  }
  Result<PlacePtr> with(const launch::Typed& typed) const override {
    auto options = RINGSIDE_TRY(slurm::read_options(typed));
    RINGSIDE_TRY(slurm::check_options(options));
    return on_slurm(std::move(options), inside_);
  }
  PlacePtr now(const launch::Cancelled& cancelled) const override {
    return inside_ ? on_slurm(options_, slurm::ask_allocation(cancelled)) : shared_from_this();
  }
  PlacePtr beside() const override { return here(inside_); }
  launch::Machine seen_inside(launch::Machine machine) const override {
    return slurm::seen_inside(std::move(machine), inside_);
  }
  Result<void> can_be_asked() const override {
    RINGSIDE_TRY(inside_ ? launch::find_on_path("srun") : slurm::find_sbatch());
    return {};
  }
  Result<launch::Machine> machine(const launch::Cancelled& /*cancelled*/) const override {
    return launch::unseen_machine();
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
  Result<void> can_begin(const std::vector<RunFolder>& runs,
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
    // A baseline and its run are submitted together; whoever follows them can remove their jobs
    // from the queue.
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

const Kind kSlurm{
    "slurm",
    "Slurm",
    "--slurm",
    "As a job of Slurm: an agent on each node, the ranks beside it; the baseline and each run of a "
    "study are jobs of their own. Inside an allocation (salloc, a job's script): as its steps",
    kOptions,
    slurm::kScriptFile,
    slurm::kScript,
    slurm::has_cluster,
    [] { return on_slurm({}, slurm::own_allocation()); },
    [] {
      static const PlacePtr kFar = on_slurm({}, {});
      return kFar;
    },
    [](const RunFolder& folder) { return slurm::read_job_file(folder).has_value(); },
    slurm::is_open,
    [](const RunFolder& folder) -> std::optional<launch::PlaceReport> {
      return slurm::job_of(folder);
    },
    slurm::refresh,
    slurm::ask_stop,
    slurm::cancel,
    slurm::disown_job,
    [](const RunFolder& folder, const std::optional<messages::RunSpec>& spec) {
      return slurm::submit_again(folder, spec, SystemClock());
    }};

std::optional<launch::Typed> asked_before(const fs::path& runs_dir,
                                          const std::vector<std::string>& run_ids) {
  auto before = slurm::study_before(runs_dir, run_ids);
  if (!before || !before->inside.empty()) return std::nullopt;
  before->options.nodes = 0;  // the study's numbers of devices imply the nodes
  return slurm::typed_of(before->options);
}

PlacePtr on_slurm(slurm::Options options, std::optional<slurm::Allocation> inside) {
  return std::make_shared<OnSlurm>(std::move(options), std::move(inside));
}

}  // namespace ringside::place
