#include <utility>

#include "gui/place/places.h"

namespace ringside::place {
namespace {

class OnTasks final : public Place {
 public:
  OnTasks(TasksPtr tasks, std::vector<std::string> sets, bool has_gpu)
      : tasks_(std::move(tasks)), sets_(std::move(sets)), has_gpu_(has_gpu) {}

  bool is_here() const override { return true; }
  bool has_begun() const override { return true; }
  Result<launch::Machine> machine(const launch::Cancelled& /*cancelled*/) const override {
    return launch::unseen_machine();
  }
  Result<PlacePtr> for_study(messages::RunSpec& recipe,
                             launch::StudyRequest& /*request*/) const override {
    recipe = RINGSIDE_TRY(slurm::on_tasks(std::move(recipe), tasks_->task(), sets_, has_gpu_));
    return shared_from_this();
  }
  Result<launch::Started> start(std::vector<launch::LockedFolder> runs, const launch::Plan& plan,
                                const launch::Cancelled& cancelled) const override {
    std::vector<runlog::RunFolder> folders;
    for (const launch::LockedFolder& run : runs) folders.push_back(run.folder);
    RINGSIDE_TRY(tasks_->tell(folders));
    launch::Plan in_tasks = plan;
    in_tasks.on_tasks = true;
    return launch::start_folders(std::move(runs), in_tasks, cancelled);
  }
  Result<launch::Started> restart_run(const runlog::RunFolder& folder,
                                      const std::optional<messages::RunSpec>& spec,
                                      const launch::Cancelled& cancelled) const override {
    return launch::restart_run(folder, spec, cancelled, [&] { return tasks_->tell({folder}); });
  }
  std::string doing() const override { return "trains"; }
  std::string note() const override { return slurm::words_of(tasks_->task()); }

 private:
  TasksPtr tasks_;
  std::vector<std::string> sets_;
  bool has_gpu_;
};

}  // namespace

Result<PlacePtr> on_tasks(TasksPtr tasks, std::vector<std::string> sets,
                          const launch::Cancelled& cancelled) {
  const auto machine = RINGSIDE_TRY(launch::read_machine(cancelled));
  return std::make_shared<OnTasks>(std::move(tasks), std::move(sets), !machine.gpus.empty());
}

}  // namespace ringside::place
