// An event file of TensorBoard, raw or (first byte odd) the fuzzer's bytes with correct checksums.
// The result is the same whether it is read at once or in parts.
#include "gui/export/tf_events.h"
#include "gui/watch/tensorboard_reader.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/pieces.h"

using namespace ringside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string file(fuzz::text_of(data + 1, size - 1));
  if (data[0] % 2 == 1) {
    std::string sealed;
    exporting::append_tf_record(sealed, file);
    file = std::move(sealed);
  }
  fuzz::compare_pieces<watch::TensorBoardReader>(file, 1 + data[0] / 2);
  return 0;
}
