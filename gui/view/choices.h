// What a person chooses among: pages, axes, kinds of an end and of an export, panels.
#pragma once

#include <cstdint>

namespace ringside::view {

enum class Page : std::uint8_t { kLaunch, kLive, kScaling, kSampler, kRuns };
enum class XAxis : std::uint8_t { kStep, kEpoch, kTime, kSamples };
enum class StopMode : std::uint8_t { kCheckpoint, kNow };
enum class ExportKind : std::uint8_t { kCsv, kTensorBoard, kHtml };
/// Panels that can be closed and opened again.
enum class Dock : std::uint8_t { kSpeedup, kRanks, kLogs, kCount };

/// Word of a page and of an axis: "Live", "Epoch".
const char* name_of(Page page);
const char* name_of(XAxis axis);
/// The page as options and files name it: "live".
const char* key_of(Page page);

}  // namespace ringside::view
