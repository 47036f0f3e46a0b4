// An IDX file with one to four dimensions, chosen by the first byte.
#include "trainer/data/idx.h"

#include <numeric>

#include "tests/fuzz/input.h"

using namespace ringside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t dimensions = 1 + data[0] % 4;
  const fuzz::MemoryFile file(fuzz::text_of(data + 1, size - 1));
  const auto read = data::read_idx(file.path(), dimensions);
  if (!read) return 0;
  fuzz::require(read->shape.size() == dimensions);
  const auto values =
      std::accumulate(read->shape.begin(), read->shape.end(), std::size_t{1}, std::multiplies<>());
  fuzz::require(read->values.size() == values);
  return 0;
}
