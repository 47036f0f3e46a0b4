#include "trainer/core/step_timer.h"

#include <algorithm>

namespace ringside::core {

void StepTimer::begin(std::int64_t now_ns) {
  spent_ns_.fill(-1);
  begin_ns_ = now_ns;
  last_ns_ = now_ns;
  step_ns_ = 0;
  is_open_ = false;
}

void StepTimer::add(StepPhase phase, std::int64_t from_ns, std::int64_t to_ns) {
  std::int64_t& spent = spent_ns_[static_cast<std::size_t>(phase)];
  spent = std::max<std::int64_t>(spent, 0) + std::max<std::int64_t>(to_ns - from_ns, 0);
}

void StepTimer::enter(StepPhase phase, std::int64_t now_ns) {
  leave(now_ns);
  open_ = phase;
  is_open_ = true;
}

void StepTimer::leave(std::int64_t now_ns) {
  const std::int64_t now = std::max(now_ns, last_ns_);
  if (is_open_) add(open_, last_ns_, now);
  is_open_ = false;
  last_ns_ = now;
}

void StepTimer::leave_backward(std::int64_t now_ns, std::int64_t last_ready_ns) {
  if (!is_open_ || open_ != StepPhase::kBackward || last_ready_ns <= 0) {
    leave(now_ns);
    return;
  }
  const std::int64_t now = std::max(now_ns, last_ns_);
  const std::int64_t ready = std::clamp(last_ready_ns, last_ns_, now);
  enter(StepPhase::kExposedComm, ready);
  leave(now);
}

void StepTimer::end(std::int64_t now_ns) {
  leave(now_ns);
  step_ns_ = last_ns_ - begin_ns_;
}

std::int64_t StepTimer::phase_ns(StepPhase phase) const {
  return spent_ns_[static_cast<std::size_t>(phase)];
}

void StepTimer::fill(messages::StepReport& report) const {
  report.data_wait_ns = phase_ns(StepPhase::kDataWait);
  report.host_to_device_ns = phase_ns(StepPhase::kHostToDevice);
  report.forward_ns = phase_ns(StepPhase::kForward);
  report.backward_ns = phase_ns(StepPhase::kBackward);
  report.exposed_comm_ns = phase_ns(StepPhase::kExposedComm);
  report.optimizer_ns = phase_ns(StepPhase::kOptimizer);
  report.step_ns = step_ns_;
}

}  // namespace ringside::core
