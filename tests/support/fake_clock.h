// A clock whose time the test sets. Used by one thread.
#pragma once

#include "protocol/base/clock.h"

namespace ringside::support {

class FakeClock final : public Clock {
 public:
  std::int64_t mono_ns() const override { return mono_ns_; }
  std::int64_t wall_ns() const override { return wall_ns_; }
  void set(std::int64_t mono_ns, std::int64_t wall_ns) {
    mono_ns_ = mono_ns;
    wall_ns_ = wall_ns;
  }
  void advance(std::int64_t ns) { set(mono_ns_ + ns, wall_ns_ + ns); }

 private:
  std::int64_t mono_ns_ = 0;
  std::int64_t wall_ns_ = 0;
};

}  // namespace ringside::support
