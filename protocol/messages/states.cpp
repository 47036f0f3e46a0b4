#include "protocol/messages/states.h"

namespace ringside::messages {

std::string_view name_of(State state) {
  switch (state) {
    case State::kQueued:
      return "queued";
    case State::kStarting:
      return "starting";
    case State::kTraining:
      return "training";
    case State::kEvaluating:
      return "evaluating";
    case State::kSaving:
      return "saving";
    case State::kStopping:
      return "stopping";
    case State::kFinished:
      return "finished";
    case State::kFailed:
      return "failed";
    case State::kStopped:
      return "stopped";
    case State::kDidNotDie:
      return "did_not_die";
  }
  return "unknown";
}

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::kTrain:
      return "train";
    case Phase::kValidate:
      return "validate";
    case Phase::kTest:
      return "test";
  }
  return "unknown";
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "unknown";
}

bool is_final(State state) {
  return state == State::kFinished || state == State::kFailed || state == State::kStopped ||
         state == State::kDidNotDie;
}

}  // namespace ringside::messages
