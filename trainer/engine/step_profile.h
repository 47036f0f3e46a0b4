// Profiles a few steps with LibTorch's profiler (Kineto) while a run goes on, where a person asks
// for it (trainer/agent/RANKS.md, "Profiles"): begins and ends between two steps, so that every
// rank profiles the same ones. Those steps take longer; they learn the same. Training thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "protocol/base/ids.h"

namespace ringside::engine {

class StepProfile {
 public:
  /// `say`: what came of a request, and whether it was done.
  StepProfile(std::filesystem::path run_dir, std::int32_t attempt, Rank rank,
              std::function<void(bool done, const std::string& text)> say);
  /// Ends a profile that is under way, and keeps nothing of it.
  ~StepProfile();
  StepProfile(const StepProfile&) = delete;
  StepProfile& operator=(const StepProfile&) = delete;

  /// The step of this number is the next to begin. `on_gpu`: its kernels are profiled, too. True:
  /// that took time which is part of no step.
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
  std::filesystem::file_time_type asked_{};  ///< when the request was written that was read last
  std::int64_t look_ns_ = 0;                 ///< when it is looked for again
  Step first_ = -1;                          ///< of the steps that are asked for; -1: none
  Step behind_ = -1;                         ///< behind the last of them
  bool begun_ = false;
};

}  // namespace ringside::engine
