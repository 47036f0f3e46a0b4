#include "gui/session/resumable.h"

#include <system_error>

#include "gui/launch/preflight/preflight.h"
#include "protocol/base/shell_word.h"
#include "protocol/messages/spec/data_facts.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::session {
namespace {

bool has_checkpoint(const runlog::RunFolder& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder.checkpoints_dir(), error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".pt") return true;
  }
  return false;
}

}  // namespace

Result<void> resumable(const runs::RunSummary& run) {
  const std::string label = "run " + run.folder.id();
  if (!run.problem.empty()) return bad_request(label + " cannot be read: " + run.problem);
  if (run.state.word == "lost contact" && !run.state.live) {
    return bad_request(label + " may go on: " + run.state.detail + ". " +
                       runs::if_it_is_gone(run.folder) + " and resume again");
  }
  if (messages::is_watched(run.spec)) {
    return bad_request(label + " was taken from files of another program, which Ringside cannot " +
                       "go on with; `ringside watch " + shell_word(run.spec.program.argv.back()) +
                       "` follows them as a new run");
  }
  if (!run.state.ended)
    return bad_request(label + " has not ended; `ringside stop " + run.folder.id() + "` ends it");
  if (run.state.word == "finished")
    return bad_request(label + " has finished: there is nothing left to do");
  if (run.spec.program.argv.empty() && !has_checkpoint(run.folder)) {
    return bad_request(label + " has no checkpoint to resume from, in " +
                       run.folder.checkpoints_dir().string() + "; start again with `ringside run " +
                       shell_word(run.folder.spec_path().string()) + "`");
  }
  launch::Plan plan;
  plan.runs.push_back({run.spec, false});
  return launch::refuse_failures(launch::check_files(plan, run.folder.path().parent_path()));
}

Result<messages::RunSpec> resumed_spec(const messages::RunSpec& spec,
                                       const std::vector<std::string>& assignments,
                                       const launch::Machine& machine) {
  messages::RunSpec changed = spec;
  for (const std::string& assignment : assignments) {
    if (!assignment.starts_with("devices.") && !assignment.starts_with("limits."))
      return bad_request("--set " + assignment +
                         ": a run is resumed with other devices.* and limits.* only; a run with "
                         "other work is another run");
    RINGSIDE_TRY(messages::set_field(changed, assignment));
  }
  // Devices and threads were chosen for the previous number of devices.
  const auto& before = spec.devices;
  auto& now = changed.devices;
  if (now.world_size != before.world_size || now.kind != before.kind) {
    if (now.ids == before.ids) now.ids.clear();
    if (now.threads == before.threads) now.threads = 0;
  }
  RINGSIDE_TRY(messages::validate(changed));
  auto whole = launch::settled(changed, machine);
  if (!whole) return whole;
  RINGSIDE_TRY(messages::check_work(*whole));
  return whole;
}

Result<launch::Started> resume_run(const runs::RunSummary& run,
                                   const std::optional<messages::RunSpec>& spec,
                                   const launch::Cancelled& cancelled, const place::Place& where) {
  // The summary may be seconds old: another window may have resumed the run.
  RINGSIDE_TRY(resumable(runs::read_summary({run.folder, run.number})));
  return where.restart_run(run.folder, spec, cancelled);
}

}  // namespace ringside::session
