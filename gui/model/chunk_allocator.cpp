#include "gui/model/chunk_allocator.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "protocol/host/platform.h"
#include "protocol/host/user_folders.h"

namespace ringside::model {
namespace {

/// Heap budget. A rank needs 59 MB per day at 10 Hz, so four hours of eight ranks stay on the heap.
constexpr std::size_t kHeapBytes = std::size_t{128} << 20;
/// Disk space that is left free for the logs and checkpoints of runs.
constexpr std::size_t kLeastFreeBytes = std::size_t{2} << 30;
/// Alignment to a cache line, so that 16 floats whose first index is divisible by 16 share a line.
constexpr std::align_val_t kAlignment{64};

std::filesystem::path cache_folder() {
  const auto cache = user_folder("XDG_CACHE_HOME", ".cache");
  return cache ? *cache / "ringside" : std::filesystem::path();
}

std::size_t whole_lines(std::size_t bytes) {
  constexpr auto kLine = static_cast<std::size_t>(kAlignment);
  return (bytes + kLine - 1) / kLine * kLine;
}

}  // namespace

ChunkAllocator::ChunkAllocator(std::filesystem::path folder, std::size_t heap_bytes)
    : folder_(std::move(folder)), heap_budget_(heap_bytes) {}

ChunkAllocator::~ChunkAllocator() {
  for (const Block& block : blocks_) ::munmap(block.begin, kBlockBytes);
  if (file_ >= 0) ::close(file_);
}

void* ChunkAllocator::allocate(std::size_t bytes) {
  bytes = whole_lines(bytes);
  {
    const std::lock_guard lock(mutex_);
    if (heap_bytes_ + bytes > heap_budget_) {
      if (Block* const block = room_for(bytes)) {
        void* const chunk = block->begin + block->used;
        block->used += bytes;
        block->live += bytes;
        return chunk;
      }
    }
    heap_bytes_ += bytes;
  }
  return ::operator new(bytes, kAlignment);
}

void ChunkAllocator::deallocate(void* chunk, std::size_t bytes) noexcept {
  bytes = whole_lines(bytes);
  {
    const std::lock_guard lock(mutex_);
    const auto* const at = static_cast<std::byte*>(chunk);
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [at](const Block& one) {
      return at >= one.begin && at < one.begin + kBlockBytes;
    });
    if (block != blocks_.end()) {
      block->live -= bytes;
      if (block->live == 0) block->used = 0;
      return;
    }
    heap_bytes_ -= bytes;
  }
  ::operator delete(chunk, kAlignment);
}

ChunkAllocator::Use ChunkAllocator::use() const {
  const std::lock_guard lock(mutex_);
  return {heap_bytes_, blocks_.size() * kBlockBytes};
}

ChunkAllocator::Block* ChunkAllocator::room_for(std::size_t bytes) {
  if (current_ < blocks_.size() && blocks_[current_].used + bytes <= kBlockBytes)
    return &blocks_[current_];
  const auto empty = std::find_if(blocks_.begin(), blocks_.end(),
                                  [](const Block& block) { return block.live == 0; });
  const auto next = static_cast<std::size_t>(empty - blocks_.begin());
  if (next == blocks_.size() && !add_block()) return nullptr;
  current_ = next;
  // Full blocks are evicted now; pages that are still read are loaded again.
  for (const Block& block : blocks_) {
    if (&block != &blocks_[current_]) ::madvise(block.begin, kBlockBytes, MADV_DONTNEED);
  }
  return &blocks_[current_];
}

bool ChunkAllocator::open_file() {
  if (folder_.empty()) return false;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  std::string name = (folder_ / "columns.XXXXXX").string();
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) return false;
  ::unlink(name.c_str());
  return true;
}

bool ChunkAllocator::add_block() {
  if (refused_) return false;
  refused_ = true;
  if (file_ < 0 && !open_file()) return false;
  struct statvfs disk {};
  if (::fstatvfs(file_, &disk) != 0 || disk.f_bavail * disk.f_frsize < kLeastFreeBytes)
    return false;
  const auto offset = static_cast<off_t>(blocks_.size() * kBlockBytes);
  // Disk space is reserved now: if there were none when a page is written back, the process would
  // be killed.
  if (!reserve_space(file_, offset, static_cast<off_t>(kBlockBytes))) return false;
  void* const begin =
      ::mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, offset);
  if (begin == MAP_FAILED) return false;
  blocks_.push_back({static_cast<std::byte*>(begin), 0, 0});
  refused_ = false;
  return true;
}

ChunkAllocator& chunk_allocator() {
  static ChunkAllocator allocator(cache_folder(), kHeapBytes);
  return allocator;
}

}  // namespace ringside::model
