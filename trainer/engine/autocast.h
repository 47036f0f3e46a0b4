// Mixed precision for a scope: forward and loss run in bfloat16 or half where that is safe;
// gradients stay in fp32. State of the calling thread. Converted copies of the weights live as long
// as the scope.
#pragma once

#include <ATen/autocast_mode.h>

namespace ringside::engine {

class AutocastScope {
 public:
  /// Does nothing for `type` at::kFloat.
  AutocastScope(at::DeviceType device, at::ScalarType type)
      : device_(device), enabled_(type != at::kFloat) {
    if (!enabled_) return;
    was_enabled_ = at::autocast::is_autocast_enabled(device_);
    was_type_ = at::autocast::get_autocast_dtype(device_);
    at::autocast::set_autocast_dtype(device_, type);
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::increment_nesting();
  }
  ~AutocastScope() {
    if (!enabled_) return;
    // The cached copies must go, or they would be used after the next update of the weights.
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, was_enabled_);
    at::autocast::set_autocast_dtype(device_, was_type_);
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  at::DeviceType device_;
  bool enabled_;
  bool was_enabled_ = false;
  at::ScalarType was_type_ = at::kFloat;
};

}  // namespace ringside::engine
