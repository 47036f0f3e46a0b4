#include "gui/view/live/rank_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gui/analysis/alerts.h"
#include "gui/analysis/progress.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/rank_cells.h"
#include "gui/view/number_format.h"
#include "gui/view/short_number.h"

namespace ringside::view {
namespace {

using messages::DeviceField;
using model::DeviceModel;
using model::RankModel;

constexpr std::size_t kDenseFrom = 64;

/// What is the same for all rows.
struct Facts {
  const model::RunModel& model;
  const RunContext& context;
  analysis::StepRange recent;
  analysis::ArrivalClock clock;
  std::optional<analysis::Straggler> late;
  std::map<Rank, std::int64_t> rates;   ///< whole samples/s that add up to that of the run
  std::map<Rank, std::int64_t> shares;  ///< whole percents of the steps it arrived last in
  Step common = -1;                     ///< newest step that every rank reported
};

/// Rounded so that they add up to their rounded sum: what lacks goes to the largest fractions.
std::map<Rank, std::int64_t> whole_parts(const std::map<Rank, double>& values) {
  std::map<Rank, std::int64_t> whole;
  std::vector<std::pair<double, Rank>> fractions;
  double sum = 0;
  std::int64_t given = 0;
  for (const auto& [rank, value] : values) {
    const double below = std::floor(value);
    whole[rank] = static_cast<std::int64_t>(below);
    given += whole[rank];
    sum += value;
    fractions.emplace_back(below - value, rank);
  }
  std::sort(fractions.begin(), fractions.end());
  auto lacking = static_cast<std::int64_t>(std::floor(sum + 0.5)) - given;
  for (const auto& [fraction, rank] : fractions) {
    if (lacking-- <= 0) break;
    ++whole[rank];
  }
  return whole;
}

Facts facts_of(const model::RunModel& model, const RunContext& context) {
  Facts facts{model, context, analysis::recent_steps(model), {}, {}, {}, {}, -1};
  facts.clock = analysis::arrival_clock(model, facts.recent);
  facts.late = analysis::straggler(model, facts.clock);
  std::map<Rank, double> rates;
  for (const auto& [rank, rate] : analysis::throughput(model, facts.recent).ranks)
    if (rate > 0 && std::isfinite(rate)) rates[rank] = rate;
  facts.rates = whole_parts(rates);
  std::map<Rank, double> shares;
  if (facts.clock.compared > facts.clock.undecided)
    for (const auto& arrival : facts.clock.ranks) shares[arrival.rank] = arrival.share * 100;
  facts.shares = whole_parts(shares);
  facts.common = model.newest_common_step();
  return facts;
}

std::string short_uuid(const std::string& uuid) {
  return uuid.starts_with("GPU-") ? uuid.substr(0, 12) : uuid;
}

std::string measured(const DeviceModel& device, DeviceField field, double value) {
  return is_valid(device.latest, field) ? decimal_text(value, 0) : std::string(kDash);
}

std::string whole_gib(std::int64_t bytes) {
  return decimal_text(static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0), 0);
}

void fill_device(const DeviceModel* device, RankRow& row) {
  row.utilisation_text = row.memory_text = row.temperature = row.power = std::string(kDash);
  if (device == nullptr) return;
  const auto& sample = device->latest;
  row.utilisation_text =
      measured(*device, DeviceField::kUtilisation, static_cast<double>(sample.utilisation_pct));
  if (is_valid(sample, DeviceField::kUtilisation))
    row.utilisation = static_cast<double>(sample.utilisation_pct) / 100;
  row.temperature =
      measured(*device, DeviceField::kTemperature, static_cast<double>(sample.temperature_c));
  row.power = measured(*device, DeviceField::kPower, static_cast<double>(sample.power_w));
  if (!is_valid(sample, DeviceField::kMemoryUsed)) return;
  row.memory_text = gib_number(static_cast<double>(sample.memory_used_bytes));
  if (!is_valid(sample, DeviceField::kMemoryTotal) || sample.memory_total_bytes <= 0) return;
  row.memory = static_cast<double>(sample.memory_used_bytes) /
               static_cast<double>(sample.memory_total_bytes);
  row.memory_total = "/" + whole_gib(sample.memory_total_bytes);
}

/// A CPU rank has no device of its own: its memory is what its process holds.
void fill_host_memory(const model::RunModel& model, const RankModel& rank, RankRow& row) {
  const auto host = model.hosts().find(rank.node);
  if (host == model.hosts().end() || !rank.hello) return;
  const auto& sample = host->second.latest;
  const auto local = static_cast<std::size_t>(std::max(0, rank.hello->local_rank));
  if (local < sample.rank_cpu_pct.size() && std::isfinite(sample.rank_cpu_pct[local])) {
    const auto cores = static_cast<double>(std::max(1, rank.hello->threads));
    row.utilisation =
        std::clamp(static_cast<double>(sample.rank_cpu_pct[local]) / 100 / cores, 0.0, 1.0);
    row.utilisation_text = decimal_text(row.utilisation * 100, 0);
  }
  if (local >= sample.rank_resident_bytes.size() || sample.rank_resident_bytes[local] < 0) return;
  row.memory_text = gib_number(static_cast<double>(sample.rank_resident_bytes[local]));
  if (sample.memory_total_bytes <= 0) return;
  row.memory = static_cast<double>(sample.rank_resident_bytes[local]) /
               static_cast<double>(sample.memory_total_bytes);
  row.memory_total = "/" + whole_gib(sample.memory_total_bytes);
}

void fill_identity(const Facts& facts, const RankModel& rank, RankRow& row) {
  row.rank = rank.rank;
  row.node = rank.node;
  const bool live = facts.context.contact == Contact::kLive;
  const double silent = live ? analysis::silent_seconds(rank, facts.context.now_ns) : 0;
  const bool named = analysis::is_silent(facts.model, rank, silent);
  row.late = facts.late && facts.late->rank == rank.rank;
  row.state = rank_state_view(rank, row.late, named ? silent : 0, facts.context);
  row.device = row.device_id = row.pid = row.host = std::string(kDash);
  row.link = std::string(kDash);
  if (rank.state && (rank.state->exit_code >= 0 || rank.state->signal > 0))
    row.exit = ending_text(rank.state->exit_code, rank.state->signal);
  if (!rank.hello) return;
  const bool gpu = rank.hello->device_index >= 0 && rank.hello->device_uuid != "cpu";
  row.device =
      gpu ? count_text(rank.hello->device_index) : "cpu " + count_text(rank.hello->local_rank);
  row.device_id = short_uuid(rank.hello->device_uuid);
  row.pid = std::to_string(rank.hello->pid);
  row.host = rank.hello->host;
}

RankRow row_of(const Facts& facts, const RankModel& rank) {
  RankRow row;
  fill_identity(facts, rank, row);
  // Ranks are compared in the newest step that all of them have, which is also that of the sum.
  const Step told = facts.common >= 0 ? facts.common : std::max<Step>(0, rank.newest_step);
  const auto newest = static_cast<std::size_t>(told);
  row.step = step_text(rank.newest_step);
  const auto rate = facts.rates.find(rank.rank);
  const bool known = rate != facts.rates.end();
  row.samples_per_s = known ? count_text(rate->second) : std::string(kDash);
  const auto times = analysis::step_times(facts.model, rank.rank, facts.recent);
  row.p50 = ms_number(times.p50_ns);
  row.p95 = ms_number(times.p95_ns);
  row.own_work = ms_number(
      analysis::step_times(facts.model, rank.rank, facts.recent, model::Metric::kOwnWork).mean_ns);
  const auto share = facts.shares.find(rank.rank);
  row.arrived_last = share == facts.shares.end() ? std::string(kDash) : count_text(share->second);
  row.loss = reported_text(rank.series(model::Metric::kLoss), newest, 3);
  row.grad_norm = reported_text(rank.series(model::Metric::kGradNorm), newest, 2);
  const bool gpu = rank.hello && rank.hello->device_uuid != "cpu";
  fill_device(gpu ? facts.model.device(rank.node, rank.hello->device_uuid) : nullptr, row);
  if (!gpu) fill_host_memory(facts.model, rank, row);
  return row;
}

/// Sums and extremes of the devices; means where a sum says nothing.
void fill_all_devices(const Facts& facts, RankRow& all) {
  double utilisation = 0, memory = 0, power = 0, hottest = -1;
  int used = 0, remembered = 0, powered = 0;
  for (const Rank number : facts.model.ranks()) {
    const RankModel& rank = *facts.model.rank(number);
    const DeviceModel* device =
        rank.hello ? facts.model.device(rank.node, rank.hello->device_uuid) : nullptr;
    if (device == nullptr) continue;
    const auto& sample = device->latest;
    if (is_valid(sample, DeviceField::kUtilisation))
      utilisation += static_cast<double>(sample.utilisation_pct), ++used;
    if (is_valid(sample, DeviceField::kMemoryUsed))
      memory += static_cast<double>(sample.memory_used_bytes), ++remembered;
    if (is_valid(sample, DeviceField::kPower))
      power += static_cast<double>(sample.power_w), ++powered;
    if (is_valid(sample, DeviceField::kTemperature))
      hottest = std::max(hottest, static_cast<double>(sample.temperature_c));
  }
  all.utilisation_text = used > 0 ? decimal_text(utilisation / used, 0) : "";
  all.memory_text = remembered > 0 ? gib_number(memory) : "";
  all.power = powered > 0 ? decimal_text(power, 0) : "";
  all.temperature = hottest >= 0 ? decimal_text(hottest, 0) : "";
}

RankRow all_row(const Facts& facts) {
  RankRow all;
  std::int64_t rate = 0;
  for (const auto& [rank, value] : facts.rates) rate += value;
  all.samples_per_s = facts.rates.empty() ? std::string(kDash) : count_text(rate);
  std::vector<double> p50, p95;
  for (const Rank rank : facts.model.ranks()) {
    const auto times = analysis::step_times(facts.model, rank, facts.recent);
    if (times.steps > 0) p50.push_back(times.p50_ns), p95.push_back(times.p95_ns);
  }
  // All ranks step together: the slowest one's figures are those of the run.
  all.p50 = p50.empty() ? std::string(kDash) : ms_number(*std::max_element(p50.begin(), p50.end()));
  all.p95 = p95.empty() ? std::string(kDash) : ms_number(*std::max_element(p95.begin(), p95.end()));
  all.loss = facts.common >= 0
                 ? reported_text(facts.model.mean_loss(), static_cast<std::size_t>(facts.common), 3)
                 : std::string(kDash);
  fill_all_devices(facts, all);
  return all;
}

std::string subtitle_of(const model::RunModel& model) {
  Step newest = -1;
  for (const Rank rank : model.ranks()) newest = std::max(newest, model.rank(rank)->newest_step);
  if (newest < 0) return "";
  std::int64_t there = 0;
  for (const Rank rank : model.ranks()) there += model.rank(rank)->newest_step == newest ? 1 : 0;
  const Step common = model.newest_common_step();
  return count_text(there) + " of " + count_text(model.world_size()) + " in step " +
         step_text(newest) +
         (common >= 0 && common < newest ? ", loss of step " + step_text(common) : "");
}

double share_last(const Facts& facts, Rank rank) {
  for (const auto& arrival : facts.clock.ranks) {
    if (arrival.rank == rank) return arrival.share;
  }
  return 0;
}

}  // namespace

