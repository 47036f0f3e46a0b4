#include "trainer/engine/early_stop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <future>

#include "tests/support/catch.h"

using ringside::engine::EarlyStop;

namespace {

constexpr auto kPatience = std::chrono::seconds(20);

}  // namespace

TEST_CASE("a signal while a rank gets ready makes it leave, once") {
  const int fd = ::eventfd(0, EFD_CLOEXEC);
  std::atomic<int> left{0};
  std::promise<void> leaving;
  {
    EarlyStop early(
        fd, [] { return false; },
        [&] {
          ++left;
          leaving.set_value();
        });
    CHECK(left == 0);
    const std::uint64_t one = 1;
    REQUIRE(::write(fd, &one, sizeof one) == sizeof one);
    REQUIRE(leaving.get_future().wait_for(kPatience) == std::future_status::ready);
  }
  CHECK(left == 1);
  ::close(fd);
}

TEST_CASE("a request by other means is seen too") {
  std::atomic<bool> asked{false};
  std::promise<void> leaving;
  EarlyStop early(
      -1, [&] { return asked.load(); }, [&] { leaving.set_value(); });
  asked = true;
  CHECK(leaving.get_future().wait_for(kPatience) == std::future_status::ready);
}

TEST_CASE("after the end a request is no longer its business") {
  const int fd = ::eventfd(0, EFD_CLOEXEC);
  std::atomic<int> left{0};
  {
    EarlyStop early(
        fd, [] { return false; }, [&] { ++left; });
    early.end();
    const std::uint64_t one = 1;
    REQUIRE(::write(fd, &one, sizeof one) == sizeof one);
  }
  CHECK(left == 0);
  ::close(fd);
}
