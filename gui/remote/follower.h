// Keeps copies of another machine's runs fresh on a thread of its own. A cut connection is tried
// again with growing pauses, and the copies go on where they were. Made and ended by one thread,
// which also asks; `changed` is called from the other. Its end waits for nothing: what the thread
// still does, and its ssh, are left to end by themselves (left_threads.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "gui/remote/connection.h"
#include "protocol/base/ids.h"

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
    int most_silent_ms = Connection::kMostSilentMs;
  };

  using Changed = std::function<void(const FollowState&)>;

  /// `open`: a connection that is there already; may be null. `changed` must not ask this object.
  Follower(Options options, std::unique_ptr<Connection> open, Changed changed);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// Brings all of this run from now on, however large, as it grows.
  void watch(const RunId& id);
  FollowState state() const;

 private:
  struct Work;
  std::shared_ptr<Work> work_;
  std::thread thread_;
};

}  // namespace ringside::remote
