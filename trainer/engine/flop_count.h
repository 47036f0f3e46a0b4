// The floating-point operations that this process computes while a count lives, on every thread of
// LibTorch: convolutions and products of matrices by the formulas of PyTorch's FlopCounterMode
// (torch/utils/flop_counter.py), everything else as none. One at a time. Training thread.
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

  /// By the type that they compute in, in the words of Scalars: "float32", "tf32", "bfloat16".
  std::map<std::string, std::int64_t> found() const;

 private:
  at::CallbackHandle handle_;
};

}  // namespace ringside::engine
