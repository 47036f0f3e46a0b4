#include "trainer/engine/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <set>

#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include "trainer/dist/rendezvous.h"
#include "trainer/engine/checkpoint/atomic_file.h"
#include "trainer/engine/checkpoint/refused.h"
#include "trainer/engine/checkpoint/torch_file_writer.h"

namespace ringside::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "the form stores little-endian numbers");

using nlohmann::json;

// Limit for the header, which for a network of a thousand tensors has 100 kB.
constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{16} << 20U;
constexpr std::size_t kMostTensorDimensions = 64;

struct DataType {
  const char* name = nullptr;
  at::ScalarType type = at::kFloat;
};

constexpr std::array<DataType, 10> kDataTypes = {{{"F64", at::kDouble},
                                                  {"F32", at::kFloat},
                                                  {"F16", at::kHalf},
                                                  {"BF16", at::kBFloat16},
                                                  {"I64", at::kLong},
                                                  {"I32", at::kInt},
                                                  {"I16", at::kShort},
                                                  {"I8", at::kChar},
                                                  {"U8", at::kByte},
                                                  {"BOOL", at::kBool}}};

// Position of a tensor in the data of the file.
struct Entry {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::uint64_t unsigned_of(const json& value, const std::string& what) {
  if (!value.is_number_unsigned()) throw Refused{what + " holds what is not a number of bytes"};
  return value.get<std::uint64_t>();
}

at::ScalarType type_of(const json& name, const std::string& tensor) {
  for (const DataType& known : kDataTypes) {
    if (name == known.name) return known.type;
  }
  throw Refused{tensor + " has elements of type " + name.dump() + ", which is not supported"};
}

// Size of a tensor in bytes; refuses shapes that overflow 64 bits.
std::uint64_t bytes_of(const Entry& entry, const std::string& tensor) {
  std::uint64_t bytes = c10::elementSize(entry.type);
  for (const std::int64_t side : entry.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(side), &bytes) ||
        bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw Refused{tensor + " has a shape of more elements than can be"};
    }
  }
  return bytes;
}

Entry entry_of(const std::string& name, const json& fields) {
  const std::string tensor = "tensor \"" + name + "\"";
  if (!fields.is_object() || !fields.contains("dtype") || !fields.contains("shape") ||
      !fields.contains("data_offsets")) {
    throw Refused{tensor + " lacks dtype, shape or data_offsets"};
  }
  const json& shape = fields["shape"];
  const json& offsets = fields["data_offsets"];
  if (!shape.is_array() || shape.size() > kMostTensorDimensions)
    throw Refused{tensor + " has no readable shape"};
  if (!offsets.is_array() || offsets.size() != 2)
    throw Refused{tensor + " has no readable data_offsets"};
  Entry entry;
  entry.name = name;
  entry.type = type_of(fields["dtype"], tensor);
  for (const json& side : shape) {
    const std::uint64_t length = unsigned_of(side, "the shape of " + tensor);
    if (length > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      throw Refused{tensor + " has a shape of more elements than can be"};
    entry.shape.push_back(static_cast<std::int64_t>(length));
  }
  entry.begin = unsigned_of(offsets[0], "data_offsets of " + tensor);
  entry.end = unsigned_of(offsets[1], "data_offsets of " + tensor);
  const std::uint64_t bytes = bytes_of(entry, tensor);
  if (entry.end < entry.begin || entry.end - entry.begin != bytes) {
    throw Refused{tensor + " needs " + std::to_string(bytes) + " bytes, but its data_offsets are " +
                  std::to_string(entry.begin) + " and " + std::to_string(entry.end)};
  }
  return entry;
}

// Stops parsing at a duplicate name, or at nesting that the format does not use. This is a separate
// pass, since a callback of json::parse takes quadratic time in the number of tensors.
struct HeaderCheck : nlohmann::json_sax<json> {
  std::set<std::string> names;
  int depth = 0;

  bool open() {
    if (++depth > 3) throw Refused{"its header is nested too deep"};
    return true;
  }
  bool close() { return --depth >= 0; }
  bool key(std::string& name) override {
    if (depth == 1 && !names.insert(name).second)
      throw Refused{"its header names " + json(name).dump() + " twice"};
    return true;
  }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(json::binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }
};

json parsed(const std::string& header) {
  HeaderCheck check;
  const bool readable = json::sax_parse(header, &check);
  json whole = readable ? json::parse(header, nullptr, /*allow_exceptions=*/false) : json();
  if (!whole.is_object()) throw Refused{"its header is not a JSON object"};
  return whole;
}

// Entries in the order of their data, which must be contiguous without overlap.
std::vector<Entry> entries_of(const std::string& header, std::uint64_t data_bytes) {
  std::vector<Entry> entries;
  const json whole = parsed(header);
  for (const auto& [name, fields] : whole.items()) {
    if (name != "__metadata__") entries.push_back(entry_of(name, fields));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::uint64_t reached = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != reached) {
      throw Refused{"the data of tensor \"" + entry.name + "\" " +
                    (entry.begin < reached ? "overlap others" : "leave a gap before them")};
    }
    reached = entry.end;
  }
  if (reached != data_bytes) {
    throw Refused{"its tensors need " + std::to_string(reached) + " bytes of data, it has " +
                  std::to_string(data_bytes)};
  }
  return entries;
}

