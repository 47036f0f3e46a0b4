#include "gui/cli/command/trace_reading.h"

#include <algorithm>
#include <string>

#include "gui/cli/print/terminal.h"

namespace ringside::cli {

TraceReading::TraceReading(const Interrupts& interrupts) {
  progress_.given_up = [this, &interrupts] {
    show();
    return interrupts.any();
  };
}

TraceReading::~TraceReading() {
  if (shown_percent_ >= 0) print(stderr, "\r\x1b[K");
}

/// A trace that is read at once needs no progress figure.
void TraceReading::show() {
  constexpr std::uint64_t kMuchBytes = 64'000'000;
  if (!is_terminal(stderr) || progress_.all_bytes < kMuchBytes) return;
  const auto percent =
      static_cast<int>(100 * std::min<std::uint64_t>(progress_.read_bytes, progress_.all_bytes) /
                       progress_.all_bytes);
  if (percent == shown_percent_) return;
  shown_percent_ = percent;
  print(stderr, "\rReading " + std::to_string(percent) + " %");
}

}  // namespace ringside::cli
