// Divides one optimizer step into phases that never overlap. Pure: times (mono_now_ns) are passed
// in, so a test needs no clock. Training thread only; no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/messages/step_records.h"

namespace ringside::core {

enum class StepPhase : std::uint8_t {
  kDataWait,
  kHostToDevice,
  kForward,
  kBackward,
  kExposedComm,
  kOptimizer,
};

class StepTimer {
 public:
  /// Begins a step; all phases become unmeasured.
  void begin(std::int64_t now_ns);
  /// Ends the open phase, if any, and begins this one. A phase may be entered several times per
  /// step (gradient accumulation); its times are added.
  void enter(StepPhase phase, std::int64_t now_ns);
  /// Ends the open phase; the time until the next enter() belongs to no phase.
  void leave(std::int64_t now_ns);
  /// Ends the open backward phase at `now_ns` and assigns the time after `last_ready_ns` (when this
  /// rank's last gradient bucket was ready) to exposed communication. Times outside the phase are
  /// clamped to it; 0 or less = no bucket was seen, so all of it is backward.
  void leave_backward(std::int64_t now_ns, std::int64_t last_ready_ns);
  void end(std::int64_t now_ns);

  /// -1 when the phase was not measured in this step.
  std::int64_t phase_ns(StepPhase phase) const;
  std::int64_t step_ns() const { return step_ns_; }
  /// Sets the seven times of a StepReport. Sum of the phases <= step_ns.
  void fill(messages::StepReport& report) const;

 private:
  static constexpr std::size_t kPhases = 6;
  void add(StepPhase phase, std::int64_t from_ns, std::int64_t to_ns);

  std::array<std::int64_t, kPhases> spent_ns_{};
  std::int64_t begin_ns_ = 0;
  std::int64_t last_ns_ =
      0;  ///< newest time so far, so that a clock that steps back never gives a negative phase
  std::int64_t step_ns_ = 0;
  StepPhase open_ = StepPhase::kDataWait;
  bool is_open_ = false;
};

}  // namespace ringside::core
