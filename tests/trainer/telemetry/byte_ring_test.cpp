#include "trainer/telemetry/byte_ring.h"

#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

using ringside::telemetry::ByteRing;

namespace {

bool put(ByteRing& ring, std::size_t size, std::uint8_t value) {
  std::byte* place = ring.reserve(size);
  if (place == nullptr) return false;
  std::memset(place, value, size);
  ring.commit();
  return true;
}

// The value that fills the front entry, or -1 if there is none or its bytes differ.
int take(ByteRing& ring, std::size_t expected_size) {
  const auto entry = ring.front();
  if (entry.size() != expected_size) return -1;
  for (const std::byte byte : entry) {
    if (byte != entry.front()) return -1;
  }
  const int value = std::to_integer<int>(entry.front());
  ring.pop();
  return value;
}

}  // namespace

TEST_CASE("a ring returns entries of any size in order, many times around") {
  ByteRing ring(1024);
  for (int round = 0; round < 500; ++round) {
    const auto size = static_cast<std::size_t>(1 + round * 7 % 200);
    REQUIRE(put(ring, size, static_cast<std::uint8_t>(round)));
    REQUIRE(put(ring, size + 1, static_cast<std::uint8_t>(round + 1)));
    REQUIRE(take(ring, size) == static_cast<std::uint8_t>(round));
    REQUIRE(take(ring, size + 1) == static_cast<std::uint8_t>(round + 1));
  }
  CHECK(ring.front().empty());
}

TEST_CASE("a full ring refuses entries until some are removed") {
  ByteRing ring(1024);
  int stored = 0;
  while (put(ring, 56, static_cast<std::uint8_t>(stored))) ++stored;
  CHECK(stored == 16);
  CHECK(take(ring, 56) == 0);
  CHECK(put(ring, 56, 99));
  CHECK_FALSE(put(ring, 56, 100));
  for (int i = 1; i < stored; ++i) REQUIRE(take(ring, 56) == i);
  CHECK(take(ring, 56) == 99);
  CHECK(ring.front().empty());
}

TEST_CASE("an entry that could block the ring forever is refused") {
  ByteRing ring(1024);
  CHECK(ring.reserve(1024) == nullptr);
  CHECK(put(ring, 500, 1));
}

TEST_CASE("one thread writes while another reads without torn entries") {
  ByteRing ring(4096);
  constexpr std::uint64_t kEntries = 200'000;
  std::thread writer([&ring] {
    for (std::uint64_t i = 0; i < kEntries;) {
      const std::size_t words = 1 + i % 9;
      std::byte* place = ring.reserve(words * sizeof i);
      if (place == nullptr) {
        std::this_thread::yield();
        continue;
      }
      for (std::size_t w = 0; w < words; ++w) std::memcpy(place + w * sizeof i, &i, sizeof i);
      ring.commit();
      ++i;
    }
  });
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kEntries;) {
    const auto entry = ring.front();
    if (entry.empty()) {
      std::this_thread::yield();
      continue;
    }
    wrong += entry.size() == (1 + i % 9) * sizeof i ? 0U : 1U;
    for (std::size_t at = 0; at < entry.size(); at += sizeof i) {
      std::uint64_t value = 0;
      std::memcpy(&value, entry.data() + at, sizeof value);
      wrong += value == i ? 0U : 1U;
    }
    ring.pop();
    ++i;
  }
  writer.join();
  CHECK(wrong == 0);
}
