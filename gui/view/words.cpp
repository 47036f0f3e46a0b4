#include "gui/view/words.h"

#include "gui/view/command.h"

namespace ringside::view {

std::string plain(const Sentence& sentence) {
  std::string text;
  for (const Piece& piece : sentence) text += piece.text;
  return text;
}

std::string rank_label(Rank rank) { return "r" + std::to_string(rank); }

const char* name_of(Place place) {
  switch (place) {
    case Place::kLaunch:
      return "Launch";
    case Place::kLive:
      return "Live";
    case Place::kScaling:
      return "Scaling";
    case Place::kSampler:
      return "Sampler";
    case Place::kRuns:
      return "Runs";
  }
  return "";
}

const char* key_of(Place place) {
  switch (place) {
    case Place::kLaunch:
      return "launch";
    case Place::kLive:
      return "live";
    case Place::kScaling:
      return "scaling";
    case Place::kSampler:
      return "sampler";
    case Place::kRuns:
      return "runs";
  }
  return "";
}

const char* name_of(XAxis axis) {
  switch (axis) {
    case XAxis::kStep:
      return "Step";
    case XAxis::kEpoch:
      return "Epoch";
    case XAxis::kTime:
      return "Time";
    case XAxis::kSamples:
      return "Samples";
  }
  return "";
}

}  // namespace ringside::view
