#include "gui/session/run/profile_controller.h"

#include <fmt/format.h>

#include "gui/session/run/profile_run.h"
#include "gui/view/carry_out.h"
#include "gui/view/window/sheet_labels.h"

namespace ringside::session {
namespace {

std::string text_of(const KeptProfile& kept) {
  const TraceSummary& trace = kept.trace;
  return fmt::format("Profiled steps {} to {} into {}; Timeline (6) shows it.", trace.steps.begin,
                     trace.steps.end - 1, (trace.folder / trace.files.front().name).string());
}

}  // namespace

void ProfileController::apply(const view::ProfileCommand& command, const runs::ListedRun* run) {
  view::carry_out(
      command,
      [&](const view::ProfileRun&) {
        if (run != nullptr) begin(*run);
      },
      [this](const view::CancelProfile&) { cancel(); });
}

void ProfileController::cancel() {
  if (cancelled_ != nullptr) *cancelled_ = true;
}

void ProfileController::begin(const runs::ListedRun& run) {
  auto cancelled = std::make_shared<std::atomic<bool>>(false);
  const auto job = [this, run, cancelled]() -> Jobs::Completion {
    const auto kept = profile_run(
        run, kUsualProfiledSteps, {}, [cancelled] { return cancelled->load(); },
        [](analysis::StepRange) {});
    const view::Tone tone = kept         ? view::Tone::kOk
                            : *cancelled ? view::Tone::kInfo
                                         : view::Tone::kError;
    const std::string text = kept ? text_of(*kept) : "Not profiled: " + kept.error().message;
    return [this, tone, text, done = kept.has_value()] {
      line_.notify(tone, text);
      if (done) kept_();
    };
  };
  if (!jobs_.start("profile", job)) {
    line_.notify(view::Tone::kInfo, "A profile is under way; try again when it is done.");
    return;
  }
  cancelled_ = std::move(cancelled);
  view::Message message;
  message.tone = view::Tone::kInfo;
  message.text = fmt::format("Profiling {} steps of all ranks…", kUsualProfiledSteps);
  message.action = view::label::kCancel;
  message.command = view::CancelProfile{};
  line_.show(std::move(message));
}

}  // namespace ringside::session
