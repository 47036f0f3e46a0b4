// One end of the connection between a node's agent and an srun task on that node: a Unix socket in
// the abstract namespace (unix(7)), which leaves no file and cannot be reached from other hosts.
// Each message follows its length, 4 bytes, little-endian. Both ends refuse other users, which the
// kernel identifies. Used by one thread.
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
  /// Takes over a connected socket. Fails if the peer is another user, which the error names.
  static Result<TaskChannel> of(Descriptor socket);
  /// Connects to the agent that listens under this name. Fails if there is none.
  static Result<TaskChannel> connect(const std::string& name);
  /// Readable when there is something to receive, or when the peer is gone.
  int fd() const { return socket_.get(); }
  /// Pid of the peer; 0 when it is in another PID namespace.
  pid_t peer() const { return peer_; }

  /// Waits up to some seconds for buffer space. Fails if the peer is gone or does not read.
  Result<void> send(const TaskMessage& message);
  /// Never blocks; empty when no message is complete. Fails if the peer is gone or sent something
  /// invalid.
  Result<std::optional<TaskMessage>> receive();
  /// Waits up to this long for a message.
  Result<TaskMessage> wait(std::int64_t timeout_ns);

 private:
  TaskChannel(Descriptor socket, pid_t peer) : socket_(std::move(socket)), peer_(peer) {}

  Descriptor socket_;
  pid_t peer_;
  std::vector<std::uint8_t> got_;
};

/// Listens under a name that it chooses, so that nobody can have taken it before; ends with the
/// object. Every user of the host can see the name in /proc/net/unix.
class TaskListener {
 public:
  static Result<TaskListener> open();
  const std::string& name() const { return name_; }
  /// Waits up to this long for a connection; empty when none came, or when one of another user was
  /// refused.
  std::optional<TaskChannel> accept(std::int64_t timeout_ns);

 private:
  TaskListener(Descriptor socket, std::string name)
      : socket_(std::move(socket)), name_(std::move(name)) {}

  Descriptor socket_;
  std::string name_;
};

}  // namespace ringside::agent
