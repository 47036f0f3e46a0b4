// Keeps copies of another machine's runs up to date on a thread of its own. A cut connection is
// retried with growing pauses, and copying continues where it was. Created, queried and destroyed
// by one thread; `changed` is called from the other. The destructor does not block: what the thread
// is doing and its ssh end by themselves (left_threads.h).
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
  kLost,    ///< was connected; retrying
  kFailed,  ///< was never connected; the thread has ended
};

struct FollowState {
  Contact contact = Contact::kConnecting;
  std::string sentence;       ///< what is wrong; empty: nothing
  int retry_s = 0;            ///< while kLost: pause before the next attempt
  bool listed = false;        ///< all runs of that machine are known here
  std::uint64_t brought = 0;  ///< how often the list copied a run that was new or goes on
};

class Follower {
 public:
  struct Options {
    Address address;
    std::string runs_dir;          ///< on that machine; empty: the default one
    std::filesystem::path folder;  ///< mirror_folder() of the machine and runs_dir
    bool list = false;             ///< copy all runs, not only the watched ones
    int most_silent_ms = Connection::kMostSilentMs;
  };

  using Changed = std::function<void(const FollowState&)>;

  /// `open`: an existing connection; may be null. `changed` must not call this object.
  Follower(Options options, std::unique_ptr<Connection> open, Changed changed);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// Copies all of this run from now on, however large it is, and keeps the copy up to date.
  void watch(const RunId& id);
  FollowState state() const;

 private:
  struct Work;
  std::shared_ptr<Work> work_;
  std::thread thread_;
};

}  // namespace ringside::remote
