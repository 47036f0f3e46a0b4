// The agent's end of the local socket: accepts connections and returns their frames, one at a time.
// A connection whose frames cannot be separated any more is closed. Used by one thread.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/host/descriptor.h"
#include "protocol/wire/frame.h"

namespace ringside::wire {

class LocalListener {
 public:
  struct Arrival {
    std::uint64_t connection = 0;  ///< never the number of another one
    FrameVerdict verdict = FrameVerdict::kGood;
    Frame frame;
    std::span<const std::byte> payload;  ///< ends with the next receive()
  };

  static Result<std::unique_ptr<LocalListener>> open();
  ~LocalListener() { shut(); }
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  /// Readable when receive() may have something, whether it listens or not.
  int fd() const { return epoll_.get(); }

  /// Listens at `path` from now on, for at most `connections` connections; earlier connections are
  /// closed.
  Result<void> listen(const std::filesystem::path& path, std::size_t connections);
  /// Ends all connections and takes the file away.
  void shut();

  /// Never blocks; nothing: no whole frame is there.
  std::optional<Arrival> receive();
  /// Never blocks; false: that connection has ended, or takes no more.
  bool send(std::uint64_t connection, const Frame& frame);

 private:
  struct Connection {
    std::unique_ptr<Descriptor> socket;
    std::vector<std::byte> bytes;  // [begin, end) is read and not handed out
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  explicit LocalListener(int epoll) : epoll_(epoll) {}
  bool watch(int fd, std::uint64_t number);
  void accept_all();
  bool take_frame(Connection& from, Arrival& arrival);
  bool read(Connection& from);

  Descriptor epoll_;
  std::filesystem::path path_;
  std::unique_ptr<Descriptor> listening_;
  std::size_t room_ = 0;
  std::uint64_t last_number_ = 0;  // 0 is the listening socket's
  std::map<std::uint64_t, Connection> connections_;
  std::array<epoll_event, 64> ready_{};
  std::size_t ready_count_ = 0;
  std::uint64_t reading_ = 0;  // may have further whole frames
};

}  // namespace ringside::wire
