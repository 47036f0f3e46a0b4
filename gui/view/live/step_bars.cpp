#include "gui/view/live/step_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gui/analysis/groups/groups.h"
#include "gui/analysis/groups/reported_groups.h"
#include "gui/model/groups/group_store.h"
#include "gui/model/run_model.h"
#include "gui/view/live/group_table.h"
#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

using analysis::Part;
using analysis::StepParts;

/// The parts that are drawn in one colour: copying to the device counts as waiting for data, since
/// both come before the forward pass.
struct Shown {
  Paint paint;
  const char* word;
  std::array<Part, 2> parts;
};
constexpr std::array<Shown, 7> kShown{{
    {Paint::kDataWait, "Data wait", {Part::kDataWait, Part::kHostToDevice}},
    {Paint::kForward, "Forward", {Part::kForward, Part::kForward}},
    {Paint::kBackward, "Backward", {Part::kBackward, Part::kBackward}},
    {Paint::kWaitSlowest, "Wait for slowest", {Part::kWaitSlowest, Part::kWaitSlowest}},
    {Paint::kAllReduce, "All-reduce", {Part::kAllReduce, Part::kCommunication}},
    {Paint::kOptimizer, "Optimizer", {Part::kOptimizer, Part::kOptimizer}},
    {Paint::kOther, "Other", {Part::kOther, Part::kOther}},
}};

constexpr std::size_t kMostStepBars = 8;
constexpr std::size_t kLatestBars = 6;
/// A part too small to be visible is not in the legend.
constexpr double kVisibleShare = 0.002;

double shown_ns(const StepParts& parts, const Shown& shown) {
  const double first = parts.mean_ns(shown.parts[0]);
  const double second =
      shown.parts[0] == shown.parts[1] ? std::nan("") : parts.mean_ns(shown.parts[1]);
  if (std::isnan(first)) return second;
  return std::isnan(second) ? first : first + second;
}

/// The lost time that is furthest above the mean of the ranks: the part that distinguishes this
/// rank.
Paint outstanding(const StepParts& parts, const StepParts& mean) {
  Paint paint = Paint::kOther;
  double most = 0.02 * mean.mean_step_ns();
  for (const Shown& shown : kShown) {
    const bool lost = shown.paint == Paint::kDataWait || shown.paint == Paint::kWaitSlowest ||
                      shown.paint == Paint::kAllReduce;
    const double value = shown_ns(parts, shown);
    if (!lost || std::isnan(value) || value < most) continue;
    most = value;
    paint = shown.paint;
  }
  return paint;
}

StepBar bar_of(const StepParts& parts, const StepParts& mean, double longest_ns) {
  StepBar bar;
  bar.rank = parts.rank;
  bar.label = parts.rank == kNoRank ? "mean" : rank_label(parts.rank);
  bar.whole = ms_text(parts.mean_step_ns());
  const Paint strong = outstanding(parts, mean);
  double at = 0;
  for (const Shown& shown : kShown) {
    const double ns = shown_ns(parts, shown);
    if (std::isnan(ns) || ns <= 0) continue;
    BarPart part;
    part.paint = shown.paint;
    part.begin = at / longest_ns;
    at += ns;
    part.end = at / longest_ns;
    part.value = ms_number(ns);
    part.strong = shown.paint == strong && strong != Paint::kOther;
    bar.parts.push_back(std::move(part));
  }
  return bar;
}

/// The ranks that compute longest, longest first. The bar of the median represents the others.
std::vector<StepParts> latest(std::vector<StepParts> all) {
  std::sort(all.begin(), all.end(), [](const StepParts& a, const StepParts& b) {
    return a.mean_own_work_ns() > b.mean_own_work_ns();
  });
  all.resize(kLatestBars);
  return all;
}

StepParts median(std::vector<StepParts> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end(), [](const StepParts& a, const StepParts& b) {
    return a.mean_own_work_ns() < b.mean_own_work_ns();
  });
  return *middle;
}

