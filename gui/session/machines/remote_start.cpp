#include "gui/session/machines/remote_start.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "gui/remote/connection.h"
#include "gui/remote/mirror.h"
#include "gui/runs/run_id.h"
#include "protocol/base/text.h"

namespace ringside::session {
namespace {

using Json = nlohmann::json;

Result<std::vector<RunId>> started_ids(const OtherMachine& machine, const std::string& told) {
  std::vector<RunId> ids;
  try {
    const Json json = Json::parse(last_line(told), nullptr, false);
    for (const Json& run : json.at("runs")) ids.push_back(run.at("id").get<std::string>());
  } catch (const Json::exception&) {
    return not_understood(machine);
  }
  for (const RunId& id : ids)
    if (!runs::is_run_id(id)) return not_understood(machine);
  if (ids.empty()) return not_understood(machine);
  return ids;
}

Result<runlog::RunFolder> take_copy(remote::Connection& there, remote::Mirror& mirror,
                                    const RunId& id) {
  const auto found = RINGSIDE_TRY(mirror.find(there, id));
  RINGSIDE_TRY(mirror.bring_head(there, found));
  return mirror.run(found);
}

}  // namespace

Result<launch::Started> start_there(const OtherMachine& machine, const std::string& spec_toml,
                                    const std::optional<launch::Typed>& slurm) {
  auto there = RINGSIDE_TRY(connect_to(machine));
  const auto told = RINGSIDE_TRY(
      ask_machine(*there, machine, remote::RemoteStartRun{{}, spec_toml, false, slurm}));
  const auto ids = RINGSIDE_TRY(started_ids(machine, told));
  remote::Mirror mirror(machine.folder, machine.address, machine.runs_dir);
  launch::Started started;
  for (const RunId& id : ids) {
    auto copy = take_copy(*there, mirror, id);
    if (!copy) {
      return failure("Run " + ids.back() + " was started on " + remote::text_of(machine.address) +
                     "; it appears here when it can be reached (" + copy.error().message + ")");
    }
    started.folders.push_back(std::move(*copy));
  }
  return started;
}

Result<std::vector<std::string>> plan_job_there(const OtherMachine& machine,
                                                const std::string& spec_toml,
                                                const std::optional<launch::Typed>& slurm) {
  const auto told =
      RINGSIDE_TRY(ask_machine(machine, remote::RemoteStartRun{{}, spec_toml, true, slurm}));
  const Json json = Json::parse(last_line(told), nullptr, false);
  try {
    const Json& jobs = json.at("jobs");
    if (!jobs.is_array() || jobs.empty()) return not_understood(machine);
    return jobs.back().get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    return not_understood(machine);
  }
}

}  // namespace ringside::session
