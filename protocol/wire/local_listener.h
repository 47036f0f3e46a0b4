// The agent's end of the local socket: accepts connections and returns their frames one at a time.
// A connection is closed when its frames can no longer be told apart. Used by one thread.
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
    std::uint64_t connection = 0;  ///< unique; never reused
    FrameVerdict verdict = FrameVerdict::kGood;
    Frame frame;
    std::span<const std::byte> payload;  ///< valid until the next receive()
  };

  static Result<std::unique_ptr<LocalListener>> open();
  ~LocalListener() { shut(); }
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;

  /// Readable when receive() may return something, whether it is listening or not.
  int fd() const { return epoll_.get(); }

  /// Listens at `path` from now on, for at most `connections` connections; closes earlier
  /// connections.
  Result<void> listen(const std::filesystem::path& path, std::size_t connections);
  /// Closes all connections and removes the file.
  void shut();

  /// Never blocks; empty when no whole frame has arrived.
  std::optional<Arrival> receive();
  /// Never blocks; false when the connection has ended or its buffer is full.
  bool send(std::uint64_t connection, const Frame& frame);

 private:
  struct Connection {
    std::unique_ptr<Descriptor> socket;
    std::vector<std::byte> bytes;  // [begin, end) was read and not yet returned
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
  std::uint64_t last_number_ = 0;  // 0 stands for the listening socket
  std::map<std::uint64_t, Connection> connections_;
  std::array<epoll_event, 64> ready_{};
  std::size_t ready_count_ = 0;
  std::uint64_t reading_ = 0;  // connection that may have more whole frames
};

}  // namespace ringside::wire
