// Reads traces of profilers into a Timeline: the JSON of Chrome, Perfetto, Kineto (PyTorch) and
// Ringside, plain or gzip, of any size, without holding the whole text. Several files are several
// ranks. Any thread; takes about a second for 2 million events. Format: "Trace Event Format",
// Google. Complete (X), begin and end (B, E), asynchronous (b, e) and metadata (M) events are read;
// instants, counters, flows and objects are counted.
#pragma once

#include <filesystem>
#include <vector>

#include "gui/model/timeline/timeline.h"
#include "gui/session/trace/trace_bytes.h"
#include "protocol/base/result.h"

namespace ringside::session {

/// A bad request names the file, the byte position and what was expected there.
Result<model::Timeline> read_traces(const std::vector<std::filesystem::path>& files,
                                    TraceProgress& progress);

/// Whether the beginning of a file looks like a trace.
bool is_trace(const std::filesystem::path& file);

}  // namespace ringside::session
