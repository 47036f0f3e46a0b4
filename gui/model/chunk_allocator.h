// Memory for the chunks of columns: from the heap up to a budget, beyond it in a mapped, unlinked
// file in the user's cache folder. The kernel can evict its pages, so that the resident memory of a
// window stays bounded however long its runs are. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <vector>

namespace ringside::model {

class ChunkAllocator {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{16} << 20;

  /// `folder` is created and written to once the budget is spent; if that fails, or would leave too
  /// little disk space, all memory comes from the heap.
  ChunkAllocator(std::filesystem::path folder, std::size_t heap_bytes);
  ~ChunkAllocator();
  ChunkAllocator(const ChunkAllocator&) = delete;
  ChunkAllocator& operator=(const ChunkAllocator&) = delete;

  /// Memory for `bytes`, at most one block, aligned to a cache line. Throws std::bad_alloc.
  void* allocate(std::size_t bytes);
  /// Frees memory from `allocate`; `bytes` must be the same.
  void deallocate(void* chunk, std::size_t bytes) noexcept;

  struct Use {
    std::size_t heap_bytes = 0;
    std::size_t file_bytes = 0;  ///< size of the file, including free parts of its blocks
  };
  Use use() const;

 private:
  struct Block {
    std::byte* begin = nullptr;
    std::size_t used = 0;  ///< bytes from its beginning
    std::size_t live = 0;  ///< bytes that are still allocated
  };
  Block* room_for(std::size_t bytes);
  bool open_file();
  bool add_block();

  const std::filesystem::path folder_;
  const std::size_t heap_budget_;
  mutable std::mutex mutex_;
  std::size_t heap_bytes_ = 0;
  std::vector<Block> blocks_;
  std::size_t current_ = 0;  ///< index of the block that is being filled
  int file_ = -1;
  bool refused_ = false;  ///< the file could not be created, and this is not retried
};

/// The allocator of all columns of this process.
ChunkAllocator& chunk_allocator();

}  // namespace ringside::model
