// The checks that ask the driver, beside our own view of it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "gui/doctor/checks.h"
#include "gui/doctor/nvidia_smi.h"
#include "gui/launch/paths.h"
#include "gui/model/rank_model.h"
#include "protocol/base/byte_file.h"

namespace ringside::doctor {
namespace {

constexpr std::int64_t kToolNs = 15'000'000'000;

Result<std::string> output_of(const std::vector<std::string>& argv, const launch::Cancelled& end) {
  auto captured = launch::capture(argv, kToolNs, end);
  if (!captured) return pass(captured);
  if (captured->exit_code != 0)
    return failure("nvidia-smi failed with exit code " + std::to_string(captured->exit_code));
  return std::move(captured->output);
}

std::int64_t used_bytes(const launch::Machine& machine, const std::string& uuid) {
  for (const launch::Gpu& gpu : machine.gpus) {
    if (gpu.uuid == uuid) return gpu.memory_used_bytes;
  }
  return 0;
}

bool all_say(const Trial& trial, Rank ranks, const char* word) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (trial.output_of(rank).find(word) == std::string::npos) return false;
  }
  return true;
}

}  // namespace

Result<Judgement> check_nvml(const Site& site) {
  const auto tool = launch::find_on_path("nvidia-smi");
  if (!tool) return Judgement{{}, "nvidia-smi is not on the path"};
  const std::vector<std::string> query{*tool, kSmiQuery, "--format=csv,noheader,nounits"};
  const auto before = output_of(query, site.cancelled);
  if (!before) return pass(before);
  const auto machine = launch::read_machine(site.cancelled);
  if (!machine) return pass(machine);
  const auto after = output_of(query, site.cancelled);
  if (!after) return pass(after);
  const auto links = output_of({*tool, "topo", "-m"}, site.cancelled);
  if (!links) return pass(links);
  return judge_nvml(*machine, smi_gpus(*before), smi_gpus(*after), smi_links(*links));
}

Result<Judgement> check_identity(const Site& site) {
  const Rank ranks = site.ranks(64);
  auto spec = checked_run(site, ranks, {"hold"});
  if (!spec) return pass(spec);
  for (Rank rank = 0; rank < ranks; ++rank)
    spec->devices.ids.push_back(site.machine.gpus[static_cast<std::size_t>(ranks - 1 - rank)].uuid);
  const auto trial = Trial::start(site, *spec);
  if (!trial) return pass(trial);
  const auto wait_for = [&](const char* word) {
    return (*trial)->follow_until([&](const Trial& run) { return all_say(run, ranks, word); });
  };
  if (auto ready = wait_for("facts "); !ready) return pass(ready);
  const auto before = launch::read_machine(site.cancelled);
  if (!before) return pass(before);
  if (auto told = write_text_atomically((*trial)->folder().path() / "go", ""); !told)
    return pass(told);
  if (auto held = wait_for("held"); !held) return pass(held);
  const auto after = launch::read_machine(site.cancelled);
  if (!after) return pass(after);
  const auto facts = (*trial)->facts();
  if (!facts) return pass(facts);
  std::vector<GpuIdentity> identities;
  for (std::size_t rank = 0; rank < facts->size(); ++rank) {
    const std::string& asked = spec->devices.ids[rank];
    identities.push_back({asked, (*facts)[rank].value("uuid", ""),
                          used_bytes(*after, asked) - used_bytes(*before, asked)});
  }
  return judge_identity(identities);
}

}  // namespace ringside::doctor
