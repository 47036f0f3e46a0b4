// Occasional samples (utilisation, memory, temperature) over the whole run in bounded memory: when
// it is full, neighbours are merged into their mean, and later samples are collected over twice the
// time. One thread; lives inside the model.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside::model {

struct Sample {
  std::int64_t at_ns = 0;  ///< time of the newest value in it
  float value = 0;         ///< mean
};

class SampleHistory {
 public:
  static constexpr std::size_t kKept = 1024;

  /// Adds a value; values that are not finite are ignored.
  void add(std::int64_t at_ns, double value) {
    if (!std::isfinite(value)) return;
    sum_ += value;
    if (++gathered_ < every_) return;
    samples_.push_back({at_ns, static_cast<float>(sum_ / static_cast<double>(gathered_))});
    sum_ = 0;
    gathered_ = 0;
    if (samples_.size() >= kKept) halve();
  }
  std::span<const Sample> samples() const { return samples_; }

 private:
  void halve() {
    for (std::size_t i = 0; i < samples_.size() / 2; ++i) {
      const Sample& a = samples_[2 * i];
      const Sample& b = samples_[2 * i + 1];
      samples_[i] = {b.at_ns, (a.value + b.value) * 0.5F};
    }
    samples_.resize(samples_.size() / 2);
    every_ *= 2;
  }

  std::vector<Sample> samples_;
  double sum_ = 0;
  std::size_t gathered_ = 0;
  std::size_t every_ = 1;  ///< number of samples in each stored one
};

}  // namespace ringside::model
