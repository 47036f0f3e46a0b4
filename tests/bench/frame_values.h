// The values that frame_bench and its peer implot_peer draw, and their timing.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/bench/rounds.h"

namespace ringside::bench {

inline constexpr float kFrameWidth = 1920;
inline constexpr float kFrameHeight = 1000;

struct FrameCase {
  const char* name;
  std::size_t series;
  std::size_t points;
  int rounds;
  int peer_rounds;
};

inline constexpr std::array<FrameCase, 3> kFrameCases{
    {{"8x3800", 8, 3800, 15, 9}, {"64x3800", 64, 3800, 15, 5}, {"8x1M", 8, 1'000'000, 15, 3}}};

/// Values by series: noisy, falling curves like losses.
inline std::vector<std::vector<float>> frame_values(const FrameCase& entry) {
  std::vector<std::vector<float>> values(entry.series);
  for (std::size_t s = 0; s < entry.series; ++s) {
    values[s].resize(entry.points);
    for (std::size_t i = 0; i < entry.points; ++i) {
      const double at = static_cast<double>(i) / static_cast<double>(entry.points);
      const double noise = static_cast<double>((i * 7919 + s * 104729) % 997) / 997.0 - 0.5;
      values[s][i] = static_cast<float>(2 * std::exp(-3 * at) + 0.1 * static_cast<double>(s % 8) +
                                        0.15 * noise);
    }
  }
  return values;
}

/// Milliseconds of one frame up to the finished pixels: processor time of all threads of the
/// process, which other load hardly affects, and wall time.
struct FrameTime {
  double cpu = 0.0;
  double wall = 0.0;
};

class FrameWatch {
 public:
  FrameTime taken() const {
    return {(cpu_seconds() - cpu_) * 1e3, static_cast<double>(mono_now_ns() - begin_ns_) * 1e-6};
  }

 private:
  double cpu_ = cpu_seconds();
  std::int64_t begin_ns_ = mono_now_ns();
};

/// Median time of `rounds` frames after one warm-up frame.
template <class Frame>
FrameTime median_frame(int rounds, Frame&& frame) {
  frame();
  std::vector<double> cpu;
  std::vector<double> wall;
  for (int i = 0; i < rounds; ++i) {
    const FrameTime one = frame();
    cpu.push_back(one.cpu);
    wall.push_back(one.wall);
  }
  return {median(cpu), median(wall)};
}

inline std::string fields_of(const FrameCase& entry, const FrameTime& time) {
  const std::string name = entry.name;
  return "," + field((name + "_cpu_ms").c_str(), time.cpu) + "," +
         field((name + "_ms").c_str(), time.wall);
}

}  // namespace ringside::bench
