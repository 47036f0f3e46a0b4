// Reads the records of one node of a run, live or finished, from the log's file as the agent writes
// it; RunSource joins all nodes. A reachable agent is also asked for its status: whether it lives,
// and whether it can write its log. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/runs/shown_state.h"
#include "protocol/base/byte_file.h"
#include "protocol/base/result.h"
#include "protocol/host/descriptor.h"
#include "protocol/messages/record_sink.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/runlog/segment_decoder.h"
#include "protocol/wire/control_client.h"

namespace ringside::runs {

struct SourceProgress {
  runlog::LogProgress log;
  bool connected = false;  ///< the agent answers
  bool on_socket = false;  ///< the agent is of this boot and is asked over its socket, whether it
                           ///< answers or not
  bool own_clock = false;  ///< the same, and its times are of the monotonic clock here; a log
                           ///< whose head names no boot has times of its own
  bool ended = false;  ///< all there is was read and nobody writes more; a later poll may find more
                       ///< all the same
  /// While there is or may be an agent: since anything came from it, its answers and what it wrote
  /// into its file.
  std::int64_t silent_ns = 0;
  std::string log_problem;  ///< while connected: why the agent cannot write its log; empty: it can
  bool lost_contact = false;  ///< as contact_lost() has it
};

/// Nothing has come for longer than kSocketDelayS or kFileDelayS.
bool is_unheard(const SourceProgress& progress);

class LogSource {
 public:
  explicit LogSource(runlog::RunFolder folder, Node node = 0);

  /// Decodes what is there, at most about `max_bytes` of it. With nothing there it waits up to
  /// `wait_ns` for more. A run whose log does not exist yet has no records; that is not an error.
  /// Errors: the log is of a newer version or cannot be read.
  Result<SourceProgress> poll(messages::RecordSink& sink, std::uint64_t max_bytes,
                              std::int64_t wait_ns);
  /// The head of the log; empty until it was read.
  const runlog::LogIdentity& identity() const { return decoder_.identity(); }

 private:
  /// How often agent.json and the process behind it are looked at while nothing comes.
  static constexpr std::int64_t kLookNs = 300'000'000;
  /// The same while an agent comes up or goes, and how often a file is read that may grow untold.
  static constexpr std::int64_t kLookSoonNs = kLookNs / 10;
  /// An agent that has said nothing for so long does not answer.
  static constexpr std::int64_t kUnheardNs = 2'000'000'000;
  /// How often the agent is asked whether it can write its log.
  static constexpr std::int64_t kAskNs = 1'000'000'000;

  void look_for_agent();
  void ask_how_it_goes();
  bool may_grow() const;
  Result<std::uint64_t> take(messages::RecordSink& sink, std::uint64_t max_bytes);
  SourceProgress progress() const;

  runlog::RunFolder folder_;
  Node node_;
  runlog::SegmentDecoder decoder_;
  std::optional<wire::ControlClient> client_;
  wire::AgentEndpoint endpoint_;     // of client_
  std::unique_ptr<ByteFile> file_;   // null until it was needed
  std::optional<Descriptor> watch_;  // of the folder, while somebody waits
  std::vector<std::byte> buffer_;
  std::uint64_t offset_ = 0;      // of the next byte that decoder_ wants
  std::uint64_t tail_bytes_ = 0;  // at the end of the file when last read
  std::int64_t next_look_ns_ = 0;
  std::int64_t grew_ns_;  // when bytes came last
  std::int64_t asked_ns_ = 0;
  std::string log_problem_;
  AgentPresence presence_ = AgentPresence::kLeft;  // as last looked
  bool ended_ = false;
};

}  // namespace ringside::runs
