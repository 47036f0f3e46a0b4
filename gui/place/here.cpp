#include <utility>

#include "gui/place/places.h"
#include "gui/slurm/steps.h"
#include "gui/slurm/study_jobs.h"

namespace ringside::place {
namespace {

class Here final : public Place {
 public:
  explicit Here(std::optional<slurm::Allocation> inside) : inside_(std::move(inside)) {}

  bool is_here() const override { return true; }
  Result<launch::Machine> machine(const launch::Cancelled& cancelled) const override {
    return slurm::read_machine(cancelled);
  }
  Result<PlacePtr> to_go_on(const std::string& study, const std::filesystem::path& runs_dir,
                            const std::vector<std::string>& run_ids) const override {
    const auto before = slurm::study_before(runs_dir, run_ids);
    if (!before) return shared_from_this();
    auto options = RINGSIDE_TRY(slurm::options_to_go_on(study, *before, inside_));
    return on_slurm(std::move(options), inside_);
  }
  Result<launch::Started> start(std::vector<launch::LockedFolder> runs, const launch::Plan& plan,
                                const launch::Cancelled& cancelled) const override {
    return launch::start_folders(std::move(runs), plan, cancelled);
  }
  std::string doing() const override { return "trains"; }
  std::string note() const override {
    if (!inside_ || inside_->nodes < 2) return {};
    return "this is inside " + slurm::name_of(*inside_) + " on " + std::to_string(inside_->nodes) +
           " nodes, and the run stays on this machine; --slurm takes them all";
  }

 private:
  std::optional<slurm::Allocation> inside_;
};

}  // namespace

PlacePtr here(std::optional<slurm::Allocation> inside) {
  return std::make_shared<Here>(std::move(inside));
}

PlacePtr around_here(const launch::Cancelled& cancelled) {
  return here(slurm::ask_allocation(cancelled));
}

PlacePtr inside_here() { return here(slurm::own_allocation()); }

}  // namespace ringside::place
