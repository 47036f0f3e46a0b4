#include "gui/view/words.h"

#include "gui/view/choices.h"

namespace ringside::view {

std::string plain(const Sentence& sentence) {
  std::string text;
  for (const Piece& piece : sentence) text += piece.text;
  return text;
}

std::string rank_name(Rank rank) { return "Rank " + std::to_string(rank); }

std::string rank_label(Rank rank) { return "r" + std::to_string(rank); }

const char* name_of(ScalingMetric metric) {
  constexpr const char* kNames[] = {"Speedup", "Efficiency", "Time", "Images/s", "Accuracy"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(ScalingMetric::kCount));
  return kNames[static_cast<std::size_t>(metric)];
}
const char* key_of(ScalingMetric metric) {
  constexpr const char* kKeys[] = {"speedup", "efficiency", "time", "images_per_s", "accuracy"};
  static_assert(std::size(kKeys) == static_cast<std::size_t>(ScalingMetric::kCount));
  return kKeys[static_cast<std::size_t>(metric)];
}

const char* name_of(Page place) {
  constexpr const char* kNames[] = {"Launch", "Live",     "Scaling", "Sampler",
                                    "Runs",   "Timeline", "Machines"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Page::kMachines) + 1);
  return kNames[static_cast<std::size_t>(place)];
}

const char* name_of(XAxis axis) { return kAxisNames[static_cast<std::size_t>(axis)]; }
const char* name_of(TableTab tab) {
  constexpr const char* kNames[] = {"Ranks",   "Grid",   "Devices", "Resources",
                                    "Metrics", "Groups", "Nodes"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(TableTab::kCount));
  return kNames[static_cast<std::size_t>(tab)];
}

}  // namespace ringside::view
