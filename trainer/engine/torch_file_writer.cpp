#include "trainer/engine/torch_file_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>
#include <torch/torch.h>

#include "trainer/dist/rendezvous.h"

namespace ringside::engine {
namespace {

struct WriteFailed {
  int error;
};

void write_all(int fd, const void* data, std::size_t left) {
  const auto* at = static_cast<const char*>(data);
  while (left > 0) {
    const ssize_t written = ::write(fd, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw WriteFailed{errno};
    at += written;
    left -= static_cast<std::size_t>(written);
  }
}

void write_archive(int fd, const c10::IValue& value) {
  std::string code;
  torch::jit::Pickler pickler(
      [&code](const char* data, std::size_t size) { code.append(data, size); }, nullptr, nullptr,
      nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(value);
  pickler.stop();
  // The writer keeps errors of its sink to itself, so the first one is kept here.
  int error = 0;
  const auto sink = [fd, &error](const void* data, std::size_t size) -> std::size_t {
    try {
      if (error == 0) write_all(fd, data, size);
    } catch (const WriteFailed& failed) {
      error = failed.error;
    }
    return size;
  };
  caffe2::serialize::PyTorchStreamWriter archive(sink);
  archive.writeRecord("data.pkl", code.data(), code.size());
  const auto& tensors = pickler.tensorData();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    archive.writeRecord("data/" + std::to_string(i), tensors[i].const_data_ptr(),
                        tensors[i].nbytes());
  }
  archive.writeEndOfFile();
  if (error != 0) throw WriteFailed{error};
}

}  // namespace

at::Tensor for_saving(const at::Tensor& tensor) {
  return tensor.detach().to(at::kCPU).clone(at::MemoryFormat::Contiguous);
}

Result<std::int64_t> write_torch_file(const std::filesystem::path& path, const c10::IValue& value) {
  const auto fail = [&path](const std::string& why) {
    return failure("cannot write " + path.string() + ": " + why);
  };
  std::string beside = path.string() + ".XXXXXX";
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return fail(std::strerror(errno));
  Result<std::int64_t> size = 0;
  try {
    write_archive(fd, value);
    if (::fsync(fd) != 0) throw WriteFailed{errno};
    size = static_cast<std::int64_t>(::lseek(fd, 0, SEEK_END));
  } catch (const WriteFailed& failed) {
    size = fail(std::strerror(failed.error));
  } catch (const std::exception& thrown) {
    size = fail(dist::describe(thrown));
  }
  ::close(fd);
  if (size && ::rename(beside.c_str(), path.c_str()) != 0) size = fail(std::strerror(errno));
  if (!size) ::unlink(beside.c_str());
  return size;
}

}  // namespace ringside::engine
