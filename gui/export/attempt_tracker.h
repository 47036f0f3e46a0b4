// Determines the attempt of a restarted or resumed run that a record belongs to, from the order of
// the log. Used by one thread.
#pragma once

#include <cstdint>
#include <map>

#include "protocol/messages/record_sink.h"

namespace ringside::exporting {

class AttemptTracker {
 public:
  /// The attempt of the next record. In the log an attempt begins with the state that its agent
  /// records, before any record of its ranks. The attempt that ranks report themselves is ignored,
  /// since it may be wrong.
  std::int32_t attempt_of(const messages::Stamp& stamp, const messages::Record& record);

 private:
  std::map<Node, std::int32_t> attempts_;  ///< of each node, at this point of its log
};

/// Passes on the records of one attempt only.
class OneAttempt final : public messages::RecordSink {
 public:
  OneAttempt(messages::RecordSink& to, std::int32_t attempt) : to_(to), attempt_(attempt) {}
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    if (tracker_.attempt_of(stamp, record) == attempt_) to_.accept(stamp, record);
  }

 private:
  messages::RecordSink& to_;
  std::int32_t attempt_;
  AttemptTracker tracker_;
};

/// Finds the newest attempt in a log.
class NewestAttempt final : public messages::RecordSink {
 public:
  void accept(const messages::Stamp& stamp, const messages::Record& record) override;
  std::int32_t attempt() const { return newest_; }

 private:
  AttemptTracker tracker_;
  std::int32_t newest_ = 0;
};

}  // namespace ringside::exporting
