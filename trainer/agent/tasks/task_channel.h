// One end of the connection between the agent of a node and a task of srun there: a Unix socket in
// the abstract name space (unix(7)), so that no file is left and no other host can reach it; each
// message stands behind its length, 4 bytes, little-endian. Either end takes nothing from another
// user: the kernel says whose the peer is. Used by one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/host/descriptor.h"
#include "trainer/agent/tasks/task_messages.h"

namespace ringside::agent {

class TaskChannel {
 public:
  /// Takes over a connected socket. A failure names the user at the other end, if it is another.
  static Result<TaskChannel> of(Descriptor socket);
  /// Connects to the agent that listens under this name. A failure: nobody does.
  static Result<TaskChannel> connect(const std::string& name);
  /// Readable when there is something to receive, or the other end is gone.
  int fd() const { return socket_.get(); }
  /// Process id of the other end, as this one counts them; 0 where it is in another name space.
  pid_t peer() const { return peer_; }

  /// Waits for room for some seconds. A failure: the other end is gone or takes nothing.
  Result<void> send(const TaskMessage& message);
  /// Does not wait. Nothing: no message is whole yet. A failure: the other end is gone, or said
  /// what is not a message.
  Result<std::optional<TaskMessage>> receive();
  /// Waits so long for one.
  Result<TaskMessage> wait(std::int64_t timeout_ns);

 private:
  TaskChannel(Descriptor socket, pid_t peer) : socket_(std::move(socket)), peer_(peer) {}

  Descriptor socket_;
  pid_t peer_;
  std::vector<std::uint8_t> got_;
};

/// Listens under a name of its own choice, so that nobody can have taken it before; ends with the
/// object. Every user of the host can read it in /proc/net/unix.
class TaskListener {
 public:
  static Result<TaskListener> open();
  const std::string& name() const { return name_; }
  /// Waits so long for one. Nothing: nobody came, or another user did, who is turned away.
  std::optional<TaskChannel> accept(std::int64_t timeout_ns);

 private:
  TaskListener(Descriptor socket, std::string name)
      : socket_(std::move(socket)), name_(std::move(name)) {}

  Descriptor socket_;
  std::string name_;
};

}  // namespace ringside::agent
