// A file of W&B, raw or (first byte odd) the fuzzer's bytes in blocks with correct checksums. The
// result is the same whether it is read at once or in parts.
#include "gui/watch/wandb_reader.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/pieces.h"
#include "tests/gui/watch/foreign_files.h"

using namespace ringside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto input = fuzz::text_of(data + 1, size - 1);
  testing::WandbFile file;
  if (data[0] % 2 == 1) file.add(input);
  if (data[0] % 2 == 0) file.bytes += input;
  fuzz::compare_pieces<watch::WandbReader>(file.bytes, 1 + data[0] / 2);
  return 0;
}
