#include "gui/view/published.h"

#include <algorithm>

namespace ringside::view {

using analysis::Clock;

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
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const auto& figure) {
    return figure.what == "speedup" && figure.ranks.value_or(speedup.devices) == speedup.devices &&
           is_against(figure, speedup);
  });
  return found == figures.end() ? nullptr : &*found;
}

}  // namespace ringside::view
