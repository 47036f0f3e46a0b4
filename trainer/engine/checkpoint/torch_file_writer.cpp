#include "trainer/engine/checkpoint/torch_file_writer.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>
#include <torch/torch.h>

#include "trainer/engine/checkpoint/atomic_file.h"

namespace ringside::engine {
namespace {

void write_archive(FileSink& file, const c10::IValue& value,
                   const std::vector<TextRecord>& records) {
  std::string code;
  torch::jit::Pickler pickler(
      [&code](const char* data, std::size_t size) { code.append(data, size); }, nullptr, nullptr,
      nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(value);
  pickler.stop();
  caffe2::serialize::PyTorchStreamWriter archive(
      [&file](const void* data, std::size_t size) -> std::size_t {
        file.write(data, size);
        return size;
      });
  archive.writeRecord("data.pkl", code.data(), code.size());
  const auto& tensors = pickler.tensorData();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    archive.writeRecord("data/" + std::to_string(i), tensors[i].const_data_ptr(),
                        tensors[i].nbytes());
  }
  for (const auto& [name, text] : records) archive.writeRecord(name, text.data(), text.size());
  archive.writeEndOfFile();
}

}  // namespace

at::Tensor for_saving(const at::Tensor& tensor) {
  return tensor.detach().to(at::kCPU).clone(at::MemoryFormat::Contiguous);
}

Result<std::int64_t> write_torch_file(const std::filesystem::path& path, const c10::IValue& value,
                                      const std::vector<TextRecord>& records) {
  return write_atomically(path, [&](FileSink& file) { write_archive(file, value, records); });
}

}  // namespace ringside::engine
