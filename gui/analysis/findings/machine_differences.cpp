// Differences of the machine between two runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/analysis/arrivals.h"
#include "gui/analysis/findings/fairness.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using messages::Severity;
using model::DeviceMetric;

/// The smallest differences that are reported, the first two in cores: agents, shells and kernels
/// use less.
constexpr double kLeastOthers = 0.1;
constexpr double kLeastViewers = 0.05;
constexpr double kLeastSlowed = 0.05;
constexpr double kLeastClock = 0.05;

/// Mean of the readings during training; 0 readings: unknown.
struct MeanReading {
  double value = 0;
  std::size_t readings = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

std::int64_t trained_until(const model::RunModel& model) {
  std::int64_t until = 0;
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    if (known.newest_step >= 0)
      until = std::max(until, known.end_ns.at(static_cast<std::size_t>(known.newest_step)));
  }
  return until;
}

MeanReading mean_of(const model::RunModel& model, const model::SampleHistory& history) {
  MeanReading mean;
  const std::int64_t began = model.training_began_ns();
  if (began == 0) return mean;
  const std::int64_t until = trained_until(model);
  for (const model::Sample& sample : history.samples()) {
    if (sample.at_ns < began || sample.at_ns > until) continue;
    if (mean.readings++ == 0) mean.first_ns = sample.at_ns;
    mean.last_ns = sample.at_ns;
    mean.value += static_cast<double>(sample.value);
  }
  if (mean.readings > 0) mean.value /= static_cast<double>(mean.readings);
  return mean;
}

std::optional<HostLoad> load_of(const model::RunModel& model, const model::HostModel& host) {
  const MeanReading cpu = mean_of(model, host.cpu);
  const MeanReading viewers = mean_of(model, host.viewer_cpu);
  if (host.latest.cpus < 1 || cpu.readings < kFewestReadings || viewers.readings == 0)
    return std::nullopt;
  HostLoad load;
  load.cpus = host.latest.cpus;
  load.busy = cpu.value / 100 * load.cpus;
  load.viewers = viewers.value / 100;
  load.readings = cpu.readings;
  load.seconds = static_cast<double>(cpu.last_ns - cpu.first_ns) / 1e9;
  for (const auto& rank : host.rank_cpu) load.ranks += mean_of(model, rank).value / 100;
  return load;
}

bool is_full(const HostLoad& load) { return load.busy >= kFullHost * load.cpus; }

std::string during(const HostLoad& load, double cores) {
  return fmt::format("{:.2f} of {:.0f} cores", cores, load.cpus);
}

std::string host_text(const char* who, const HostLoad& load, double cores, const char* when,
                      const std::optional<HostLoad>& other, double their_cores, const char* then) {
  std::string text = fmt::format("{} took {} {}, which left none idle ({} readings over {:.0f} s)",
                                 who, during(load, cores), when, load.readings, load.seconds);
  if (other) text += fmt::format("; {} {}", during(*other, their_cores), then);
  return text + ".";
}

/// Reports disturbances of either run: a busy baseline makes a speedup look better.
void add_host(const model::RunModel& run, const model::RunModel& baseline,
              std::vector<Finding>& found) {
  const auto ours = host_load(run);
  const auto theirs = host_load(baseline);
  const auto add = [&](const char* code, const char* who, auto cores, double least) {
    const bool run_is = ours && is_full(*ours) && cores(*ours) >= least;
    const bool baseline_is = theirs && is_full(*theirs) && cores(*theirs) >= least;
    if (!run_is && !baseline_is) return;
    const double our_cores = ours ? cores(*ours) : 0;
    const double their_cores = theirs ? cores(*theirs) : 0;
    found.push_back({Severity::kWarning, code,
                     run_is ? host_text(who, *ours, our_cores, "during this run", theirs,
                                        their_cores, "during the baseline")
                            : host_text(who, *theirs, their_cores, "during the baseline", ours,
                                        our_cores, "during this run")});
  };
  add(
      "host_busy", "Other processes", [](const HostLoad& load) { return load.others(); },
      kLeastOthers);
  add(
      "viewer_busy", "Ringside's own viewers", [](const HostLoad& load) { return load.viewers; },
      kLeastViewers);
}

/// Readings of the device that was slowed most often.
struct Slowed {
  std::int32_t device = -1;
  std::int64_t slowed = 0;
  std::int64_t readings = 0;
  double share() const {
    return readings > 0 ? static_cast<double>(slowed) / static_cast<double>(readings) : 0;
  }
};

