// The records of one run on their way to its model: a receiver thread reads and decodes, the main
// thread takes what is there within a time budget. Bounded: a reader that is ahead waits. A replay
// hands records out at the pace in which they were written. Constructed, drained and destroyed by
// the main thread.
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

#include "gui/launch/place_news.h"
#include "gui/runs/run_source.h"
#include "gui/runs/shown_state.h"
#include "gui/session/run_texts.h"
#include "protocol/base/clock.h"
#include "protocol/messages/records.h"

namespace ringside::session {

struct FeedState {
  runs::SourceProgress progress;
  runs::AgentPresence presence = runs::AgentPresence::kLeft;
  std::optional<launch::News> news = {};  ///< of its place; nothing: its agent alone tells
  bool read_once = false;                 ///< everything that was there at the start has been read
  std::vector<Node> logged = {};          ///< nodes whose logs are in the folder
  bool ended = false;                     ///< nobody writes any more, or the log cannot be read on
  std::string error;                      ///< the log cannot be read
  // First and last stamp of a replay, once the log was read through.
  std::int64_t replay_begin_ns = 0;
  std::int64_t replay_end_ns = 0;
};

class Feed {
 public:
  struct Options {
    double replay_speed = 0;          ///< 0: as fast as it comes
    std::int64_t replay_from_ns = 0;  ///< everything up to this stamp is handed out at once
    bool texts = true;                ///< also what the ranks wrote to their streams
  };

  Feed(const runlog::RunFolder& folder, const Options& options, std::function<void()> wake);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// Hands records to `sink` until none is due or `budget_ns` is spent. True when there was one.
  bool drain(messages::RecordSink& sink, std::int64_t budget_ns);
  /// Records are waiting and due now.
  bool more() const;
  FeedState state() const;
  /// The replay's clock on the scale of the records; 0 when nothing was handed out yet or this is
  /// no replay.
  std::int64_t replay_ns() const;
  /// A replay that has handed out everything.
  bool replay_over() const;
  /// Holds the clock of a replay, or lets it go on.
  void hold(bool on);
  void set_replay_speed(double speed);
  /// Moves the clock of a replay forward; backward needs a new feed.
  void skip_to(std::int64_t stamp_ns);
  std::size_t waiting() const;

  /// More of the ends of the files that the ranks write.
  void read_earlier();
  bool has_earlier() const;

  /// Asks the receiver to end without waiting for it; gone() tells when it has.
  void retire();
  bool gone() const { return gone_; }
  /// The newest texts; false when they are those of `revision` already.
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
  bool take_wish();
  std::optional<launch::News> look_at_place();
  void start_clock(std::int64_t at_ns);
  /// Waits for room; false when the feed is being closed.
  bool push(std::vector<Entry>& batch);
  bool due(const Entry& entry) const;
  void pace(const Entry& entry);

  const runlog::RunFolder folder_;
  Options options_;  ///< the speed is the main thread's to change
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
  std::int64_t first_ns_ = 0;    ///< stamp at which the clock below was started
  std::int64_t started_ns_ = 0;  ///< our clock at that moment
  std::int64_t newest_ns_ = 0;
  std::int64_t held_ns_ = 0;  ///< where the clock stands while held; 0: it runs

  std::atomic<bool> gone_ = false;
  std::thread thread_;  // last: it uses everything above
};

/// Feeds that were replaced by others, until their threads have ended: nobody waits for them.
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
