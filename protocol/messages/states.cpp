#include "protocol/messages/states.h"

#include <cstddef>

namespace ringside::messages {
namespace {

/// The name at a wire number, which may be one of a newer version.
template <class Enum, std::size_t kCount>
std::string_view name_at(const std::string_view (&names)[kCount], Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < kCount ? names[index] : "unknown";
}

}  // namespace

std::string_view name_of(State state) {
  constexpr std::string_view kNames[] = {"queued",  "starting",   "training", "evaluating",
                                         "saving",  "stopping",   "finished", "failed",
                                         "stopped", "did_not_die"};
  return name_at(kNames, state);
}

std::string_view name_of(Phase phase) {
  constexpr std::string_view kNames[] = {"train", "validate", "test"};
  return name_at(kNames, phase);
}

std::string_view name_of(Severity severity) {
  constexpr std::string_view kNames[] = {"info", "warning", "error"};
  return name_at(kNames, severity);
}

bool is_final(State state) {
  return state == State::kFinished || state == State::kFailed || state == State::kStopped ||
         state == State::kDidNotDie;
}

}  // namespace ringside::messages
