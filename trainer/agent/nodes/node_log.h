// The only writer of a node's log. Batches from ranks are appended unchanged; the agent adds its
// own records. A full disk never stops a run: what cannot be written is counted and reported in the
// log when there is space again. A small reserve file is deleted at the end, so that the end of a
// run can be written even then. Used by the agent's loop only.
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

  /// Appends whole records of a rank, as received.
  void append_batch(std::span<const std::byte> payload, std::uint64_t records);
  /// Appends a record of the agent, stamped now.
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

  /// Call once per second: syncs written bytes to disk, and retries after a full disk.
  void tick();
  /// Call last. On a full disk, the reserve's space is used for the essential records.
  void close();

  /// Why nothing can be written now; empty when writing works.
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
  // Essential records that are written again when possible: how ranks ended, and their goodbyes,
  // which have the total number of records.
  std::vector<messages::RankState> unwritten_states_;
  std::vector<std::byte> unwritten_goodbyes_;
  std::uint64_t goodbyes_kept_ = 0;
  bool dirty_ = false;
  std::filesystem::path reserve_;  // empty when there is none
};

}  // namespace ringside::agent
