// A run of four ranks, two on each of two nodes, in which ranks fail; only the verdict tells which
// of them is the cause. For tests of the named cause.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "protocol/messages/record_sink.h"
#include "protocol/messages/records.h"

namespace ringside::support {

inline constexpr const char* kNodeGone =
    "node 1 (b): no message came from its agent for 30 s: it or its machine is gone";

class FailedRun {
 public:
  explicit FailedRun(messages::RecordSink& sink) : sink_(sink) {
    for (Rank rank = 0; rank < 4; ++rank) {
      messages::RankHello hello;
      hello.world_size = 4;
      sink_.accept({node_of(rank), rank, 0, at_ns_}, hello);
    }
  }

  /// Lets these ranks report, one after the other, that a peer closed the connection.
  void fail(const std::vector<Rank>& ranks) {
    for (const Rank rank : ranks) {
      messages::RankState failed;
      failed.state = messages::State::kFailed;
      failed.about = rank;
      failed.exit_code = 1;
      failed.text = "rank " + std::to_string(rank) + ": exit code 1: Connection closed by peer";
      say(node_of(rank), failed);
    }
  }

  void end(const std::string& verdict) {
    messages::RankState run;
    run.state = messages::State::kFailed;
    run.text = verdict;
    say(0, run);
  }

  /// Emits a record of an agent.
  template <class Body>
  void say(Node node, const Body& body) {
    sink_.accept({node, kNoRank, seq_[node]++, at_ns_ += 1'000'000'000}, body);
  }

 private:
  static Node node_of(Rank rank) { return rank / 2; }

  messages::RecordSink& sink_;
  std::map<Node, std::uint64_t> seq_;
  std::int64_t at_ns_ = 1'000'000'000'000;
};

/// Lets `ranks` fail in that order, and then the run.
inline void play_failure(const std::vector<Rank>& ranks, const std::string& verdict,
                         messages::RecordSink& sink) {
  FailedRun run(sink);
  run.fail(ranks);
  run.end(verdict);
}

}  // namespace ringside::support
