// The memory of a window is bounded for any length of a run, and no value is lost.
#include "gui/model/chunk_allocator.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/records.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;
using model::ChunkAllocator;

namespace {

constexpr std::size_t kChunk = 16384;
constexpr std::size_t kMiB = std::size_t{1} << 20;

std::size_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6)) * 1024;
  }
  return 0;
}

/// Allocates chunks, fills each with its number, and frees them at the end.
class Chunks {
 public:
  Chunks(ChunkAllocator& allocator, std::size_t count) : allocator_(allocator) {
    for (std::size_t i = 0; i < count; ++i) {
      chunks_.push_back(allocator.allocate(kChunk));
      std::memset(chunks_.back(), static_cast<int>(i % 251), kChunk);
    }
  }
  ~Chunks() {
    for (void* chunk : chunks_) allocator_.deallocate(chunk, kChunk);
  }
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;

  std::size_t wrong() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const std::vector<unsigned char> expected(kChunk, static_cast<unsigned char>(i % 251));
      count += std::memcmp(chunks_[i], expected.data(), kChunk) == 0 ? 0U : 1U;
    }
    return count;
  }

 private:
  ChunkAllocator& allocator_;
  std::vector<void*> chunks_;
};

}  // namespace

TEST_CASE("beyond the budget chunks are moved out of memory, and read back unchanged") {
  const TempFolder folder;
  ChunkAllocator allocator(folder.path() / "cache", kMiB);
  const std::size_t before = resident_bytes();
  const Chunks chunks(allocator, 256 * kMiB / kChunk);
  CHECK(resident_bytes() < before + kMiB + 2 * ChunkAllocator::kBlockBytes);
  CHECK(allocator.use().heap_bytes <= kMiB);
  CHECK(allocator.use().file_bytes >= 255 * kMiB);
  CHECK(chunks.wrong() == 0);
  // The file is unlinked, so nothing can be left behind.
  CHECK(fs::is_empty(folder.path() / "cache"));
}

TEST_CASE("freed memory is reused") {
  const TempFolder folder;
  ChunkAllocator allocator(folder.path(), kMiB);
  for (int round = 0; round < 5; ++round) {
    const Chunks chunks(allocator, 50 * kMiB / kChunk);
    CHECK(chunks.wrong() == 0);
  }
  CHECK(allocator.use().heap_bytes == 0);
  CHECK(allocator.use().file_bytes == 64 * kMiB);
}

TEST_CASE("without a writable folder all memory comes from the heap") {
  for (const char* folder : {"", "/dev/null/nowhere"}) {
    ChunkAllocator allocator(folder, kMiB);
    const Chunks chunks(allocator, 8 * kMiB / kChunk);
    CHECK(chunks.wrong() == 0);
    CHECK(allocator.use().heap_bytes == 8 * kMiB);
    CHECK(allocator.use().file_bytes == 0);
  }
}

TEST_CASE("a day of eight ranks at ten steps a second stays within the limit") {
  constexpr Step kSteps = 24 * 3600 * 10;
  constexpr Rank kRanks = 8;
  const TempFolder cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const std::size_t before = resident_bytes();
  model::RunModel model;
  messages::StepReport report;
  report.samples = 32;
  report.correct = 16;
  report.lr = 0.1;
  report.grad_norm = 1;
  report.data_wait_ns = report.host_to_device_ns = report.forward_ns = report.backward_ns =
      20'000'000;
  report.exposed_comm_ns = report.optimizer_ns = 10'000'000;
  report.step_ns = 100'000'000;
  for (Step step = 0; step < kSteps; ++step) {
    report.step = step;
    for (Rank rank = 0; rank < kRanks; ++rank) {
      report.loss = static_cast<float>(step % 1000);
      model.accept({0, rank, static_cast<std::uint64_t>(step), step * 100'000'000}, report);
    }
  }
  CHECK(model.memory_bytes() > 400 * kMiB);
  CHECK(model::chunk_allocator().use().heap_bytes <= 128 * kMiB);
  std::vector<model::Extremes> columns(1920);
  for (const Rank rank : model.ranks()) {
    model.rank(rank)->series(model::Metric::kLoss).columns({0, double{kSteps}}, columns);
    CHECK(columns.front().lowest == 0);
    CHECK(columns.back().highest == 999);
  }
  const std::size_t grown = resident_bytes() - before;
  WARN("a day of 8 ranks: " << model.memory_bytes() / kMiB << " MiB of columns, " << grown / kMiB
                            << " MiB resident");
  CHECK(grown < 256 * kMiB);
}
