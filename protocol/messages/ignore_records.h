// A RecordSink that drops all records, for callers that only need to know how far a log reaches.
// Any thread.
#pragma once

#include "protocol/messages/record_sink.h"

namespace ringside::messages {

struct IgnoreRecords final : RecordSink {
  void accept(const Stamp&, const Record&) override {}
};

}  // namespace ringside::messages
