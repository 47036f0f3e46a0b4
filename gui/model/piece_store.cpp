#include "gui/model/piece_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "protocol/base/user_folders.h"

namespace ringside::model {
namespace {

/// A day of one rank at 10 Hz takes 59 MB: four hours of eight ranks stay on the heap.
constexpr std::size_t kHeapBytes = std::size_t{128} << 20;
/// The disk belongs to the logs and checkpoints of runs.
constexpr std::size_t kLeastFreeBytes = std::size_t{2} << 30;
/// Of a cache line, so that 16 floats from a place that 16 divides are one line.
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

PieceStore::PieceStore(std::filesystem::path folder, std::size_t heap_bytes)
    : folder_(std::move(folder)), heap_budget_(heap_bytes) {}

PieceStore::~PieceStore() {
  for (const Chunk& chunk : chunks_) ::munmap(chunk.begin, kChunkBytes);
  if (file_ >= 0) ::close(file_);
}

void* PieceStore::take(std::size_t bytes) {
  bytes = whole_lines(bytes);
  {
    const std::lock_guard lock(mutex_);
    if (heap_bytes_ + bytes > heap_budget_) {
      if (Chunk* const chunk = room_for(bytes)) {
        void* const piece = chunk->begin + chunk->used;
        chunk->used += bytes;
        chunk->live += bytes;
        return piece;
      }
    }
    heap_bytes_ += bytes;
  }
  return ::operator new(bytes, kAlignment);
}

void PieceStore::give_back(void* piece, std::size_t bytes) noexcept {
  bytes = whole_lines(bytes);
  {
    const std::lock_guard lock(mutex_);
    const auto* const at = static_cast<std::byte*>(piece);
    const auto chunk = std::find_if(chunks_.begin(), chunks_.end(), [at](const Chunk& one) {
      return at >= one.begin && at < one.begin + kChunkBytes;
    });
    if (chunk != chunks_.end()) {
      chunk->live -= bytes;
      if (chunk->live == 0) chunk->used = 0;
      return;
    }
    heap_bytes_ -= bytes;
  }
  ::operator delete(piece, kAlignment);
}

PieceStore::Use PieceStore::use() const {
  const std::lock_guard lock(mutex_);
  return {heap_bytes_, chunks_.size() * kChunkBytes};
}

PieceStore::Chunk* PieceStore::room_for(std::size_t bytes) {
  if (current_ < chunks_.size() && chunks_[current_].used + bytes <= kChunkBytes)
    return &chunks_[current_];
  const auto empty = std::find_if(chunks_.begin(), chunks_.end(),
                                  [](const Chunk& chunk) { return chunk.live == 0; });
  const auto next = static_cast<std::size_t>(empty - chunks_.begin());
  if (next == chunks_.size() && !add_chunk()) return nullptr;
  current_ = next;
  // What is full goes out of memory now; what is still read comes back page by page.
  for (const Chunk& chunk : chunks_) {
    if (&chunk != &chunks_[current_]) ::madvise(chunk.begin, kChunkBytes, MADV_DONTNEED);
  }
  return &chunks_[current_];
}

bool PieceStore::open_file() {
  if (folder_.empty()) return false;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  std::string name = (folder_ / "columns.XXXXXX").string();
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) return false;
  ::unlink(name.c_str());
  return true;
}

bool PieceStore::add_chunk() {
  if (refused_) return false;
  refused_ = true;
  if (file_ < 0 && !open_file()) return false;
  struct statvfs disk {};
  if (::fstatvfs(file_, &disk) != 0 || disk.f_bavail * disk.f_frsize < kLeastFreeBytes)
    return false;
  const auto offset = static_cast<off_t>(chunks_.size() * kChunkBytes);
  // Room on the disk is taken now: a page that finds none when it is written ends the process.
  if (::posix_fallocate(file_, offset, static_cast<off_t>(kChunkBytes)) != 0) return false;
  void* const begin =
      ::mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, offset);
  if (begin == MAP_FAILED) return false;
  chunks_.push_back({static_cast<std::byte*>(begin), 0, 0});
  refused_ = false;
  return true;
}

PieceStore& piece_store() {
  static PieceStore store(cache_folder(), kHeapBytes);
  return store;
}

}  // namespace ringside::model
