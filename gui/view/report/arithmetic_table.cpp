#include "gui/view/report/arithmetic_table.h"

#include <algorithm>

#include "gui/analysis/progress.h"
#include "gui/analysis/range.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

struct PublishedPeak {
  std::string_view device;
  double half;     ///< bfloat16 and float16 with accumulation in float32; 0: none
  double tf32;     ///< 0: none
  double float32;  ///< outside of tensor cores
  bool bfloat16 = true;
};
// Values are from NVIDIA's data sheets of each card, and from the white papers of the Ampere and
// Ada architectures for the GeForce cards; half of the value if a sheet only gives it with
// sparsity.
constexpr PublishedPeak kPeaks[] = {
    {"NVIDIA H200", 989, 494, 67},
    {"NVIDIA H100 80GB HBM3", 989, 494, 67},
    {"NVIDIA H100 PCIe", 756, 378, 51},
    {"NVIDIA A100-SXM4-40GB", 312, 156, 19.5},
    {"NVIDIA A100-SXM4-80GB", 312, 156, 19.5},
    {"NVIDIA A100-PCIE-40GB", 312, 156, 19.5},
    {"NVIDIA A100 80GB PCIe", 312, 156, 19.5},
    {"NVIDIA L40S", 362, 183, 91.6},
    {"NVIDIA L4", 121, 60, 30.3},
    {"NVIDIA A10", 125, 62.5, 31.2},
    {"NVIDIA GeForce RTX 4090", 165.2, 82.6, 82.6},
    {"NVIDIA GeForce RTX 3090", 71, 35.6, 35.6},
    {"Tesla V100-SXM2-16GB", 125, 0, 15.7, false},
    {"Tesla V100-SXM2-32GB", 125, 0, 15.7, false},
    {"Tesla T4", 65, 0, 8.1, false},
};

constexpr std::string_view kBefore = "flops/";
constexpr std::string_view kBehind = " per step";
constexpr double kTera = 1e12;

void add_counted(const model::RunModel& model, const model::RankModel& rank, std::string_view type,
                 double flops, Table& table) {
  const double step_ns =
      analysis::step_times(model, rank.rank, analysis::recent_steps(model)).p50_ns;
  const double per_s = flops / (step_ns / 1e9);
  const std::string device = rank.hello ? rank.hello->device_name : "";
  const auto peak = published_peak(device, type);
  const auto tera = [](double value) { return decimal_text(value / kTera, 3); };
  std::string why;
  if (!peak) why = "no published peak for " + std::string(type) + " of " + device;
  add_row(table, {{std::int64_t{rank.rank}, rank_label(rank.rank)},
                  text_cell(std::string(type)),
                  number_cell(flops, tera),
                  number_cell(per_s, tera),
                  peak ? Cell{*peak * kTera, decimal_text(*peak, 1)} : unknown_cell(),
                  number_cell(peak ? per_s / (*peak * kTera) : kUnknownNumber, percent1_text),
                  text_cell(why)});
}

}  // namespace

std::optional<double> published_peak(std::string_view device, std::string_view type) {
  const auto found = std::ranges::find(kPeaks, device, &PublishedPeak::device);
  if (found == std::end(kPeaks)) return std::nullopt;
  double peak = 0;
  if (type == "float16" || (type == "bfloat16" && found->bfloat16)) peak = found->half;
  if (type == "tf32") peak = found->tf32;
  if (type == "float32") peak = found->float32;
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

Table arithmetic_table(const model::RunModel& model) {
  Table table{"arithmetic", "What each rank computes in a step, in 10^12 operations (T)"};
  table.columns = {{"rank", "rank"},
                   {"type", "in"},
                   number_column("flops_per_step", "a step", "T"),
                   number_column("flops_per_s", "rate", "T/s"),
                   number_column("peak_flops_per_s", "peak", "T/s"),
                   number_column("share_of_peak", "of peak"),
                   {"why", ""}};
  for (const model::ScalarName& name : model.scalars().names()) {
    std::string_view type = name.name();
    if (!type.starts_with(kBefore) || !type.ends_with(kBehind)) continue;
    type.remove_prefix(kBefore.size());
    type.remove_suffix(kBehind.size());
    for (std::size_t i = name.first_rank(); i < name.ranks().size(); ++i) {
      const model::RankModel* rank = model.rank(name.ranks()[i]);
      if (rank != nullptr) add_counted(model, *rank, type, name.series(i).latest(), table);
    }
  }
  table.notes.push_back(
      "Counted once, in one step; the rate is that of the median recent step. Recomputation and "
      "padding count as work: without recomputation the share of the peak is the MFU. With tensor "
      "parallelism every rank may count the whole model.");
  return table;
}

}  // namespace ringside::view