/// The transfer over the steps of the bars; if the buckets of some steps are no longer stored, it
/// says how many steps it covers.
Sentence transfer_words(const model::RunModel& model, analysis::StepRange range,
                        const RunContext& context) {
  const auto transfer = analysis::transfer(model, range);
  if (transfer.steps == 0) return {};
  Sentence words{{"Transfer ", Style::kDim},
                 {ms_text(transfer.transfer_ns), Style::kNumber},
                 {transfer.steps < range.count()
                      ? " per step over the last " + count_text(transfer.steps) + ", "
                      : std::string(" per step, "),
                  Style::kDim},
                 {ms_number(transfer.hidden_ns), Style::kNumber},
                 {" overlapped with backward, ", Style::kDim},
                 {ms_number(transfer.exposed_ns), Style::kNumber},
                 {" exposed.  ", Style::kDim},
                 {plural(transfer.buckets, "bucket", "buckets") + ", " +
                      mb_text(static_cast<double>(transfer.size_bytes)),
                  Style::kDim}};
  if (context.probe == nullptr) return words;
  words.push_back({".  The probe expects ", Style::kDim});
  words.push_back(
      {ms_text(step_exchange_s(*context.probe, transfer.size_bytes) * 1e9), Style::kNumber});
  return words;
}

/// The mean over these groups, which have one name. Times of groups with another number of calls
/// than the first are left out. `sums`: its text includes times.
StepLane lane_of(const std::string& name, const std::vector<analysis::Lane>& groups, bool sums,
                 double longest_ns) {
  const std::size_t calls = groups.front().calls.size();
  std::vector<const analysis::Lane*> alike;
  for (const analysis::Lane& lane : groups) {
    if (lane.calls.size() == calls) alike.push_back(&lane);
  }
  const auto mean = [&](std::size_t call, double analysis::LaneCall::*time) {
    double sum = 0;
    for (const analysis::Lane* lane : alike) sum += lane->calls[call].*time;
    return sum / static_cast<double>(alike.size());
  };
  StepLane lane;
  double wait_ns = 0;
  double transfer_ns = 0;
  double free_ns = 0;
  for (std::size_t i = 0; i < calls; ++i) {
    const double arrived_ns = mean(i, &analysis::LaneCall::arrived_ns);
    const double done_ns = mean(i, &analysis::LaneCall::done_ns);
    const double start_ns = std::max(arrived_ns, std::min(free_ns, done_ns));
    wait_ns += mean(i, &analysis::LaneCall::wait_ns);
    transfer_ns += done_ns - start_ns;
    free_ns = std::max(free_ns, done_ns);
    const auto add = [&](Paint paint, double begin_ns, double end_ns) {
      const double begin = std::clamp(begin_ns / longest_ns, 0.0, 1.0);
      const double end = std::clamp(end_ns / longest_ns, 0.0, 1.0);
      if (end > begin) lane.parts.push_back({paint, begin, end, {}, false});
    };
    add(Paint::kWaitSlowest, mean(i, &analysis::LaneCall::entered_ns), arrived_ns);
    add(Paint::kAllReduce, start_ns, done_ns);
  }
  lane.text = name + ": " + plural(static_cast<std::int64_t>(calls), "call", "calls");
  if (sums)
    lane.text += fmt::format(", wait {}, transfer {}", ms_number(wait_ns), ms_text(transfer_ns));
  const std::string several =
      groups.size() > 1 ? fmt::format(", mean of {} groups", groups.size()) : std::string();
  lane.hint = fmt::format(
      "When in a step the collectives of {} take place{}: first until its last rank has come, "
      "which "
      "a rank waits for by {} a step, then until all are done. What a rank computes meanwhile "
      "stands in its own bar",
      name, several, ms_text(wait_ns));
  return lane;
}