Slowed slowed_most(const model::RunModel& model) {
  Slowed most;
  for (const auto& device : model.devices()) {
    const Slowed one{device.latest.device_index, device.slowed_readings, device.throttle_samples};
    if (most.device < 0 || one.share() > most.share()) most = one;
  }
  return most;
}

void add_slowed(const model::RunModel& run, const model::RunModel& baseline,
                std::vector<Finding>& found) {
  const Slowed ours = slowed_most(run);
  const Slowed theirs = slowed_most(baseline);
  const bool run_is = ours.share() >= theirs.share();
  const Slowed& most = run_is ? ours : theirs;
  const Slowed& other = run_is ? theirs : ours;
  constexpr std::int64_t kFewestSlowed = 3;
  if (most.slowed < kFewestSlowed || most.share() - other.share() < kLeastSlowed) return;
  found.push_back(
      {Severity::kWarning, "device_slowed",
       fmt::format("GPU {} was slowed by heat or power in {} of {} readings {}, in {} of {} {}.",
                   most.device, most.slowed, most.readings,
                   run_is ? "of this run" : "of the baseline", other.slowed, other.readings,
                   run_is ? "of the baseline" : "of this run")});
}

MeanReading mean_clock(const model::RunModel& model) {
  MeanReading all;
  std::size_t devices = 0;
  for (const auto& device : model.devices()) {
    const MeanReading one = mean_of(model, device.over_time(DeviceMetric::kClock));
    if (one.readings == 0) continue;
    all.value += one.value;
    all.readings += one.readings;
    ++devices;
  }
  if (devices > 0) all.value /= static_cast<double>(devices);
  return all;
}

void add_clocks(const model::RunModel& run, const model::RunModel& baseline,
                std::vector<Finding>& found) {
  const MeanReading ours = mean_clock(run);
  const MeanReading theirs = mean_clock(baseline);
  if (ours.readings < kFewestReadings || theirs.readings < kFewestReadings) return;
  if (!(std::abs(ours.value / theirs.value - 1) >= kLeastClock)) return;
  found.push_back({Severity::kWarning, "clocks_differ",
                   fmt::format("The GPUs ran at {:.0f} MHz, at {:.0f} MHz during the baseline "
                               "({:+.0f} %), means of {} and {} readings.",
                               ours.value, theirs.value, 100 * (ours.value / theirs.value - 1),
                               ours.readings, theirs.readings)});
}

/// The slowest of the links between its devices; empty if they are not reported.
std::string slowest_link(const model::RunModel& model) {
  constexpr std::array<std::string_view, 6> kFromSlow{"SYS", "NODE", "PHB", "PXB", "PIX", "NV"};
  std::string slowest;
  std::size_t place = kFromSlow.size();
  const auto devices = model.devices();
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      if (devices[a].node != devices[b].node) continue;
      const auto& link =
          model.link(devices[a].node, devices[a].latest.device_uuid, devices[b].latest.device_uuid);
      const auto known = std::find_if(kFromSlow.begin(), kFromSlow.end(),
                                      [&](auto word) { return link.starts_with(word); });
      const auto its = static_cast<std::size_t>(known - kFromSlow.begin());
      if (its >= place) continue;
      place = its;
      slowest = link;
    }
  }
  return slowest;
}

void add_link(const model::RunModel& run, const model::RunModel& baseline,
              std::vector<Finding>& found) {
  const std::string ours = slowest_link(run);
  const std::string theirs = slowest_link(baseline);
  if (ours.empty() || theirs.empty() || ours == theirs) return;
  found.push_back({Severity::kWarning, "link_differs",
                   fmt::format("The slowest link between the GPUs is {}, {} in the baseline, as "
                               "nvidia-smi names them.",
                               ours, theirs)});
}

}  // namespace

double HostLoad::others() const { return std::max(0.0, busy - ranks - viewers); }

std::size_t host_readings(const model::RunModel& model) {
  std::size_t most = 0;
  for (const auto& [node, host] : model.hosts())
    most = std::max(most, mean_of(model, host.cpu).readings);
  return most;
}

std::optional<HostLoad> host_load(const model::RunModel& model) {
  std::optional<HostLoad> most;
  for (const auto& [node, host] : model.hosts()) {
    const auto load = load_of(model, host);
    if (load && (!most || load->others() > most->others())) most = load;
  }
  return most;
}

std::vector<Finding> machine_differences(const model::RunModel& run,
                                         const model::RunModel& baseline) {
  std::vector<Finding> found;
  add_host(run, baseline, found);
  add_slowed(run, baseline, found);
  add_clocks(run, baseline, found);
  add_link(run, baseline, found);
  return found;
}

}  // namespace ringside::analysis
