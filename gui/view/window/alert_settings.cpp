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
    {"Loss is NaN or Inf", "After one step; names the rank where it started, if that is known"},
    {"Loss diverges", "The last 50 steps lost 3/4 of the progress, beyond 6 standard deviations"},
    {"Rank is silent", "No step for 10 s, and for 5 of its usual steps"},
    {"Steps take twice as long", "The last 50 against the first 200, beyond 6 standard deviations"},
    {"GPU is throttled",
     "By heat or lack of power, for 5 s; a power cap is normal and not reported"},
    {"Disk is almost full", "Below 1 GiB, or below two of the run's largest checkpoints"},
    {"Records are lost", "After one record; training is not affected"},
    {"Rank is a straggler",
     "It arrives last more often than chance, beyond the clocks' uncertainty"},
    {"Notices of the run", "Warnings and errors of ranks and agents, restarts"},
}};
static_assert(kWords.back().word != nullptr, "words for each rule");

}  // namespace

AlertSettingsView build_alert_settings(const analysis::RuleSet& off) {
  AlertSettingsView view;
  for (std::size_t i = 0; i < kWords.size(); ++i)
    view.rules.push_back({kWords[i].word, kWords[i].hint, !off.test(i)});
  view.always =
      "Failed ranks, the end of the run and a log that cannot be written are always reported.";
  view.command_hint =
      "Program and arguments, run without a shell; its environment has RINGSIDE_ALERT, "
      "RINGSIDE_RUN and others.";
  return view;
}

}  // namespace ringside::view
