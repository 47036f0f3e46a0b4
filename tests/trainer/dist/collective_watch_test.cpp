#include "trainer/dist/collective_watch.h"

#include "tests/support/catch.h"
#include "tests/trainer/dist/fake_groups.h"
#include "trainer/dist/last_collective.h"

using namespace ringside;
using dist::CollectiveWatch;
using testing::FakeGroups;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// The error that check() throws; empty: none.
std::string thrown_by(const CollectiveWatch& watch, std::int64_t overdue_ns) {
  try {
    watch.check(overdue_ns);
    return {};
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

}  // namespace

TEST_CASE(
    "a GPU may be overdue by the timeout of a collective, then the last collective is named") {
  const FakeGroups fake;
  const CollectiveWatch watch(fake.groups, std::chrono::seconds(600));
  dist::about_to("gradient exchange");
  CHECK(thrown_by(watch, -kSecond).empty());
  CHECK(thrown_by(watch, 600 * kSecond).empty());
  CHECK(thrown_by(watch, 601 * kSecond) ==
        "Timed out after 601 s in which the GPU ended no step; last collective entered: "
        "gradient exchange");
}

TEST_CASE("a failed group is noticed at once, whatever time is left") {
  FakeGroups fake;
  const CollectiveWatch watch(fake.groups, std::chrono::seconds(600));
  dist::about_to("gradient bucket exchange");
  const auto [error, words] = GENERATE(table<c10d::ErrorType, std::string>(
      {{c10d::ErrorType::TIMEOUT, "Timed out"},
       {c10d::ErrorType::REMOTE_ERROR, "Connection closed by peer"},
       {c10d::ErrorType::COMM_ERROR, "communication of the gradients' group failed"}}));
  CHECK(thrown_by(watch, 0).empty());
  fake.gradients->error = error;
  const std::string text = thrown_by(watch, 0);
  CHECK(text.find(words) != std::string::npos);
  CHECK(text.find("last collective entered: gradient bucket exchange") != std::string::npos);
}

TEST_CASE("a wait ends when the device is done or hangs") {
  FakeGroups fake;
  const CollectiveWatch patient(fake.groups, std::chrono::seconds(600));
  int asked = 0;
  patient.wait([&] { return ++asked == 3; }, 0);
  CHECK(asked == 3);
  const CollectiveWatch watch(fake.groups, std::chrono::nanoseconds(1));
  CHECK_NOTHROW(watch.wait([] { return true; }, 0));
  CHECK_THROWS(watch.wait([] { return false; }, 0));
  asked = 0;  // the usual duration is not a delay
  CHECK_NOTHROW(watch.wait([&] { return ++asked == 3; }, 600 * kSecond));
  fake.gradients->error = c10d::ErrorType::REMOTE_ERROR;
  CHECK_THROWS(patient.wait([] { return false; }, 0));
}

TEST_CASE("a single rank can have a GPU that hangs, and no other rank is blamed") {
  const dist::ProcessGroups solo;
  const CollectiveWatch watch(solo, std::chrono::seconds(5));
  CHECK(thrown_by(watch, 5 * kSecond).empty());
  CHECK(thrown_by(watch, 6 * kSecond).find("the GPU ended no step for 6 s") == 0);
}
