// Profiles a few steps with LibTorch's profiler (Kineto) during a run, on request
// (trainer/agent/RANKS.md, "Profiles"). It begins and ends between two steps, so that every rank
// profiles the same ones. Those steps take longer, but compute the same. Training thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "protocol/base/ids.h"

namespace ringside::engine {

class StepProfile {
 public:
  /// `say` reports the result of a request, and whether it succeeded.
  StepProfile(std::filesystem::path run_dir, std::int32_t attempt, Rank rank,
              std::function<void(bool done, const std::string& text)> say);
  /// Ends a profile in progress and discards it.
  ~StepProfile();
  StepProfile(const StepProfile&) = delete;
  StepProfile& operator=(const StepProfile&) = delete;

  /// Called before step `next`. `on_gpu`: GPU kernels are profiled too. True when this took time
  /// that is not part of a step.
  bool before(Step next, bool on_gpu);

 private:
  void look();
  void begin(Step next, bool on_gpu);
  void end();
  void stop();

  std::filesystem::path run_dir_;
  std::int32_t attempt_;
  std::filesystem::path rank_dir_;
  std::function<void(bool, const std::string&)> say_;
  std::filesystem::file_time_type asked_{};  ///< modification time of the last request
  std::int64_t look_ns_ = 0;                 ///< time of the next check for a request
  Step first_ = -1;                          ///< first requested step; -1: none
  Step behind_ = -1;                         ///< one after the last of them
  bool begun_ = false;
};

}  // namespace ringside::engine
