// Divides one optimizer step into phases that never overlap. Pure: times are handed in
// (mono_now_ns), so a test needs no clock. One thread, the training thread; no allocation.
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
  /// Starts a step; all phases are unmeasured again.
  void begin(std::int64_t now_ns);
  /// Closes the open phase, if any, and opens this one. A phase may be entered several times a step
  /// (gradient accumulation): its time adds up.
  void enter(StepPhase phase, std::int64_t now_ns);
  /// Closes the open phase; what follows belongs to no phase until the next enter().
  void leave(std::int64_t now_ns);
  /// Closes the open backward phase at `now_ns` and gives what lies after `last_ready_ns` (the
  /// moment the last gradient bucket of this rank was ready) to exposed communication. Times
  /// outside the phase are moved to its edge; 0 or less = no bucket was seen: all of it is
  /// backward.
  void leave_backward(std::int64_t now_ns, std::int64_t last_ready_ns);
  /// Ends the step.
  void end(std::int64_t now_ns);

  /// -1 when the phase was not measured in this step.
  std::int64_t phase_ns(StepPhase phase) const;
  std::int64_t step_ns() const { return step_ns_; }
  /// Writes the seven times of a StepReport. Sum of the phases <= step_ns.
  void fill(messages::StepReport& report) const;

 private:
  static constexpr std::size_t kPhases = 6;
  void add(StepPhase phase, std::int64_t from_ns, std::int64_t to_ns);

  std::array<std::int64_t, kPhases> spent_ns_{};
  std::int64_t begin_ns_ = 0;
  std::int64_t last_ns_ =
      0;  ///< newest time seen; a clock that steps back never makes a negative phase
  std::int64_t step_ns_ = 0;
  StepPhase open_ = StepPhase::kDataWait;
  bool is_open_ = false;
};

}  // namespace ringside::core
