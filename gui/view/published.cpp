#include "gui/view/published.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gui/view/number_format.h"

namespace ringside::view {

using analysis::Clock;

namespace {

FigureMatch direction_match(const launch::PublishedFigure& figure, double ours,
                            const std::string& other) {
  const double nothing = figure.what == "speedup" ? 1 : 0;
  if (ours == nothing) return {Matched::kNo, "no difference" + other};
  const bool same = (*figure.value > nothing) == (ours > nothing);
  return {same ? Matched::kYes : Matched::kNo,
          (same ? "the same direction" : "the other direction") + other};
}

FigureMatch value_match(FigureKind kind, double difference) {
  const bool loss = kind == FigureKind::kLoss;
  if (std::abs(difference) <= (loss ? 0.05 : 0.01))
    return {Matched::kYes, loss ? "within 0.05" : "within one point"};
  return {Matched::kNo, "differs by " + (loss ? loss_text(difference) : points_text(difference))};
}

}  // namespace

Clock clock_of(const launch::PublishedFigure& figure) {
  if (figure.clock == "train_pass") return Clock::kTrainPass;
  return figure.clock == "whole_run" ? Clock::kWholeRun : Clock::kTraining;
}

std::string clock_words(const launch::PublishedFigure& figure) {
  if (figure.clock == "train_pass") return "training passes alone";
  if (figure.clock == "whole_run") return "the whole run";
  return figure.clock == "first_step_to_end" ? "first step to the end" : "an unstated clock";
}

bool is_against(const launch::PublishedFigure& figure, const analysis::Speedup& speedup) {
  return speedup.baseline_devices == (figure.against == "same_devices" ? speedup.devices : 1);
}

const launch::PublishedFigure* published_speedup(const launch::Published& published,
                                                 const analysis::Speedup& speedup) {
  const auto& figures = published.figures;
  const auto found = std::ranges::find_if(figures, [&](const auto& figure) {
    return figure.what == "speedup" && figure.ranks.value_or(speedup.devices) == speedup.devices &&
           is_against(figure, speedup);
  });
  return found == figures.end() ? nullptr : &*found;
}

FigureKind kind_of(const std::string& what) {
  using Kind = FigureKind;
  static const std::map<std::string, Kind> kKinds = {{"per_rank_batch", Kind::kArithmetic},
                                                     {"global_batch", Kind::kArithmetic},
                                                     {"steps_per_epoch", Kind::kArithmetic},
                                                     {"last_batch", Kind::kArithmetic},
                                                     {"padded_samples", Kind::kArithmetic},
                                                     {"parameters", Kind::kRecorded},
                                                     {"migration", Kind::kRecorded},
                                                     {"order_repeated", Kind::kRecorded},
                                                     {"accuracy_delta", Kind::kDirection},
                                                     {"time_cut", Kind::kDirection},
                                                     {"speedup", Kind::kDirection},
                                                     {"efficiency", Kind::kShare},
                                                     {"train_loss", Kind::kLoss},
                                                     {"val_loss", Kind::kLoss},
                                                     {"epoch_seconds", Kind::kTime},
                                                     {"samples_per_s", Kind::kTime},
                                                     {"total_seconds", Kind::kTime}};
  const auto found = kKinds.find(what);
  return found == kKinds.end() ? Kind::kShare : found->second;
}

bool is_comparison(const std::string& what) {
  return what == "speedup" || what == "efficiency" || what == "time_cut" ||
         what == "accuracy_delta";
}

std::string figure_text(const std::string& what, double value) {
  switch (kind_of(what)) {
    case FigureKind::kArithmetic:
      return count_text(static_cast<std::int64_t>(value));
    case FigureKind::kRecorded:
      if (what == "migration") return percent1_text(value);
      if (what == "order_repeated") return value > 0 ? "every epoch repeats" : "a new order each";
      return count_text(static_cast<std::int64_t>(value));
    case FigureKind::kDirection:
      if (what == "speedup") return speedup_text(value);
      return what == "time_cut" ? percent1_text(value) : points_text(value);
    case FigureKind::kLoss:
      return loss_long_text(value);
    case FigureKind::kTime:
      return what == "samples_per_s" ? rate_text(value) : seconds_text(value);
    case FigureKind::kShare:
      break;
  }
  const bool four = what == "padded_accuracy" || what == "exact_accuracy";
  return four ? decimal_text(100 * value, 4) + " %" : accuracy_text(value);
}

FigureMatch match_of(const launch::PublishedFigure& figure, double ours, bool as_published) {
  if (!figure.value) return {Matched::kNotJudged, "a statement of the source"};
  if (std::isnan(ours)) return {Matched::kNotJudged, "this run does not tell"};
  const FigureKind kind = kind_of(figure.what);
  if (kind == FigureKind::kArithmetic || kind == FigureKind::kRecorded) {
    const bool equal =
        std::abs(ours - *figure.value) <= 5e-7 * std::max(1.0, std::abs(*figure.value));
    if (!equal) return {Matched::kNo, "differs"};
    return {Matched::kYes,
            kind == FigureKind::kRecorded ? "equal, recorded" : "equal, computed for the recipe"};
  }
  if (kind == FigureKind::kDirection)
    return direction_match(figure, ours, as_published ? "" : ", at other settings");
  if (kind == FigureKind::kTime) return {Matched::kNotJudged, "another machine: no target"};
  if (!as_published) return {Matched::kNotJudged, "other settings: not comparable"};
  return value_match(kind, ours - *figure.value);
}

bool is_free_setting(const std::string& key) {
  return key == "name" || key == "devices.ids" || key == "devices.threads" ||
         key == "devices.when_busy" || key == "data.root" || key.starts_with("baseline.") ||
         key.starts_with("limits.") || key.starts_with("checkpoint.");
}

std::vector<messages::FieldDifference> changed_settings(const launch::PresetFile& preset,
                                                        const messages::RunSpec& spec) {
  auto changed = messages::differences(preset.spec.full, spec);
  const auto& meant = preset.about.world_sizes;
  const bool meant_ranks = std::ranges::find(meant, spec.devices.world_size) != meant.end();
  std::erase_if(changed, [&](const messages::FieldDifference& one) {
    return one.key == "devices.world_size" ? meant_ranks : is_free_setting(one.key);
  });
  return changed;
}

}  // namespace ringside::view
