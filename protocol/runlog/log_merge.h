// Puts the records of several nodes' logs into one order: by the time at which they were made, on
// the clock of node 0 as far as it is known, else by the wall clocks of the nodes. Records of one
// node keep their order. With a single log they go straight through. Used by one thread.
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

  /// Takes what the log of `node` says; lives as long as this.
  messages::RecordSink& input(Node node);
  /// Sets the identity of a node's log, before its first record, as soon as it is known.
  void set_identity(Node node, const LogIdentity& identity);
  /// Nothing more comes from there, as far as is known: nobody is held up for its sake.
  void set_ended(Node node, bool ended);
  /// Records wait of that node.
  bool has(Node node) const;
  std::size_t waiting() const { return waiting_; }

  /// Hands on what nothing can come before: up to the newest record of the node that is behind.
  void release(messages::RecordSink& to);
  /// Releases as above, and whatever came before the last call of this.
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
    bool silent = false;  ///< nothing waits any more of the node that it came from
    bool old = false;     ///< it waited at the last release_old
  };
  Popped pop(messages::RecordSink& to);

  std::map<Node, std::unique_ptr<Input>> inputs_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;  ///< one per waiting input
  std::size_t waiting_ = 0;
};

}  // namespace ringside::runlog
