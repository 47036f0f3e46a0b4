#include "gui/view/probe_words.h"

#include <algorithm>
#include <limits>

#include "gui/analysis/scaling/speedup.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using analysis::LinkProbe;

/// Milliseconds with enough decimals for a few microseconds, too: "0.011".
std::string fine_ms_number(double seconds) {
  const double ms = seconds * 1e3;
  return decimal_text(ms, ms < 0.1 ? 3 : ms < 10 ? 2 : 1);
}

std::string size_text(std::int64_t bytes) {
  if (bytes >= std::int64_t{1} << 20) return count_text(bytes >> 20) + " MiB";
  if (bytes >= 1 << 10) return count_text(bytes >> 10) + " KiB";
  return count_text(bytes) + " B";
}

/// A reason to doubt the ceiling; empty: none is known.
std::string busy_text(const LinkProbe& probe) {
  if (!was_disturbed(probe)) return {};
  return " on a busy host, where other processes took " + decimal_text(probe.others_cores, 1) +
         " of " + plural(static_cast<std::int64_t>(probe.host_cores), "core", "cores");
}

}  // namespace

std::string probed_text(const LinkProbe& probe) {
  const std::int64_t ranks = probe.devices.ranks;
  const std::string devices = probe.devices.gpus.empty() ? plural(ranks, "CPU slot", "CPU slots")
                                                         : plural(ranks, "GPU", "GPUs");
  return devices + ", " + probe.devices.backend +
         (probe.transport.empty() ? "" : " over " + probe.transport);
}

std::string links_text(const LinkProbe& probe) {
  double bus = 0;
  for (const auto& one : probe.sizes) bus = std::max(bus, bus_bytes_per_s(probe, one));
  return fine_ms_number(probe.sizes.front().seconds) + " ms for " +
         size_text(probe.sizes.front().size_bytes) + ", bus bandwidth " + gb_per_s_text(bus);
}

std::string expected_text(const LinkProbe& probe, std::int64_t gradient_bytes) {
  return mb_text(static_cast<double>(gradient_bytes)) + " of gradients are expected to take " +
         fine_ms_number(step_exchange_s(probe, gradient_bytes)) + " ms a step";
}

std::string ceiling_text(const LinkProbe& probe) {
  return plural(probe.devices.ranks, "copy", "copies") + " at once reach " +
         speedup_text(probe.ceiling) + " of one" + busy_text(probe);
}

std::string probe_age_text(const LinkProbe& probe, std::int64_t now_wall_ns) {
  const double age_s = static_cast<double>(now_wall_ns - probe.wall_ns) / 1e9;
  return rough_duration_text(std::max(0.0, age_s)) + " ago";
}

std::string contention_text(const LinkProbe& probe, double speedup) {
  const double ideal = probe.devices.ranks;
  std::string text = ceiling_text(probe) + " (" + probe.step + ")";
  if (!(speedup < ideal)) return text + ".";
  const double contention = std::clamp(ideal - probe.ceiling, 0.0, ideal - speedup);
  return text + ": of the " + speedup_text(ideal - speedup) + " below the ideal " +
         speedup_text(contention) + " is what the copies take from each other, " +
         speedup_text(ideal - speedup - contention) + " exchange and all else.";
}

Table probe_table(const LinkProbe& probe) {
  Table table{"all_reduce", "All-reduce on " + probed_text(probe)};
  table.columns = {number_column("size_bytes", "size"), number_column("seconds", "time", "ms"),
                   number_column("bus_bytes_per_s", "bus bandwidth")};
  for (const auto& one : probe.sizes) {
    const double bus = bus_bytes_per_s(probe, one);
    add_row(table, {{one.size_bytes, size_text(one.size_bytes)},
                    {one.seconds, fine_ms_number(one.seconds)},
                    {bus, gb_per_s_text(bus)}});
  }
  return table;
}

Table expected_table(const ReportRun& run) {
  Table table{"probe", "What the probe of its devices expected"};
  table.run = run.id;
  if (run.probe == nullptr) return table;
  const LinkProbe& probe = *run.probe;
  const auto exchange = analysis::expected_exchange(probe, *run.model);
  const auto ms = [](double ns) { return fine_ms_number(ns / 1e9) + " ms"; };
  add_fact(table, "devices", "devices", text_cell(probed_text(probe)));
  add_fact(table, "probed_wall_ns", "probed", {probe.wall_ns, date_time_text(probe.wall_ns)});
  add_fact(table, "gradient_bytes", "gradients per step",
           {exchange.gradient_bytes, mb_text(static_cast<double>(exchange.gradient_bytes))});
  add_fact(table, "expected_ns", "exchange expected", number_cell(exchange.expected_ns, ms));
  add_fact(table, "measured_ns", "exchange measured", number_cell(exchange.measured_ns, ms));
  add_fact(table, "exposed_ns", "of it exposed", number_cell(exchange.exposed_ns, ms));
  add_fact(table, "overlapped_ns", "of it overlapped", number_cell(exchange.hidden_ns, ms));
  const auto speedup = analysis::speedup(*run.model, run.baseline, true);
  const bool compared = speedup.missing == analysis::NoSpeedup::kNone &&
                        speedup.baseline_devices == 1 && speedup.devices == probe.devices.ranks;
  const bool holds = analysis::holds(probe.ceiling, compared ? speedup.speedup : 0);
  const double ceiling = holds ? probe.ceiling : std::numeric_limits<double>::quiet_NaN();
  add_fact(table, "ceiling", "ceiling, measured", number_cell(ceiling, speedup_text));
  table.transposed = true;
  if (holds)
    table.notes.push_back(contention_text(probe, compared ? speedup.speedup : probe.devices.ranks));
  return table;
}

}  // namespace ringside::view
