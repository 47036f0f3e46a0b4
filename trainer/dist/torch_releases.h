// Wrappers for names that differ between PyTorch releases. Each uses the name that exists, so that
// no other file checks for a version. Built with 2.11 and 2.15.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace ringside::dist {

/// Gathers the `input` of every rank of a c10d::ProcessGroup into `output`, one after the other.
template <typename ProcessGroup>
c10::intrusive_ptr<c10d::Work> all_gather_single(ProcessGroup& group, at::Tensor& output,
                                                 at::Tensor& input) {
  if constexpr (requires { group.all_gather_single(output, input); }) {
    return group.all_gather_single(output, input);
  } else {
    return group._allgather_base(output, input);
  }
}

}  // namespace ringside::dist