RankTableView build_rank_table(const model::RunModel& model, const RunContext& context,
                               const RankSort& sort) {
  RankTableView table;
  const Facts facts = facts_of(model, context);
  table.gpus = on_gpus(model);
  table.subtitle = subtitle_of(model);
  for (const Rank rank : model.ranks()) table.rows.push_back(row_of(facts, *model.rank(rank)));
  table.dense = table.rows.size() >= kDenseFrom;
  if (sort.chosen) {
    sort_ranks(sort, table.rows);
  } else if (table.dense) {
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const RankRow& a, const RankRow& b) {
      return a.node != b.node ? a.node < b.node
                              : share_last(facts, a.rank) > share_last(facts, b.rank);
    });
  }
  table.has_all = table.rows.size() > 1;
  if (table.has_all) table.all = all_row(facts);
  if (table.rows.empty()) {
    table.empty = {{"No rank has been heard yet. ", Style::kStrong},
                   {"Start-up: 0 of " + plural(model.world_size(), "rank", "ranks") + " joined.",
                    Style::kDim}};
  }
  return table;
}

std::string reported_text(const model::Series& series, std::size_t step, int decimals) {
  if (!series.has(step)) return std::string(kDash);
  const auto value = static_cast<double>(series.at(step));
  return std::isnan(value) ? "NaN" : measure_text(value, decimals);
}

