// Ranks as threads of the test: each with its own Gloo group over an in-process store, with real
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

/// Runs `body(groups)` once per rank and rethrows the first exception. Catch assertions must follow
/// in the calling thread, since Catch supports only one. A rank that leaves while another still
/// reads its last collective could reset that one's connection; so all ranks leave together, unless
/// a test is about leaving. A rank that throws leaves at once.
inline void run_ranks(int world_size, const std::function<void(const dist::ProcessGroups&)>& body,
                      std::chrono::nanoseconds timeout = std::chrono::seconds(60),
                      Leaving leaving = Leaving::kTogether, dist::GroupOptions options = {}) {
  options.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  // LibTorch's flight recorder is process-wide and does not support concurrent groups.
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  // MKL selects its kernels in its first call; if several threads make it at once, one may get less
  // precise kernels for that call.
  at::ones({16, 16}).matmul(at::ones({16, 16})).tanh();
  auto store = c10::make_intrusive<c10d::HashStore>();
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(world_size));
  std::signal(SIGPIPE, SIG_IGN);  // like the trainer, which may write to a rank that has left
  // If a rank leaves while another still joins its group, that one may wait forever.
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
