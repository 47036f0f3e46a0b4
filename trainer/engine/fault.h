// The fault that one rank injects on request (section [inject] of the spec): a sleep in a phase of
// its steps, a NaN, a changed parameter, a stop. Without a fault every call returns at once.
// Training thread; hooks run on the threads of the backward pass.
#pragma once

#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "protocol/base/ids.h"
#include "protocol/messages/spec/spec_inject.h"

namespace ringside::engine {

class Fault {
 public:
  Fault() = default;
  /// Arms the faults for this rank. `parameters` are those of its replica, in the order of the
  /// forward pass. A fault in the backward pass adds hooks to them, after which this object must
  /// not move.
  void arm(const messages::InjectSpec& spec, int rank, const std::vector<at::Tensor>& parameters);

  /// Called first in a step; injects faults that belong to no phase.
  void begin_step(Step step);
  /// Sleeps if the fault is of this name, such as "delay_data".
  void delay(std::string_view phase) const;

 private:
  void sleep() const;
  void hook(const at::Tensor& parameter);

  messages::InjectSpec spec_;  ///< empty if the fault is for another rank
  at::Tensor first_parameter_;
  Step step_ = 0;
};

}  // namespace ringside::engine
