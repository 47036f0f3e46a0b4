// The table of ranks and the table of devices, all cells as text with what is needed to draw bars.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/view/state_view.h"

namespace ringside::view {

/// Columns of the table of ranks; every one can be sorted by.
enum class RankColumn : std::uint8_t {
  kRank,
  kState,
  kDevice,
  kUuid,
  kStep,
  kRate,
  kP50,
  kP95,
  kOwn,
  kLast,
  kLoss,
  kNorm,
  kUtilisation,
  kMemory,
  kHeat,
  kPower,
  kLink
};
inline constexpr std::size_t kRankColumnCount = 17;
/// Word of files: "grad_norm".
const char* key_of(RankColumn column);

struct RankSort {
  bool chosen = false;  ///< else by rank; from 64 ranks on by node and how often they arrive last
  RankColumn column = RankColumn::kRank;
  bool descending = false;

  bool operator==(const RankSort&) const = default;
};

struct RankRow {
  Rank rank = kNoRank;  ///< kNoRank: "All"
  Node node = 0;
  StateView state;
  bool late = false;      ///< row tinted
  std::string device;     ///< "4", or "cpu 0"
  std::string device_id;  ///< "GPU-5e1c9f0b", shortened
  std::string step, samples_per_s, p50, p95, own_work, arrived_last, loss, grad_norm;
  double utilisation = -1;  ///< 0 .. 1; below 0: not known
  std::string utilisation_text;
  double memory = -1;        ///< 0 .. 1 of the total
  std::string memory_text;   ///< "12.4"
  std::string memory_total;  ///< "/48"
  std::string temperature, power;
  std::string link;             ///< "NV4 → r1"; "–" where no link is known
  std::string pid, host, exit;  ///< "exit code 3", "SIGKILL"
};

struct RankTableView {
  std::string subtitle;       ///< "4 of 4 in step 4,569"
  std::vector<RankRow> rows;  ///< by rank; above 64 ranks sorted by arrived last
  RankRow all;
  bool has_all = false;  ///< not with one rank
  bool dense = false;    ///< 20 px rows from 64 ranks on
  bool gpus = true;      ///< device columns hold something
  Sentence empty;        ///< "Start-up: 3 of 4 ranks joined."
};

RankTableView build_rank_table(const model::RunModel& model, const RunContext& context,
                               const RankSort& sort = {});

/// The text of a cell; and what it is sorted by: its number, NaN where it holds none.
const std::string& cell_text(const RankRow& row, RankColumn column);
double cell_number(const std::string& text);

struct DeviceRow {
  std::string device, uuid, utilisation_text, memory_text, memory_total, temperature, power, clock,
      throttle;
  double utilisation = -1;
  double memory = -1;
  Rank rank = kNoRank;  ///< that runs on it
};
struct DeviceTableView {
  std::vector<DeviceRow> rows;
  Sentence host;   ///< "Host: CPU 45 %, memory 6.2 of 15.6 GiB, 412 GiB free"
  Sentence empty;  ///< "No device has been sampled yet."
};
DeviceTableView build_device_table(const model::RunModel& model, const RunContext& context);

/// "Software power cap", ... of NVML's bit mask; empty when nothing slows the device down.
std::string throttle_text(std::uint64_t reasons);

/// What a rank reported for a step: the number, "NaN" or "∞" where it broke, "–" where it said
/// none.
std::string reported_text(const model::Series& series, std::size_t step, int decimals);

}  // namespace ringside::view
