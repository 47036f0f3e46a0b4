// Reads the records of one node of a run, live or finished, from the log file that the agent
// writes; RunSource joins all nodes. A reachable agent is also asked whether it is alive and
// whether it can write its log. Used by one thread.
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
  /// The agent is of this boot and is asked over its socket, whether it answers or not.
  bool on_socket = false;
  bool own_clock = false;  ///< its times are of this boot's monotonic clock; false for a log whose
                           ///< head names no boot
  /// Everything was read and nobody writes any more; a later poll may still find more.
  bool ended = false;
  /// Time since the agent last answered or wrote, while there is or may be an agent.
  std::int64_t silent_ns = 0;
  std::string log_problem;  ///< while connected: why the agent cannot write its log; empty: it can
  bool lost_contact = false;  ///< result of contact_lost()
};

/// Whether nothing has come for longer than kSocketDelayS or kFileDelayS.
bool is_unheard(const SourceProgress& progress);

class LogSource {
 public:
  explicit LogSource(runlog::RunFolder folder, Node node = 0);

  /// Decodes new bytes, about `max_bytes` at most. If there are none, waits up to `wait_ns` for
  /// more. A run whose log does not exist yet has no records; that is not an error. Fails if the
  /// log is of a newer version or cannot be read.
  Result<SourceProgress> poll(messages::RecordSink& sink, std::uint64_t max_bytes,
                              std::int64_t wait_ns);
  /// The head of the log; empty until it was read.
  const runlog::LogIdentity& identity() const { return decoder_.identity(); }

 private:
  /// How often agent.json and its process are checked while nothing comes.
  static constexpr std::int64_t kLookNs = 300'000'000;
  /// How often they are checked while an agent starts or ends, and a file is read that may grow
  /// without inotify events.
  static constexpr std::int64_t kLookSoonNs = kLookNs / 10;
  /// An agent that has been silent for this long counts as not answering.
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
  wire::AgentEndpoint endpoint_;     // endpoint of client_
  std::unique_ptr<ByteFile> file_;   // null until first used
  std::optional<Descriptor> watch_;  // watches the folder while somebody waits
  std::vector<std::byte> buffer_;
  std::uint64_t offset_ = 0;      // of the next byte for decoder_
  std::uint64_t tail_bytes_ = 0;  // incomplete bytes at the end of the file when last read
  std::int64_t next_look_ns_ = 0;
  std::int64_t grew_ns_;  // when bytes last came
  std::int64_t asked_ns_ = 0;
  std::string log_problem_;
  AgentPresence presence_ = AgentPresence::kLeft;  // at the last check
  bool ended_ = false;
};

}  // namespace ringside::runs
