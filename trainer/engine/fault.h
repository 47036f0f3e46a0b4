// The fault that a recipe asks one rank to make (the section [inject] of the spec): a sleep in a
// phase of its steps, a NaN, another parameter, a stop. Without one every call returns at once.
// Training thread; what is hooked into the backward pass runs on the thread of that.
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
  /// Arms the faults of the rank that runs this; the parameters are those of its replica, in the
  /// order of the forward pass. Hooks the parameters where the fault lies in the backward pass:
  /// this object stays where it is from then on.
  void arm(const messages::InjectSpec& spec, int rank, const std::vector<at::Tensor>& parameters);

  /// Called before anything else of a step; makes what has no phase.
  void begin_step(Step step);
  /// Delays in the phase of that name: "delay_data", ...
  void delay(std::string_view phase) const;

 private:
  bool due() const;
  void sleep() const;
  void hook(const at::Tensor& parameter);

  messages::InjectSpec spec_;  ///< of another rank's fault: none
  at::Tensor first_parameter_;
  Step step_ = 0;
};

}  // namespace ringside::engine
