#include "gui/view/live/step_bars.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

using analysis::Part;
using analysis::StepParts;

/// What is drawn as one colour: copying to the device is part of waiting for data, as both come
/// before the forward pass.
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
/// A part that nobody could see is not named in the legend.
constexpr double kVisibleShare = 0.002;

double shown_ns(const StepParts& parts, const Shown& shown) {
  const double first = parts.mean_ns(shown.parts[0]);
  const double second =
      shown.parts[0] == shown.parts[1] ? std::nan("") : parts.mean_ns(shown.parts[1]);
  if (std::isnan(first)) return second;
  return std::isnan(second) ? first : first + second;
}

/// The lost time that is furthest above the same of the other ranks: it names what makes this rank
/// different.
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

/// The ranks that compute longest, those first, which are what is to be seen; the rest is one line.
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

/// The transfer over the steps of the bars; where the buckets of some are no longer kept, it says
/// of how many.
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
  for (const Shown& shown : kShown) {
    if (!(shown_ns(mean, shown) > kVisibleShare * mean.mean_step_ns())) continue;
    const bool unsplit = shown.paint == Paint::kAllReduce &&
                         mean.known[static_cast<std::size_t>(Part::kCommunication)] &&
                         !mean.known[static_cast<std::size_t>(Part::kAllReduce)];
    const bool copies = shown.paint == Paint::kDataWait && mean.mean_ns(Part::kHostToDevice) > 0;
    view.legend.push_back({shown.paint, unsplit  ? "Communication"
                                        : copies ? "Data wait + copy"
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
