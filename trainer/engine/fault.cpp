#include "trainer/engine/fault.h"

#include "protocol/base/clock.h"

#include <cmath>
#include <csignal>
#include <limits>

#include <torch/torch.h>

namespace ringside::engine {

void Fault::arm(const messages::InjectSpec& spec, int rank,
                const std::vector<at::Tensor>& parameters) {
  if (!spec.any() || spec.rank != rank || parameters.empty()) return;
  spec_ = spec;
  first_parameter_ = parameters.front();
  // Gradients are computed in reverse order, so that of the first parameter completes the last
  // bucket.
  if (spec.fault == "delay_bucket") hook(parameters.front());
  if (spec.fault == "delay_backward" || spec.fault == "nan_gradient")
    hook(parameters[parameters.size() / 2]);
}

void Fault::hook(const at::Tensor& parameter) {
  parameter.register_hook([this](const at::Tensor& gradient) {
    if (spec_.fault != "nan_gradient") {
      if (spec_.delays(step_)) sleep();
      return gradient;
    }
    return step_ == spec_.from_step
               ? at::full_like(gradient, std::numeric_limits<double>::quiet_NaN())
               : gradient;
  });
}

void Fault::begin_step(Step step) {
  step_ = step;
  if (!spec_.any()) return;
  if (spec_.fault == "stop_rank" && step == spec_.from_step) std::raise(SIGSTOP);
  if (spec_.fault != "corrupt_parameter" || step != spec_.from_step + 1) return;
  const at::NoGradGuard no_grad;
  first_parameter_.view({-1})[0].add_(1);
}

void Fault::delay(std::string_view phase) const {
  if (spec_.fault == phase && spec_.delays(step_)) sleep();
}

void Fault::sleep() const {
  pause_ns(static_cast<std::int64_t>(std::llround(spec_.delay_ms * 1e6)));
}

}  // namespace ringside::engine
