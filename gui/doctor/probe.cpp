#include "gui/doctor/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gui/doctor/trial.h"
#include "gui/doctor/work_folder.h"
#include "gui/launch/preflight/preflight.h"
#include "protocol/base/clock.h"
#include "protocol/host/host.h"

namespace ringside::doctor {
namespace {

using analysis::LinkProbe;
using messages::RunSpec;

Result<void> can_probe(const launch::Machine& machine, const RunSpec& spec) {
  if (spec.devices.world_size < 2)
    return bad_request("one device has no link to another; choose two devices or more");
  if (spec.devices.nodes > 1)
    return bad_request(
        fmt::format("a probe measures one machine; this run is on {}", spec.devices.nodes));
  for (const launch::Gpu& gpu : machine.gpus) {
    const bool chosen = std::ranges::count(spec.devices.ids, gpu.uuid) > 0;
    if (chosen && !gpu.pids.empty())
      return bad_request(
          fmt::format("GPU {} is in use, and a probe would measure both; try again when it is free",
                      gpu.index));
  }
  return {};
}

/// Words the error for a probe that gave no figures.
Error why_not(const Error& error, const Site& site, const ProbeRequest& request) {
  if (request.cancelled && request.cancelled()) return {error.kind, "the probe was cancelled"};
  if (mono_now_ns() < site.deadline_ns) return {error.kind, "the probe failed: " + error.message};
  return {error.kind, fmt::format("the probe hung and was ended after {:g} s", request.limit_s)};
}

/// Speedup of all ranks together over one copy in a round, from steps per second.
double reached(const RankFacts& ranks, std::size_t round) {
  double rate = 0;
  for (const auto& rank : ranks) rate += 1 / rank.at("together_s").at(round).get<double>();
  return rate * ranks.front().at("alone_s").at(round).get<double>();
}

void add_copies(const RankFacts& ranks, LinkProbe& probe) {
  std::vector<double> alone;
  std::vector<double> together;
  std::vector<double> ceilings;
  for (std::size_t round = 0; round < ranks.front().at("alone_s").size(); ++round) {
    alone.push_back(ranks.front().at("alone_s").at(round).get<double>());
    double sum = 0;
    for (const auto& rank : ranks) sum += rank.at("together_s").at(round).get<double>();
    together.push_back(sum / static_cast<double>(ranks.size()));
    ceilings.push_back(reached(ranks, round));
  }
  probe.alone_s = median(alone);
  probe.together_s = median(together);
  // A ceiling above the number of copies means that other work slowed down the copy that ran alone.
  probe.ceiling = std::min(median(ceilings), static_cast<double>(ranks.size()));
}

}  // namespace

RunSpec probe_spec(const RunSpec& run, RunSpec probe, bool has_data) {
  probe.devices.ids = run.devices.ids;
  probe.devices.threads = run.devices.threads;
  probe.train.epochs = 1000;
  if (!run.program.argv.empty() || run.model.name == "none" || !has_data) return probe;
  probe.model = run.model;
  probe.model.init_from.clear();
  probe.model.sync_batchnorm = false;  // SyncBatchNorm would exchange inside of the step
  probe.data = run.data;
  probe.data.workers = 0;  // only one batch is read
  probe.batch = run.batch;
  probe.train.precision = run.train.precision;
  probe.train.channels_last = run.train.channels_last;
  probe.train.cuda_graph = run.train.cuda_graph;
  probe.optimizer = run.optimizer;
  probe.optimizer.lr = 1e-6;  // small, as the batch is always the same
  return probe;
}

Result<LinkProbe> probe_of(const RankFacts& ranks, const RunSpec& spec, const std::string& host,
                           std::int64_t wall_ns) {
  LinkProbe probe;
  try {
    const auto& first = ranks.at(0);
    probe.devices.host = host;
    probe.devices.backend = first.at("backend").get<std::string>();
    probe.devices.gpus = spec.devices.ids;
    std::sort(probe.devices.gpus.begin(), probe.devices.gpus.end());
    probe.devices.ranks = static_cast<Rank>(ranks.size());
    probe.devices.threads = spec.devices.kind == "cpu" ? first.at("threads").get<int>() : 0;
    probe.transport = first.at("transport").get<std::string>();
    probe.wall_ns = wall_ns;
    for (const auto& one : first.at("sizes"))
      probe.sizes.push_back(
          {one.at("size_bytes").get<std::int64_t>(), one.at("seconds").get<double>()});
    probe.step = analysis::step_words(spec.model.name, first.at("batch").get<std::int64_t>(),
                                      messages::precision_text(spec));
    add_copies(ranks, probe);
  } catch (const nlohmann::json::exception& wrong) {
    return failure(std::string("the probe printed no figures: ") + wrong.what());
  }
  const bool whole = probe.sizes.size() >= 2 && probe.ceiling > 0;
  if (!whole) return failure("the probe printed no figures");
  return probe;
}

Result<LinkProbe> probe_links(const launch::Machine& machine, const ProbeRequest& request) {
  RINGSIDE_TRY(can_probe(machine, request.spec));
  const WorkFolder folder;
  if (folder.path().empty()) return failure("no folder could be made for the probe");
  const bool gpu = request.spec.devices.kind == "cuda";
  Site site{machine,           gpu,
            request.quick,     folder.path(),
            request.cancelled, mono_now_ns() + static_cast<std::int64_t>(request.limit_s * 1e9)};
  auto probing = RINGSIDE_TRY(
      checked_run(site, static_cast<Rank>(request.spec.devices.world_size), {"links"}));
  const bool has_data = launch::check_data(request.spec.data).verdict != launch::Verdict::kFail;
  const RunSpec spec = probe_spec(request.spec, std::move(probing), has_data);
  const auto trial = Trial::start(site, spec);
  if (!trial) return tl::unexpected<Error>(why_not(trial.error(), site, request));
  if (const auto finished = (*trial)->finish(); !finished)
    return tl::unexpected<Error>(why_not(finished.error(), site, request));
  const auto facts = (*trial)->facts();
  if (!facts) return tl::unexpected<Error>(why_not(facts.error(), site, request));
  auto probe = probe_of(*facts, spec, host_name(), SystemClock().wall_ns());
  if (probe) analysis::add_others((*trial)->model(), *probe);
  return probe;
}

}  // namespace ringside::doctor
