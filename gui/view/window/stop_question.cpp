#include "gui/view/window/stop_question.h"

#include "gui/model/run_model.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/messages/rank_records.h"

namespace ringside::view {

namespace {

StopQuestion question_of(const model::RunModel* model) {
  const bool queued = model != nullptr && model->run_state() &&
                      model->run_state()->state == messages::State::kQueued;
  if (queued)
    return {
        "It has not started. It leaves the queue for good, and runs that are to follow it do "
        "so, too.",
        label::kLeaveQueue, false, label::kKeepWaiting};
  if (model != nullptr && !model->spec().program.argv.empty())
    return {
        "Every rank is asked to end. A script saves only what it saves itself. Stopping now "
        "kills it.",
        label::kAskToEnd, true, label::kKeepTraining};
  return {
      "With a checkpoint, every rank finishes its step, saves and exits; the run can be "
      "resumed. Stopping now loses what was trained since the last checkpoint.",
      label::kCheckpointAndStop, true, label::kKeepTraining};
}

}  // namespace

StopQuestion stop_question(const model::RunModel* model, const RunContext& context) {
  StopQuestion question = question_of(model);
  if (!context.baseline_of.empty())
    question.text +=
        " Run " + context.baseline_of + ", which waits for it as its baseline, is stopped too.";
  return question;
}

}  // namespace ringside::view
