// The only writer of a node's log. Ranks' batches go in as they are, the agent
// adds its own records. A full disk never stops a run: what cannot be written is counted, and
// reported in the log when space returns. A small reserve file is released at the end, so that how
// a run ended is written even then. Used by the agent's loop only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/rank_records.h"
#include "protocol/runlog/log_writer.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::agent {

class NodeLog {
 public:
  /// Creates or continues node_K.log of the folder.
  static Result<NodeLog> open(const runlog::RunFolder& folder, Node node, const Clock& clock);
  NodeLog(runlog::LogWriter writer, Node node, const Clock& clock);

  /// A rank's whole records, as received.
  void append_batch(std::span<const std::byte> payload, std::uint64_t records);
  /// A record of the agent itself, stamped now.
  template <class Body>
  void post(const Body& body) {
    post_at(body, clock_->mono_ns());
  }
  template <class Body>
  void post_at(const Body& body, std::int64_t mono_ns) {
    scratch_.clear();
    messages::append_record(scratch_, next_stamp(mono_ns), body);
    if (!write(scratch_, 1)) keep_if_state(body);
  }

  /// Called once a second: hands written bytes to the device, and tries again when the disk was
  /// full.
  void tick();
  /// The last thing. With the disk full, what a reader must not miss takes the place of the
  /// reserve.
  void close();

  /// Why nothing can be written now; empty when all is well.
  const std::string& problem() const { return problem_; }

 private:
  messages::Stamp next_stamp(std::int64_t mono_ns) {
    return {node_, kNoRank, next_seq_++, mono_ns};
  }
  bool write(std::span<const std::byte> payload, std::uint64_t records);
  bool recover(std::span<const std::byte> payload, std::uint64_t records);
  void keep_goodbyes(std::span<const std::byte> payload);
  void keep_if_state(const messages::RankState& state);
  template <class Body>
  void keep_if_state(const Body&) {}

  runlog::LogWriter writer_;
  Node node_;
  const Clock* clock_;
  std::uint64_t next_seq_ = 0;
  std::vector<std::byte> scratch_;
  std::string problem_;
  std::int64_t failing_since_ns_ = 0;
  std::uint64_t lost_records_ = 0;
  std::uint64_t lost_bytes_ = 0;
  // What a reader must not miss, written again when possible: how ranks ended, and their goodbyes,
  // which tell how many records there should be.
  std::vector<messages::RankState> unwritten_states_;
  std::vector<std::byte> unwritten_goodbyes_;
  std::uint64_t goodbyes_kept_ = 0;
  bool dirty_ = false;
  std::filesystem::path reserve_;  // empty: none
};

}  // namespace ringside::agent
