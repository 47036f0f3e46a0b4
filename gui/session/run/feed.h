// Delivers the records of one run to its model: a receiver thread reads and decodes, the main
// thread takes them within a time budget. The queue is bounded: a reader that is ahead waits. A
// replay delivers records at the pace in which they were written. Constructed, drained and
// destroyed by the main thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gui/launch/place_report.h"
#include "gui/runs/run_source.h"
#include "gui/runs/shown_state.h"
#include "gui/session/run_texts.h"
#include "protocol/base/clock.h"
#include "protocol/messages/records.h"

namespace ringside::session {

struct FeedState {
  runs::SourceProgress progress;
  runs::AgentPresence presence = runs::AgentPresence::kLeft;
  std::optional<launch::PlaceReport> report =
      {};                         ///< from its place; nothing: only the agent reports
  bool read_once = false;         ///< all records that existed at the start have been read
  std::vector<Node> logged = {};  ///< nodes whose logs are in the folder
  bool ended = false;             ///< nothing more comes, or the log cannot be read on
  std::string error;              ///< the log cannot be read
  // First and last time of a replay, set once the log has been read.
  std::int64_t replay_begin_ns = 0;
  std::int64_t replay_end_ns = 0;
};

class Feed {
 public:
  struct Options {
    double replay_speed = 0;          ///< 0: as fast as possible
    std::int64_t replay_from_ns = 0;  ///< all records up to this time are delivered at once
    bool texts = true;                ///< also read the output of the ranks
  };

  Feed(const runlog::RunFolder& folder, const Options& options, std::function<void()> wake);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// Passes records to `sink` until none is due or `budget_ns` is spent. True if there was one.
  bool drain(messages::RecordSink& sink, std::int64_t budget_ns);
  /// Whether records are waiting and due now.
  bool more() const;
  FeedState state() const;
  /// The replay's clock in the time of the records; 0 before the first record, or if this is not a
  /// replay.
  std::int64_t replay_ns() const;
  /// Whether a replay has delivered all records.
  bool replay_over() const;
  /// Pauses or continues the clock of a replay.
  void hold(bool on);
  void set_replay_speed(double speed);
  /// Moves the clock of a replay forward; backward needs a new feed.
  void skip_to(std::int64_t stamp_ns);
  std::size_t waiting() const;

  /// Reads more of the end of each output file of the ranks.
  void read_earlier();
  bool has_earlier() const;

  /// Asks the receiver to end without waiting for it; gone() returns whether it has.
  void retire();
  bool gone() const { return gone_; }
  /// Copies the newest texts; returns false if `revision` is already the newest.
  bool texts(std::vector<RankStream>& into, std::uint64_t& revision) const;

 private:
  struct Entry {
    std::int64_t at_ns = 0;  ///< on the clock of node 0
    messages::Stamp stamp;
    messages::Record record;
  };
  class Collector;

  void receive();
  void follow();
  void look_through();
  bool take_request();
  std::optional<launch::PlaceReport> look_at_place();
  void start_clock(std::int64_t at_ns);
  /// Waits for space in the queue; false if the feed is being closed.
  bool push(std::vector<Entry>& batch);
  bool due(const Entry& entry) const;
  void pace(const Entry& entry);

  const runlog::RunFolder folder_;
  Options options_;  ///< only the main thread changes the speed
  const bool replay_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> queue_;
  FeedState state_;
  std::vector<RankStream> texts_;
  std::uint64_t texts_revision_ = 0;
  bool closing_ = false;
  bool wants_earlier_ = false;
  bool has_earlier_ = false;
  // Clock of the replay; main thread only.
  std::int64_t first_ns_ = 0;    ///< record time at which the clock below was started
  std::int64_t started_ns_ = 0;  ///< monotonic time at that moment
  std::int64_t newest_ns_ = 0;
  std::int64_t held_ns_ = 0;  ///< time of the paused clock; 0: it runs

  std::atomic<bool> gone_ = false;
  std::thread thread_;  // last: it uses all members above
};

/// Feeds that were replaced, kept until their threads have ended so that nothing waits for them.
class RetiredFeeds {
 public:
  void take(std::unique_ptr<Feed> feed) {
    feed->retire();
    feeds_.push_back(std::move(feed));
  }
  void sweep() {
    std::erase_if(feeds_, [](const auto& feed) { return feed->gone(); });
  }

 private:
  std::vector<std::unique_ptr<Feed>> feeds_;
};

}  // namespace ringside::session
