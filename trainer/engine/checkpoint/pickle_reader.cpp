#include "trainer/engine/checkpoint/pickle_reader.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <span>
#include <string_view>

#include <caffe2/serialize/inline_container.h>
#include <torch/torch.h>

#include "trainer/dist/rendezvous.h"
#include "trainer/engine/checkpoint/refused.h"
#include "trainer/engine/checkpoint/unpickler.h"
#include "trainer/engine/checkpoint/zip_checksums.h"

namespace ringside::engine {
namespace {

namespace fs = std::filesystem;

// torch.serialization.MAGIC_NUMBER in pickled form.
constexpr std::string_view kMagic =
    "\x8a\x0al\xfc\x9c"
    "F\xf9 j\xa8P\x19.";
constexpr std::size_t kMagicWithin = 32;
// Limit for the pickles before the data; those of a checkpoint with a thousand tensors take 200 KB.
constexpr std::size_t kMostPickleBytes = std::size_t{64} << 20;

PickleValue read_zip(const fs::path& path) {
  caffe2::serialize::PyTorchStreamReader archive(path.string());
  if (!archive.hasRecord("data.pkl")) throw Refused{"it was not written by torch.save"};
  const auto data_of = [&archive](const std::string& key, at::ScalarType type, std::int64_t count) {
    if (!archive.hasRecord("data/" + key))
      throw Refused{"the data of storage " + key + " are missing"};
    const auto [data, size] = archive.getRecord("data/" + key);
    const std::size_t bytes = static_cast<std::size_t>(count) * c10::elementSize(type);
    if (size != bytes)
      throw Refused{"storage " + key + " has " + std::to_string(size) + " bytes instead of " +
                    std::to_string(bytes)};
    at::Tensor elements = at::empty({count}, at::TensorOptions().dtype(type));
    if (bytes > 0) std::memcpy(elements.mutable_data_ptr(), data.get(), bytes);
    return elements;
  };
  const auto [code, size] = archive.getRecord("data.pkl");
  std::span<const char> left(static_cast<const char*>(code.get()), size);
  return unpickle(left, data_of, fs::file_size(path));
}

std::string beginning_of(std::ifstream& file, std::size_t most) {
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(file.gcount()));
  file.clear();
  return text;
}

// Reads the format before PyTorch 1.6: pickles of a magic number, a version, system information,
// the value and the keys of its storages; then for each storage its number of elements and its
// data.
PickleValue read_legacy(const fs::path& path) {
  const std::uint64_t file_bytes = fs::file_size(path);
  std::ifstream file(path, std::ios::binary);
  const std::string begin =
      beginning_of(file, std::min<std::uint64_t>(file_bytes, kMostPickleBytes));
  std::span<const char> left(begin);
  const StorageData none = [](const std::string&, at::ScalarType, std::int64_t) -> at::Tensor {
    throw Refused{"data where none belong"};
  };
  left = left.subspan(begin.find(kMagic) + kMagic.size());
  unpickle(left, none, 0);
  const PickleValue machine = unpickle(left, none, 0);
  const auto* order = machine.find("little_endian");
  if (order == nullptr || order->get<bool>() == nullptr || !*order->get<bool>())
    throw Refused{"it is of a machine with another order of bytes"};
  // Filled below; limited by the size of the file.
  std::map<std::string, at::Tensor, std::less<>> storages;
  std::uint64_t free_bytes = file_bytes;
  const StorageData later = [&](const std::string& key, at::ScalarType type, std::int64_t count) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(count) * c10::elementSize(type);
    if (bytes > free_bytes) throw Refused{"the data of storage " + key + " are missing"};
    free_bytes -= bytes;
    return storages.emplace(key, at::empty({count}, at::TensorOptions().dtype(type))).first->second;
  };
  PickleValue value = unpickle(left, later, file_bytes);
  const PickleValue keys = unpickle(left, none, 0);
  file.seekg(static_cast<std::streamoff>(begin.size() - left.size()));
  if (keys.list() == nullptr) throw Refused{"the keys of its storages are missing"};
  for (const PickleValue& key : *keys.list()) {
    const auto* name = key.get<std::string>();
    const auto storage = name == nullptr ? storages.end() : storages.find(*name);
    if (storage == storages.end())
      throw Refused{"it has data of a storage that nothing is made of"};
    std::int64_t count = 0;
    file.read(reinterpret_cast<char*>(&count), sizeof count);
    at::Tensor& elements = storage->second;
    if (!file || count != elements.numel())
      throw Refused{"storage " + *name + " has another number of elements than its tensors"};
    file.read(static_cast<char*>(elements.mutable_data_ptr()),
              static_cast<std::streamsize>(elements.nbytes()));
    if (!file) throw Refused{"it ends within the data of storage " + *name};
    storages.erase(storage);
  }
  if (!storages.empty())
    throw Refused{"the data of storage " + storages.begin()->first + " are missing"};
  return value;
}

}  // namespace

bool is_legacy_torch_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return beginning_of(file, kMagicWithin).find(kMagic) != std::string::npos;
}

Result<PickleValue> read_torch_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return bad_request("there is no file " + path.string() + " to read weights from");
  }
  try {
    if (is_legacy_torch_file(path)) return read_legacy(path);
    RINGSIDE_TRY(check_zip(path));
    return read_zip(path);
  } catch (const Refused& refused) {
    return bad_request("cannot read " + path.string() + ": " + refused.why);
  } catch (const std::exception& thrown) {
    return bad_request("cannot read " + path.string() +
                       " as a file of torch.save: " + dist::describe(thrown));
  }
}

}  // namespace ringside::engine
