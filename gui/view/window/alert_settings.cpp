#include "gui/view/window/alert_settings.h"

#include <array>

#include "protocol/messages/silence.h"

namespace ringside::view {
namespace {

struct RuleWords {
  const char* word;
  const char* hint;
};

static_assert(messages::kLeastSilenceNs == 10'000'000'000 && messages::kSilentSteps == 5,
              "the words below say so");
// In the order of analysis::AlertRule.
constexpr std::array<RuleWords, analysis::kAlertRules> kWords{{
    {"Loss is NaN or Inf", "From one step on; names the rank where it began, if that can be known"},
    {"Loss diverges",
     "The newest 50 steps lost 3/4 of what the run had gained, beyond 6 deviations"},
    {"Rank is silent", "No step for 10 s, and for 5 of its usual steps"},
    {"Steps take twice the time", "The newest 50 against the first 200, beyond 6 deviations"},
    {"GPU is slowed", "By heat or short power for 5 s; a power cap is usual and is not told"},
    {"Disk runs full", "Below 1 GiB, or below two of the run's largest checkpoints"},
    {"Records are lost", "From one record on; training is not disturbed by it"},
    {"A rank is late", "It arrives last more often than chance, beyond the clocks' uncertainty"},
    {"Notices of the run", "Warnings and errors of ranks and agents, restarts"},
}};

}  // namespace

AlertSettingsView build_alert_settings(const analysis::RuleSet& off) {
  AlertSettingsView view;
  for (std::size_t i = 0; i < kWords.size(); ++i)
    view.rules.push_back({kWords[i].word, kWords[i].hint, !off.test(i)});
  view.always = "How a rank or the run ended, and a log that cannot be written, are told always.";
  view.command_hint =
      "Program and arguments, started without a shell; the facts stand in RINGSIDE_ALERT, "
      "RINGSIDE_RUN and others.";
  return view;
}

}  // namespace ringside::view
