// What a person chooses among on the Scaling page.
#pragma once

#include <cstdint>

namespace ringside::view {

/// What a study is drawn by, against devices.
enum class ScalingMetric : std::uint8_t {
  kSpeedup,
  kEfficiency,
  kTime,
  kSamples,
  kAccuracy,
  kCount
};
/// What a study is written as.
enum class StudyFileKind : std::uint8_t { kCsv, kHtml, kMarkdown, kSvg, kPng };

/// "Speedup"
const char* name_of(ScalingMetric metric);
/// The metric as files name it: "speedup".
const char* key_of(ScalingMetric metric);

}  // namespace ringside::view