std::string throttle_text(std::uint64_t reasons) {
  struct Reason {
    std::uint64_t bit;
    const char* words;
  };
  // Bits of nvmlClocksThrottleReasons; 1 (idle) and 2 (application clocks) slow nothing down.
  static constexpr Reason kReasons[] = {{0x4, "power cap"},
                                        {0x8, "hardware slowdown"},
                                        {0x20, "software thermal"},
                                        {0x40, "hardware thermal"},
                                        {0x80, "power brake"}};
  std::string text;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(reason.words);
  }
  return text;
}

DeviceTableView build_device_table(const model::RunModel& model, const RunContext&) {
  DeviceTableView table;
  for (const DeviceModel& device : model.devices()) {
    RankRow filled;
    fill_device(&device, filled);
    DeviceRow row;
    row.device = count_text(device.latest.device_index);
    row.uuid = short_uuid(device.latest.device_uuid);
    row.utilisation = filled.utilisation;
    row.utilisation_text = filled.utilisation_text;
    row.memory = filled.memory;
    row.memory_text = filled.memory_text;
    row.memory_total = filled.memory_total;
    row.temperature = filled.temperature;
    row.power = filled.power;
    row.clock =
        measured(device, DeviceField::kSmClock, static_cast<double>(device.latest.sm_clock_mhz));
    if (is_valid(device.latest, DeviceField::kThrottle))
      row.throttle = throttle_text(device.latest.throttle_reasons);
    for (const Rank rank : model.ranks()) {
      const auto& hello = model.rank(rank)->hello;
      if (hello && model.rank(rank)->node == device.node &&
          hello->device_uuid == device.latest.device_uuid)
        row.rank = rank;
    }
    table.rows.push_back(std::move(row));
  }
  if (!model.hosts().empty()) {
    const auto& host = model.hosts().begin()->second.latest;
    table.host = {{"Host: CPU ", Style::kDim},
                  {percent_text(static_cast<double>(host.cpu_pct) / 100), Style::kNumber}};
    if (host.memory_used_bytes >= 0) {
      table.host.push_back({", memory ", Style::kDim});
      table.host.push_back({gib_number(static_cast<double>(host.memory_used_bytes)) + " of " +
                                gib_text(static_cast<double>(host.memory_total_bytes)),
                            Style::kNumber});
    }
    if (host.disk_free_bytes >= 0)
      table.host.push_back(
          {", " + gib_text(static_cast<double>(host.disk_free_bytes)) + " free", Style::kDim});
  }
  if (table.rows.empty()) table.empty = {{"No GPU is sampled in this run.", Style::kDim}};
  return table;
}

}  // namespace ringside::view
