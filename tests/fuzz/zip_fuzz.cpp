// The directory of a zip file, which is checked before LibTorch reads the file.
#include "tests/fuzz/input.h"
#include "trainer/engine/checkpoint/zip_checksums.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ringside::fuzz::MemoryFile file(ringside::fuzz::text_of(data, size));
  (void)ringside::engine::check_zip(file.path());
  return 0;
}
