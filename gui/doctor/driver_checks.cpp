// The checks that compare our own view of the GPUs with the driver's.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "gui/doctor/checks.h"
#include "gui/doctor/nvidia_smi.h"
#include "gui/launch/paths.h"
#include "gui/model/rank_model.h"
#include "protocol/host/files.h"

namespace ringside::doctor {
namespace {

constexpr std::int64_t kToolNs = 15'000'000'000;

Result<std::string> output_of(const std::vector<std::string>& argv, const launch::Cancelled& end) {
  auto captured = RINGSIDE_TRY(launch::capture(argv, kToolNs, end));
  if (captured.exit_code != 0)
    return failure("nvidia-smi failed with exit code " + std::to_string(captured.exit_code));
  return std::move(captured.output);
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

Result<CheckVerdict> check_nvml(const Site& site) {
  const auto tool = launch::find_on_path("nvidia-smi");
  if (!tool) return CheckVerdict{{}, "nvidia-smi is not on the path"};
  const std::vector<std::string> query{*tool, kSmiQuery, "--format=csv,noheader,nounits"};
  const auto before = RINGSIDE_TRY(output_of(query, site.cancelled));
  const auto machine = RINGSIDE_TRY(launch::read_machine(site.cancelled));
  const auto after = RINGSIDE_TRY(output_of(query, site.cancelled));
  const auto links = RINGSIDE_TRY(output_of({*tool, "topo", "-m"}, site.cancelled));
  return judge_nvml(machine, smi_gpus(before), smi_gpus(after), smi_links(links));
}

Result<CheckVerdict> check_identity(const Site& site) {
  const Rank ranks = site.ranks(64);
  auto spec = RINGSIDE_TRY(checked_run(site, ranks, {"hold"}));
  for (Rank rank = 0; rank < ranks; ++rank)
    spec.devices.ids.push_back(site.machine.gpus[static_cast<std::size_t>(ranks - 1 - rank)].uuid);
  const auto trial = RINGSIDE_TRY(Trial::start(site, spec));
  const auto wait_for = [&](const char* word) {
    return trial->follow_until([&](const Trial& run) { return all_say(run, ranks, word); });
  };
  RINGSIDE_TRY(wait_for("facts "));
  const auto before = RINGSIDE_TRY(launch::read_machine(site.cancelled));
  RINGSIDE_TRY(write_text_atomically(trial->folder().path() / "go", ""));
  RINGSIDE_TRY(wait_for("held"));
  const auto after = RINGSIDE_TRY(launch::read_machine(site.cancelled));
  const auto facts = RINGSIDE_TRY(trial->facts());
  std::vector<GpuIdentity> identities;
  for (std::size_t rank = 0; rank < facts.size(); ++rank) {
    const std::string& asked = spec.devices.ids[rank];
    identities.push_back({asked, facts[rank].value("uuid", ""),
                          used_bytes(after, asked) - used_bytes(before, asked)});
  }
  return judge_identity(identities);
}

}  // namespace ringside::doctor
