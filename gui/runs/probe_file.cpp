#include "gui/runs/probe_file.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "gui/analysis/progress.h"
#include "gui/analysis/work.h"
#include "gui/model/run_model.h"
#include "protocol/host/files.h"

namespace ringside::runs {
namespace {

using ProbeJson = nlohmann::ordered_json;
using analysis::LinkProbe;
using analysis::TimedExchange;

constexpr std::size_t kMostProbes = 100;

std::filesystem::path file_of(const std::filesystem::path& runs_dir) {
  return runs_dir / "probes.json";
}

ProbeJson json_of(const LinkProbe& probe) {
  ProbeJson sizes = ProbeJson::array();
  for (const TimedExchange& one : probe.sizes)
    sizes.push_back({{"size_bytes", one.size_bytes}, {"seconds", one.seconds}});
  return {{"host", probe.devices.host},
          {"backend", probe.devices.backend},
          {"gpus", probe.devices.gpus},
          {"ranks", probe.devices.ranks},
          {"threads", probe.devices.threads},
          {"transport", probe.transport},
          {"wall_ns", probe.wall_ns},
          {"sizes", std::move(sizes)},
          {"step", probe.step},
          {"alone_s", probe.alone_s},
          {"together_s", probe.together_s},
          {"ceiling", probe.ceiling},
          {"others_cores", probe.others_cores},
          {"host_cores", probe.host_cores}};
}

LinkProbe probe_from(const ProbeJson& json) {
  LinkProbe probe;
  json.at("host").get_to(probe.devices.host);
  json.at("backend").get_to(probe.devices.backend);
  json.at("gpus").get_to(probe.devices.gpus);
  json.at("ranks").get_to(probe.devices.ranks);
  json.at("threads").get_to(probe.devices.threads);
  json.at("transport").get_to(probe.transport);
  json.at("wall_ns").get_to(probe.wall_ns);
  for (const ProbeJson& one : json.at("sizes"))
    probe.sizes.push_back(
        {one.at("size_bytes").get<std::int64_t>(), one.at("seconds").get<double>()});
  json.at("step").get_to(probe.step);
  json.at("alone_s").get_to(probe.alone_s);
  json.at("together_s").get_to(probe.together_s);
  json.at("ceiling").get_to(probe.ceiling);
  // Older probe files have neither value.
  probe.others_cores = json.value("others_cores", -1.0);
  probe.host_cores = json.value("host_cores", 0.0);
  return probe;
}

/// Whether the figures are plausible, so that bandwidths can be computed and interpolated.
bool makes_sense(const LinkProbe& probe) {
  const auto grows = [](const TimedExchange& one, const TimedExchange& next) {
    return one.size_bytes < next.size_bytes;
  };
  const auto& sizes = probe.sizes;
  return probe.devices.ranks >= 2 && probe.ceiling > 0 && sizes.size() >= 2 &&
         sizes.front().size_bytes > 0 &&
         std::ranges::adjacent_find(sizes, std::not_fn(grows)) == sizes.end() &&
         std::ranges::all_of(sizes, [](const TimedExchange& one) { return one.seconds > 0; });
}

/// 0: it is not known.
std::int64_t began_wall_ns(const model::RunModel& run) {
  const std::int64_t began = analysis::began_ns(run);
  const auto offset = run.wall_offset_ns();
  return began > 0 && offset ? began + *offset : 0;
}

}  // namespace

std::vector<LinkProbe> read_probes(const std::filesystem::path& runs_dir) {
  std::vector<LinkProbe> probes;
  const auto text = read_text(file_of(runs_dir));
  if (!text) return probes;
  const ProbeJson json = ProbeJson::parse(*text, nullptr, false);
  try {
    for (const ProbeJson& one : json.at("probes")) probes.push_back(probe_from(one));
  } catch (const ProbeJson::exception&) {
    probes.clear();  // A damaged file is discarded, since probes take only seconds to repeat.
  }
  std::erase_if(probes, std::not_fn(makes_sense));
  return probes;
}

std::optional<ProbedWork> probed_work(const model::RunModel& run) {
  auto devices = analysis::probed_devices(run);
  if (!devices) return std::nullopt;
  const auto work = analysis::work_of(run);
  const auto& spec = run.spec();
  return ProbedWork{std::move(*devices),
                    work ? analysis::step_words(spec.model.name, work->per_rank_batch,
                                                messages::precision_text(spec))
                         : std::string(),
                    began_wall_ns(run)};
}

std::optional<LinkProbe> probe_of_work(std::span<const LinkProbe> probes, const ProbedWork& work) {
  const LinkProbe* newest = analysis::newest_probe(probes, work.devices, work.step);
  if (newest == nullptr) return std::nullopt;
  LinkProbe probe = *newest;
  if (probe.step != work.step || probe.wall_ns > work.began_wall_ns) probe.ceiling = 0;
  return probe;
}

std::shared_ptr<const LinkProbe> probe_of_run(const runlog::RunFolder& folder,
                                              const model::RunModel& run) {
  const auto work = probed_work(run);
  if (!work) return nullptr;
  auto probe = probe_of_work(read_probes(folder.path().parent_path()), *work);
  return probe ? std::make_shared<const LinkProbe>(std::move(*probe)) : nullptr;
}

Result<void> keep_probe(const std::filesystem::path& runs_dir, const LinkProbe& probe) {
  auto probes = read_probes(runs_dir);
  std::erase_if(probes, [&](const LinkProbe& one) {
    return one.devices == probe.devices && one.step == probe.step;
  });
  if (probes.size() >= kMostProbes) probes.erase(probes.begin());
  probes.push_back(probe);
  ProbeJson all = ProbeJson::array();
  for (const LinkProbe& one : probes) all.push_back(json_of(one));
  std::error_code error;
  std::filesystem::create_directories(runs_dir, error);
  if (error)
    return failure("the folder " + runs_dir.string() + " cannot be made: " + error.message());
  return write_text_atomically(file_of(runs_dir),
                               ProbeJson{{"probes", std::move(all)}}.dump(1) + "\n");
}

}  // namespace ringside::runs
