// A safetensors file: a header with its length corrected and eight bytes of data, or (first byte
// odd) the input as it is. The resulting tensors have no more bytes than the file.
#include "trainer/engine/checkpoint/safetensors.h"

#include <torch/torch.h>

#include "tests/fuzz/input.h"

using namespace ringside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string content(fuzz::text_of(data + 1, size - 1));
  if (data[0] % 2 == 0) {
    const std::uint64_t length = content.size();
    content.insert(0, reinterpret_cast<const char*>(&length), sizeof length);
    content += "12345678";
  }
  const fuzz::MemoryFile file(content);
  const auto read = engine::read_safetensors(file.path());
  if (!read) return 0;
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : *read) bytes += tensor.nbytes();
  fuzz::require(bytes <= content.size());
  return 0;
}
