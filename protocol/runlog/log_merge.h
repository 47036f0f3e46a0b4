// Merges the records of several nodes' logs in order of time: by node 0's clock as far as the
// offset is known, otherwise by the nodes' wall clocks. Records of one node keep their order. The
// records of a single log pass through at once. Used by one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "protocol/messages/record_sink.h"
#include "protocol/messages/records.h"
#include "protocol/runlog/log_format.h"

namespace ringside::runlog {

class LogMerge {
 public:
  LogMerge();
  ~LogMerge();
  LogMerge(LogMerge&&) noexcept;
  LogMerge& operator=(LogMerge&&) noexcept;

  /// Accepts the records of the log of `node`; valid as long as this object.
  messages::RecordSink& input(Node node);
  /// Sets the identity of a node's log as soon as it is known, before its first record.
  void set_identity(Node node, const LogIdentity& identity);
  /// Whether the node's log is known to have ended; other records then do not wait for it.
  void set_ended(Node node, bool ended);
  /// Whether records of that node are queued.
  bool has(Node node) const;
  std::size_t waiting() const { return waiting_; }

  /// Passes on all records that nothing can precede any more: up to the newest record of the node
  /// that is furthest behind.
  void release(messages::RecordSink& to);
  /// Like release(), and also passes on what was queued before the previous call.
  void release_old(messages::RecordSink& to);
  void release_all(messages::RecordSink& to);

 private:
  struct Entry {
    std::int64_t at_ns = 0;  ///< wall-clock time of node 0
    messages::Stamp stamp;
    messages::Record record;
  };
  class Input;
  struct Head {
    std::int64_t at_ns = 0;
    Node node = 0;
    bool operator>(const Head& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : node > other.node;
    }
  };

  void add(Input& from, const messages::Stamp& stamp, const messages::Record& record);
  void set_base(Input& from, std::int64_t base_ns);
  void put_back(Input& from, std::int64_t at_ns);
  std::int64_t base_ns(const Input& from) const;
  bool anyone_silent() const;
  struct Popped {
    bool silent = false;  ///< the node that it came from has no more records queued
    bool old = false;     ///< it was already queued at the last release_old
  };
  Popped pop(messages::RecordSink& to);

  std::map<Node, std::unique_ptr<Input>> inputs_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;  ///< one per waiting input
  std::size_t waiting_ = 0;
};

}  // namespace ringside::runlog
