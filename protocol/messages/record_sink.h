// Interface for consumers of records: the model, an exporter, a counter.
#pragma once

#include "protocol/messages/record_types.h"

namespace ringside::messages {

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// Called once per record, in log order, on the decoding thread. The references are valid only
  /// during the call.
  virtual void accept(const Stamp& stamp, const Record& record) = 0;
};

}  // namespace ringside::messages
