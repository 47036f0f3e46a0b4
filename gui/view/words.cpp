#include "gui/view/words.h"

#include "gui/view/command.h"

namespace ringside::view {

std::string plain(const Sentence& sentence) {
  std::string text;
  for (const Piece& piece : sentence) text += piece.text;
  return text;
}

std::string rank_label(Rank rank) { return "r" + std::to_string(rank); }

const char* name_of(Page place) {
  switch (place) {
    case Page::kLaunch:
      return "Launch";
    case Page::kLive:
      return "Live";
    case Page::kScaling:
      return "Scaling";
    case Page::kSampler:
      return "Sampler";
    case Page::kRuns:
      return "Runs";
  }
  return "";
}

const char* key_of(Page place) {
  switch (place) {
    case Page::kLaunch:
      return "launch";
    case Page::kLive:
      return "live";
    case Page::kScaling:
      return "scaling";
    case Page::kSampler:
      return "sampler";
    case Page::kRuns:
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
