// Reads the records of one run, live or finished, as one stream: all nodes, each through its
// LogSource, in order of time. A silent node delays the others only for a moment. Used by one
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/runs/log_source.h"
#include "protocol/runlog/log_merge.h"

namespace ringside::runs {

class RunSource {
 public:
  explicit RunSource(runlog::RunFolder folder);

  /// Polls the LogSources of all nodes. Whether the agent answers is taken from node 0, whose agent
  /// decides on the state of the run.
  Result<SourceProgress> poll(messages::RecordSink& sink, std::uint64_t max_bytes,
                              std::int64_t wait_ns);
  /// The head of a node's log; empty until it was read.
  const runlog::LogIdentity& identity(Node node = 0) const;
  /// Nodes whose logs are in the folder, as of the last check, ascending.
  const std::vector<Node>& logged() const { return logged_; }

 private:
  struct Source {
    Node node = 0;
    LogSource log;
    SourceProgress progress = {};
  };
  Result<SourceProgress> poll_known(messages::RecordSink& sink, std::uint64_t max_bytes,
                                    std::int64_t wait_ns);
  bool look_for_nodes();
  void release(messages::RecordSink& sink, bool behind);
  SourceProgress progress() const;

  runlog::RunFolder folder_;
  std::vector<Source> sources_;  ///< node 0 first
  runlog::LogMerge merge_;
  std::vector<Node> logged_;
  std::int64_t looked_ns_ = 0;
  std::int64_t released_ns_ = 0;
  bool ended_ = false;
};

}  // namespace ringside::runs