void read_bytes(std::ifstream& file, void* to, std::uint64_t count) {
  if (!file.read(static_cast<char*>(to), static_cast<std::streamsize>(count)))
    throw Refused{"it ends too early"};
}

models::NamedTensors read_all(std::ifstream& file, std::uint64_t file_bytes) {
  std::uint64_t header_bytes = 0;
  if (file_bytes < sizeof header_bytes) throw Refused{"it is too short for a header"};
  read_bytes(file, &header_bytes, sizeof header_bytes);
  const std::uint64_t rest = file_bytes - sizeof header_bytes;
  if (header_bytes > std::min(rest, kMostHeaderBytes)) {
    throw Refused{"it claims a header of " + std::to_string(header_bytes) + " bytes, and " +
                  std::to_string(std::min(rest, kMostHeaderBytes)) + " are the most there can be"};
  }
  std::string header(header_bytes, '\0');
  read_bytes(file, header.data(), header_bytes);
  models::NamedTensors tensors;
  for (const Entry& entry : entries_of(header, rest - header_bytes)) {
    at::Tensor tensor = at::empty(
        entry.shape, at::TensorOptions().dtype(entry.type == at::kBool ? at::kByte : entry.type));
    if (tensor.nbytes() > 0) read_bytes(file, tensor.mutable_data_ptr(), tensor.nbytes());
    tensors.emplace_back(entry.name, tensor.to(entry.type));
  }
  return tensors;
}

const char* name_of(at::ScalarType type) {
  for (const DataType& known : kDataTypes) {
    if (type == known.type) return known.name;
  }
  return nullptr;
}

}  // namespace

Result<models::NamedTensors> read_safetensors(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file)
    return bad_request("there is no file " + path.string() + " to read weights from");
  const auto refuse = [&path](const std::string& why) {
    return bad_request("cannot read " + path.string() + " as safetensors: " + why);
  };
  try {
    return read_all(file, size);
  } catch (const Refused& refused) {
    return refuse(refused.why);
  } catch (const std::exception& thrown) {
    return refuse(dist::describe(thrown));
  }
}

Result<std::int64_t> write_safetensors(const std::filesystem::path& path,
                                       const models::NamedTensors& tensors) {
  models::NamedTensors sorted;
  for (const auto& [name, tensor] : tensors) {
    if (name_of(tensor.scalar_type()) == nullptr) {
      return bad_request("safetensors cannot hold \"" + name + "\" with elements of type " +
                         c10::toString(tensor.scalar_type()));
    }
    sorted.emplace_back(name, for_saving(tensor));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.element_size() > b.second.element_size();
  });
  nlohmann::ordered_json header;
  // The framework that wrote it, which some readers require.
  header["__metadata__"] = {{"format", "pt"}};
  std::uint64_t at = 0;
  for (const auto& [name, tensor] : sorted) {
    header[name] = {{"dtype", name_of(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {at, at + tensor.nbytes()}}};
    at += tensor.nbytes();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return write_atomically(path, [&](FileSink& file) {
    const std::uint64_t length = text.size();
    file.write(&length, sizeof length);
    file.write(text.data(), text.size());
    for (const auto& [name, tensor] : sorted) file.write(tensor.const_data_ptr(), tensor.nbytes());
  });
}

}  // namespace ringside::engine
