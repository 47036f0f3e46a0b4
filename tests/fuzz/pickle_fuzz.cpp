// The pickle in a file of torch.save, with one record of data. The zip file around it is valid.
#include <caffe2/serialize/inline_container.h>

#include "tests/fuzz/input.h"
#include "trainer/engine/checkpoint/pickle_reader.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string content;
  {
    caffe2::serialize::PyTorchStreamWriter archive([&](const void* bytes, std::size_t count) {
      content.append(static_cast<const char*>(bytes), count);
      return count;
    });
    archive.writeRecord("data.pkl", data, size);
    archive.writeRecord("data/0", "0123456789abcdef", 16);
    archive.writeEndOfFile();
  }
  const ringside::fuzz::MemoryFile file(content);
  (void)ringside::engine::read_torch_file(file.path());
  return 0;
}