/// A lane for each dimension of the mesh, in the order in which ranks reported its groups.
std::vector<StepLane> lanes_of(const model::RunModel& model, double longest_ns) {
  std::vector<std::pair<std::string, std::vector<analysis::Lane>>> named;
  for (const analysis::Lane& lane : analysis::lanes(model)) {
    const std::string name =
        group_name(model, analysis::reported_groups(model).groups()[lane.group]);
    auto place = std::find_if(named.begin(), named.end(),
                              [&](const auto& one) { return one.first == name; });
    if (place == named.end()) place = named.insert(named.end(), {name, {}});
    place->second.push_back(lane);
  }
  // Times of buckets are shown in the bars and in the text of the transfer.
  const bool sums = !model.groups().groups().empty();
  std::vector<StepLane> lanes;
  for (const auto& [name, groups] : named) lanes.push_back(lane_of(name, groups, sums, longest_ns));
  return lanes;
}

std::string subtitle_of(analysis::StepRange range) {
  if (range.count() >= analysis::kRecentSteps)
    return "mean of the last " + count_text(range.count()) + " steps";
  return "mean of " + plural(range.count(), "step", "steps") +
         (range.begin > 0 ? ", warm-up excluded" : "");
}

}  // namespace

Paint paint_of(Part part) {
  for (const Shown& shown : kShown) {
    if (shown.parts[0] == part || shown.parts[1] == part) return shown.paint;
  }
  return Paint::kOther;
}

std::string word_of(Part part) {
  if (part == Part::kHostToDevice) return "Copy to device";
  if (part == Part::kCommunication) return "Communication";
  for (const Shown& shown : kShown) {
    if (shown.parts[0] == part) return shown.word;
  }
  return "Other";
}

StepBarsView build_step_bars(const model::RunModel& model, const RunContext& context) {
  StepBarsView view;
  const auto range = analysis::recent_steps(model);
  view.subtitle = subtitle_of(range);
  std::vector<StepParts> all = analysis::recent_step_parts(model);
  std::erase_if(all, [](const StepParts& parts) { return parts.steps == 0; });
  if (all.empty()) {
    view.subtitle.clear();
    view.empty = {{"No data yet. ", Style::kStrong},
                  {"The parts of a step appear after the first steps of every rank.", Style::kDim}};
    return view;
  }
  const StepParts mean = analysis::mean_of(all);
  view.whole = ms_text(mean.mean_step_ns());
  double longest = 0;
  for (const StepParts& parts : all) longest = std::max(longest, parts.mean_step_ns());
  view.lanes = lanes_of(model, longest);
  const auto in_lanes = [&view](Paint paint) {
    return std::any_of(view.lanes.begin(), view.lanes.end(), [paint](const StepLane& lane) {
      return std::any_of(lane.parts.begin(), lane.parts.end(),
                         [paint](const BarPart& part) { return part.paint == paint; });
    });
  };
  for (const Shown& shown : kShown) {
    const bool seen = shown_ns(mean, shown) > kVisibleShare * mean.mean_step_ns();
    if (!seen && !in_lanes(shown.paint)) continue;
    const bool unsplit = shown.paint == Paint::kAllReduce &&
                         mean.known[static_cast<std::size_t>(Part::kCommunication)] &&
                         !mean.known[static_cast<std::size_t>(Part::kAllReduce)];
    const bool copies = shown.paint == Paint::kDataWait && mean.mean_ns(Part::kHostToDevice) > 0;
    view.legend.push_back({shown.paint, unsplit  ? "Communication"
                                        : copies ? "Data wait + copy"
                                        : !seen && shown.paint == Paint::kAllReduce ? "Transfer"
                                                                                    : shown.word});
  }
  std::vector<StepParts> shown = all;
  if (all.size() > kMostStepBars) {
    shown = latest(all);
    view.more = count_text(static_cast<std::int64_t>(all.size() - kLatestBars - 1)) + " more";
  }
  for (const StepParts& parts : shown) view.bars.push_back(bar_of(parts, mean, longest));
  if (all.size() > kMostStepBars) {
    StepBar middle = bar_of(median(all), mean, longest);
    middle.label = "median";
    middle.rank = kNoRank;
    view.bars.push_back(std::move(middle));
  }
  view.transfer = transfer_words(model, range, context);
  return view;
}

}  // namespace ringside::view
