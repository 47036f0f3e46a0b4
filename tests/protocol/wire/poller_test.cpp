#include "protocol/wire/poller.h"

#include <unistd.h>

#include <array>

#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {
namespace {

struct Pipe {
  Pipe() { REQUIRE(::pipe(ends.data()) == 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends[0]);
    if (ends[1] >= 0) ::close(ends[1]);
  }
  void close_writer() {
    ::close(ends[1]);
    ends[1] = -1;
  }
  std::array<int, 2> ends{};
};

std::vector<std::int32_t> ready(Poller& poller, std::int64_t timeout_ns) {
  const auto tags = poller.wait(timeout_ns);
  REQUIRE(tags);
  return {tags->begin(), tags->end()};
}

TEST_CASE("descriptors are ready when there is data to read or the other side has closed") {
  Pipe first;
  Pipe second;
  Poller poller;
  poller.add_fd(first.ends[0], 10);
  poller.add_fd(second.ends[0], 20);
  CHECK(ready(poller, 0).empty());
  CHECK(ready(poller, 1'000'000).empty());
  REQUIRE(::write(second.ends[1], "x", 1) == 1);
  CHECK(ready(poller, -1) == std::vector<std::int32_t>{20});
  first.close_writer();
  CHECK(ready(poller, -1) == std::vector<std::int32_t>{10, 20});
  poller.remove_fd(second.ends[0]);
  CHECK(ready(poller, 0) == std::vector<std::int32_t>{10});
  poller.remove_fd(first.ends[0]);
  CHECK(ready(poller, 0).empty());
}

TEST_CASE("one call waits for sockets and descriptors") {
  TestAgent agent(1);
  Pipe pipe;
  Poller poller;
  poller.add_fd(pipe.ends[0], 1);
  poller.add(agent.receiver->poll_handle(), 2);
  REQUIRE(::write(pipe.ends[1], "x", 1) == 1);
  CHECK(ready(poller, -1) == std::vector<std::int32_t>{1});
  auto sender = TelemetrySender::connect(agent.endpoint, 0, 0, 0);
  REQUIRE(sender);
  const std::int64_t deadline_ns = mono_now_ns() + kTimeoutNs;
  std::vector<std::int32_t> tags;
  while (tags.size() < 2 && mono_now_ns() < deadline_ns) {
    agent.authenticator->serve();  // accepts the connection
    tags = ready(poller, 1'000'000);
  }
  CHECK(tags == std::vector<std::int32_t>{1, 2});
  poller.remove(agent.receiver->poll_handle());
  CHECK(ready(poller, 0) == std::vector<std::int32_t>{1});
}

}  // namespace
}  // namespace ringside::wire
