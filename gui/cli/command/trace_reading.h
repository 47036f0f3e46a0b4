// Prints the progress of reading traces on a terminal; a signal cancels the reading. Main thread.
#pragma once

#include "gui/cli/command/interrupts.h"
#include "gui/session/trace/trace_bytes.h"

namespace ringside::cli {

class TraceReading {
 public:
  explicit TraceReading(const Interrupts& interrupts);
  ~TraceReading();
  TraceReading(const TraceReading&) = delete;
  TraceReading& operator=(const TraceReading&) = delete;

  session::TraceProgress& progress() { return progress_; }

 private:
  void show();

  session::TraceProgress progress_;
  int shown_percent_ = -1;
};

}  // namespace ringside::cli
