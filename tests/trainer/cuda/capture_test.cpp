#include "trainer/cuda/capture.h"

#include <stdexcept>

#include "tests/support/catch.h"

using namespace ringside;

namespace {

/// A GPU with limited memory and an allocator that caches freed memory and releases it when needed,
/// but not during a capture.
struct MadeUpMemory {
  int total_gib = 10;
  int kept_gib = 0;
  int used_gib = 0;
  bool busy = false;
  bool capturing = false;

  void use(int gib) {
    const int own_gib = capturing ? 0 : kept_gib;
    if (!capturing) kept_gib = 0;
    if (used_gib + kept_gib + gib > total_gib) throw std::runtime_error("CUDA out of memory");
    used_gib += gib;
    kept_gib += own_gib > gib ? own_gib - gib : 0;
  }
  void free_all() {
    kept_gib += used_gib;
    used_gib = 0;
  }
  void synchronize() { busy = false; }
  void empty_cache() {
    REQUIRE_FALSE(busy);
    REQUIRE_FALSE(capturing);
    kept_gib = 0;
  }
  void begin_capture() {
    REQUIRE_FALSE(busy);
    capturing = true;
  }
  void end_capture() { capturing = false; }
};

}  // namespace

TEST_CASE("a step that needs more than half of the memory can be recorded after eager steps") {
  MadeUpMemory gpu;
  for (int step = 0; step < 3; ++step) {
    gpu.use(6);
    gpu.free_all();
  }
  gpu.busy = true;
  cuda::capture(gpu, [&gpu] {
    CHECK(gpu.capturing);
    gpu.use(6);
  });
  CHECK_FALSE(gpu.capturing);
  CHECK(gpu.used_gib == 6);
}
