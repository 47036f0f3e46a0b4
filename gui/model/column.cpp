#include "gui/model/column.h"

#include "gui/model/chunk_allocator.h"

namespace ringside::model {

void* allocate_chunk(std::size_t bytes) { return chunk_allocator().allocate(bytes); }

void deallocate_chunk(void* chunk, std::size_t bytes) noexcept {
  chunk_allocator().deallocate(chunk, bytes);
}

}  // namespace ringside::model
