// Keeps copies of another machine's runs fresh on a thread of its own. A cut connection is tried
// again with growing pauses, and the copies go on where they were. Made and ended by one thread,
// which also asks; `changed` is called from the other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "gui/remote/connection.h"
#include "gui/remote/mirror.h"

namespace ringside::remote {

enum class Contact : std::uint8_t {
  kConnecting,
  kThere,
  kLost,    ///< was there; it is tried again
  kFailed,  ///< never was there: the thread has ended
};

struct FollowState {
  Contact contact = Contact::kConnecting;
  std::string sentence;       ///< what is wrong; empty: nothing
  int retry_s = 0;            ///< while lost: the pause before the next attempt
  bool listed = false;        ///< all runs there are known here
  std::uint64_t brought = 0;  ///< how often the list brought a run that was new or goes on
};

class Follower {
 public:
  struct Options {
    Address address;
    std::string runs_dir;          ///< there; empty: the usual one
    std::filesystem::path folder;  ///< mirror_folder() of both
    bool list = false;             ///< all runs, not only the watched ones
  };

  using Changed = std::function<void(const FollowState&)>;

  /// `open`: a connection that is there already; may be null.
  Follower(Options options, std::unique_ptr<Connection> open, Changed changed);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// From now on all of this run is brought, however large, as it grows.
  void watch(const RunId& id);
  FollowState state() const;

 private:
  void follow();
  bool connect();
  /// Until it is cut or this object ends.
  void keep_fresh();
  Result<void> look();
  /// The first failure, after all of them were tried.
  Result<void> bring_watched();
  Result<void> look_at_all();
  Result<void> bring_listed(const RunId& id, bool live, bool whole);
  /// `newest`: those there now; of them, older ones are not told.
  void forget_deleted(const std::set<RunId>& newest);
  bool goes_on_listing();
  bool pause_ms(int ms);
  template <class Change>
  void change(const Change& make);

  const Options options_;
  const Changed changed_;
  Mirror mirror_;
  std::unique_ptr<Connection> connection_;  ///< the thread's; abandoned under the mutex
  std::set<RunId> listed_;                  ///< at the last look
  std::set<RunId> settled_;                 ///< of the list: nobody writes them
  std::set<RunId> complete_;  ///< of the watched ones: all of it is here, and nobody writes them
  std::int64_t listed_ns_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  FollowState state_;
  std::set<RunId> watched_;
  bool opened_ = false;  ///< a watched run that was not tried yet
  bool closing_ = false;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace ringside::remote
