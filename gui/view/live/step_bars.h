// "Step breakdown": one bar per rank, divided into parts. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/analysis/step_parts.h"
#include "gui/view/run_context.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Labels of the panel.
namespace label {
inline constexpr const char* kStepBreakdown = "Step breakdown";
}  // namespace label

struct BarPart {
  Paint paint = Paint::kOther;
  double begin = 0;  ///< 0 .. 1 of the longest step shown
  double end = 0;
  std::string value;    ///< "7.1"
  bool strong = false;  ///< the part that stands out on this rank
};

struct StepBar {
  Rank rank = kNoRank;  ///< kNoRank: median of all ranks
  std::string label;
  std::vector<BarPart> parts;
  std::string whole;  ///< "91.6 ms"
};

struct LegendEntry {
  Paint paint = Paint::kOther;
  std::string word;
};

/// When in a step the collectives of a dimension of the mesh take place.
struct StepLane {
  std::string text;  ///< "shard: 9 calls, wait 1.2, transfer 3.4 ms"
  std::string hint;
  std::vector<BarPart> parts;  ///< the wait for the last rank and the transfer of each call
};

struct StepBarsView {
  std::string subtitle;  ///< "mean of the last 200 steps"
  std::string whole;     ///< "91.6 ms"
  std::vector<LegendEntry> legend;
  std::vector<StepBar> bars;  ///< up to 8; with more ranks, the 6 slowest and the median
  std::string more;           ///< "57 more"
  std::vector<StepLane> lanes;
  Sentence transfer;  ///< "Transfer 10.2 ms per step, 6.6 overlapped with backward, 3.6 exposed. 5
                      ///< buckets, 94.1 MB"
  Sentence empty;
};

StepBarsView build_step_bars(const model::RunModel& model, const RunContext& context);

Paint paint_of(analysis::Part part);
std::string word_of(analysis::Part part);

}  // namespace ringside::view
