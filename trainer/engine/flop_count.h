// Counts the floating-point operations of this process while the object lives, on all LibTorch
// threads: convolutions and matrix products by the formulas of PyTorch's FlopCounterMode
// (torch/utils/flop_counter.py); other operators count as none. One at a time. Training thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <ATen/record_function.h>

namespace ringside::engine {

class FlopCount {
 public:
  FlopCount();
  ~FlopCount();
  FlopCount(const FlopCount&) = delete;
  FlopCount& operator=(const FlopCount&) = delete;

  /// By the type of the computation, named as in Scalars: "float32", "tf32", "bfloat16".
  std::map<std::string, std::int64_t> found() const;

 private:
  at::CallbackHandle handle_;
};

}  // namespace ringside::engine
