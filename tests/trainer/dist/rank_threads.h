// Ranks as threads of the test: each with its own Gloo group over an in-process store, real
// all-reduces on loopback.
#pragma once

#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tanh.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "trainer/dist/process_groups.h"

namespace ringside::testing {

enum class Leaving { kTogether, kEachWhenDone };

/// Runs `body(groups)` once per rank and rethrows the first exception. Assertions of Catch belong
/// after it, into the calling thread: the framework is not made for several. A rank that left while
/// another still reads its last collective could reset the connection under it; only where that is
/// what is tested each one leaves when it is done. One that throws leaves at once.
inline void run_ranks(int world_size, const std::function<void(const dist::ProcessGroups&)>& body,
                      std::chrono::nanoseconds timeout = std::chrono::seconds(60),
                      Leaving leaving = Leaving::kTogether, dist::GroupOptions options = {}) {
  options.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  // LibTorch's flight recorder is one for the process and not made for several groups at once.
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  // MKL chooses its kernels when it is first called; when threads call it at once then, one may get
  // less exact ones for that call.
  at::ones({16, 16}).matmul(at::ones({16, 16})).tanh();
  auto store = c10::make_intrusive<c10d::HashStore>();
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(world_size));
  std::signal(SIGPIPE, SIG_IGN);  // as the trainer, which may write to a rank that has left
  // A rank that leaves while another still joins its group can leave that one waiting.
  std::latch joined(world_size);
  std::latch done(world_size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        at::set_num_threads(1);
        const auto groups = dist::make_process_groups(store, rank, world_size, options);
        joined.count_down();
        if (!groups) throw std::runtime_error(groups.error().message);
        joined.wait();
        body(*groups);
        if (leaving == Leaving::kEachWhenDone) return;
        done.count_down();
        done.wait();
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
        done.count_down();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& thrown : failures) {
    if (thrown) std::rethrow_exception(thrown);
  }
}

}  // namespace ringside::testing
