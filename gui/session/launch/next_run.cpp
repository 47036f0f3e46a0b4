#include "gui/session/launch/next_run.h"

namespace ringside::session {

const view::LaunchForm& NextRun::form() const {
  return kind_ == view::RunKind::kScript ? script_.settings() : trainer_;
}

view::LaunchForm& NextRun::settings() {
  return kind_ == view::RunKind::kScript ? script_.settings() : trainer_;
}

const view::ScriptForm* NextRun::script() const {
  return kind_ == view::RunKind::kScript ? &script_ : nullptr;
}

messages::RunSpec NextRun::spec() const {
  return kind_ == view::RunKind::kScript ? script_.spec() : trainer_.spec();
}

launch::LoadedPreset NextRun::preset() const {
  return kind_ == view::RunKind::kScript ? launch::LoadedPreset{} : preset_;
}

void NextRun::settle(const view::MachineSummary& machine) {
  machine_ = machine;
  settle();
}

void NextRun::settle() {
  if (machine_) settings().settle_devices(*machine_);
}

Result<void> NextRun::take_preset(const std::string& name, bool quick) {
  auto loaded = RINGSIDE_TRY(launch::load_preset(name));
  auto spec = RINGSIDE_TRY(launch::settings_of(loaded, quick));
  auto resolved =
      RINGSIDE_TRY(launch::resolve_spec(std::move(spec), launch::process_environment(), {}));
  trainer_ = view::LaunchForm(std::move(resolved), name, quick);
  preset_ = std::move(loaded);
  kind_ = view::RunKind::kTrainer;
  settle();
  return {};
}

void NextRun::take_settings(messages::RunSpec spec) {
  const bool script = !spec.program.argv.empty();
  kind_ = script ? view::RunKind::kScript : view::RunKind::kTrainer;
  if (script) {
    script_ = view::ScriptForm(spec);
  } else {
    spec.checkpoint.resume = "none";
    trainer_ = view::LaunchForm(std::move(spec));
    preset_ = {};
  }
  settle();
}

void NextRun::take_baseline(const std::string& id) {
  settings().edit("baseline.run", id);
  settings().edit("baseline.mode", "reuse");
}

void NextRun::choose_script(const std::string& path) {
  select_kind(view::RunKind::kScript);
  script_.choose(path);
}

void NextRun::select_kind(view::RunKind kind) {
  if (kind == kind_) return;
  const messages::DevicesSpec devices = form().spec().devices;
  kind_ = kind;
  settings().take_devices(devices);
}

void NextRun::reset() {
  if (kind_ == view::RunKind::kTrainer) return trainer_.reset();
  script_.reset();
  settle();
}

void NextRun::edit(const view::EditField& wanted) {
  if (wanted.key.starts_with(view::SlurmForm::kKeys)) return slurm.edit(wanted.key, wanted.text);
  if (kind_ == view::RunKind::kTrainer) return trainer_.edit(wanted.key, wanted.text);
  const auto before = script_.launcher_ranks();
  script_.edit(wanted.key, wanted.text);
  follow_launcher(before);
}

void NextRun::take_answer(const launch::AccelerateQuestion& question,
                          const Result<launch::AccelerateAnswer>& answer) {
  const auto before = script_.launcher_ranks();
  script_.take_answer(question, answer);
  follow_launcher(before);
}

/// Takes the number of devices from the launcher's options if that number has changed.
void NextRun::follow_launcher(std::optional<std::int64_t> before) {
  const auto ranks = script_.launcher_ranks();
  if (!ranks || ranks == before) return;
  messages::DevicesSpec devices = form().spec().devices;
  devices.world_size = *ranks;
  devices.ids.clear();
  settings().take_devices(devices);
  settle();
}

}  // namespace ringside::session
