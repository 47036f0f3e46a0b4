#include "trainer/engine/checkpoint/weights.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <torch/torch.h>

#include "trainer/engine/checkpoint/safetensors.h"
#include "trainer/engine/checkpoint/torch_file_writer.h"

namespace ringside::engine {
namespace {

using models::NamedTensors;

constexpr std::size_t kListed = 6;  ///< differences that an error names one by one

// Where training programs keep the state dict in a checkpoint.
constexpr std::array<const char*, 4> kModelEntries = {"model", "state_dict", "model_state_dict",
                                                      "MODEL_STATE"};

std::string shape_text(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

std::string joined(const std::vector<std::string>& sentences, const char* between) {
  std::string text;
  for (std::size_t i = 0; i < sentences.size() && i < kListed; ++i)
    text += (i == 0 ? "" : between) + sentences[i];
  if (sentences.size() > kListed)
    text += between + ("and " + std::to_string(sentences.size() - kListed)) + " more";
  return text;
}

// What keeps `saved` from being a state dict of `state`, as sentences.
std::vector<std::string> mismatches(const std::map<std::string, at::Tensor>& saved,
                                    const NamedTensors& state) {
  std::vector<std::string> found;
  std::set<std::string> known;
  for (const auto& [name, tensor] : state) {
    known.insert(name);
    const auto value = saved.find(name);
    if (value == saved.end()) {
      found.push_back(name + " " + shape_text(tensor) + " is missing in it");
    } else if (value->second.sizes() != tensor.sizes()) {
      found.push_back(name + " is " + shape_text(value->second) + " in it and " +
                      shape_text(tensor) + " here");
    }
  }
  for (const auto& [name, value] : saved) {
    if (!known.contains(name)) found.push_back(name + " is not known here");
  }
  return found;
}

Result<void> copy_weights(const NamedTensors& saved, const NamedTensors& state,
                          const std::string& origin) {
  const std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
  if (const auto wrong = mismatches(by_name, state); !wrong.empty()) {
    return bad_request(origin + " is of another model: " + joined(wrong, "; "));
  }
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) tensor.detach().copy_(by_name.at(name));
  return {};
}

// The entries when all of them are tensors with a name; empty when `value` is something else.
NamedTensors named_tensors(const PickleValue& value) {
  NamedTensors tensors;
  if (value.dict() == nullptr) return tensors;
  for (const auto& [key, entry] : *value.dict()) {
    const auto* name = key.get<std::string>();
    if (name == nullptr || entry.tensor() == nullptr) return {};
    tensors.emplace_back(*name, *entry.tensor());
  }
  return tensors;
}

std::string what_it_holds(const PickleValue& value) {
  std::vector<std::string> keys;
  if (value.dict() != nullptr) {
    for (const auto& [key, entry] : *value.dict()) {
      if (const auto* name = key.get<std::string>()) keys.push_back(*name);
    }
  }
  return keys.empty() ? "" : "; it holds " + joined(keys, ", ");
}

Result<NamedTensors> state_dict_of(const PickleValue& file, const std::string& origin) {
  if (auto whole = named_tensors(file); !whole.empty()) return whole;
  for (const char* entry : kModelEntries) {
    const PickleValue* inside = file.find(entry);
    if (inside == nullptr) continue;
    if (auto tensors = named_tensors(*inside); !tensors.empty()) return tensors;
  }
  return bad_request(origin + " holds no weights by name (a state dict, or one as \"model\")" +
                     what_it_holds(file));
}

void take_off_prefix(NamedTensors& tensors, const std::string& prefix) {
  const bool everywhere = std::all_of(tensors.begin(), tensors.end(), [&](const auto& item) {
    return item.first.starts_with(prefix);
  });
  if (!everywhere) return;
  for (auto& [name, tensor] : tensors) name.erase(0, prefix.size());
}

enum class Form { kTorch, kSafetensors, kLegacyTorch, kUnknown };

// By the first bytes: a zip archive; a header's length and its opening brace; a bare pickle.
Form form_of(const std::filesystem::path& path) {
  std::array<char, 9> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  if (std::string_view(begin.data(), 4) == "PK\x03\x04") return Form::kTorch;
  if (begin[8] == '{' || path.extension() == ".safetensors") return Form::kSafetensors;
  if (begin[0] == '\x80' && begin[1] >= 2 && begin[1] <= 5) return Form::kLegacyTorch;
  return Form::kUnknown;
}

Result<NamedTensors> read_named(const std::filesystem::path& path) {
  switch (form_of(path)) {
    case Form::kSafetensors:
      return read_safetensors(path);
    case Form::kLegacyTorch:
      return bad_request(path.string() +
                         " has the form that torch.save had before version 1.6; load it in Python "
                         "and save it again");
    case Form::kUnknown:
      return bad_request(
          path.string() +
          " is neither a file of torch.save nor safetensors; name a file of weights");
    case Form::kTorch:
      break;
  }
  auto file = read_torch_file(path);
  if (!file) return pass(file);
  return state_dict_of(*file, path.string());
}

}  // namespace

Result<NamedTensors> read_weights(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return bad_request("there is no file " + path.string() + " to read weights from");
  auto tensors = read_named(path);
  if (tensors) take_off_prefix(*tensors, "module.");
  return tensors;
}

Result<void> load_weights(const std::filesystem::path& path, const NamedTensors& state) {
  const auto saved = read_weights(path);
  if (!saved) return pass(saved);
  return copy_weights(*saved, state, path.string());
}

Result<void> copy_state_dict(const PickleValue& saved, const NamedTensors& state,
                             const std::string& origin) {
  const auto tensors = state_dict_of(saved, origin);
  if (!tensors) return pass(tensors);
  return copy_weights(*tensors, state, origin);
}

Result<void> save_weights(const std::filesystem::path& path, const NamedTensors& state) {
  if (path.extension() == ".safetensors") {
    const auto written = write_safetensors(path, state);
    if (!written) return pass(written);
    return {};
  }
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  for (const auto& [name, tensor] : state) dict.insert(name, for_saving(tensor));
  const auto written = write_torch_file(path, dict);
  if (!written) return pass(written);
  return {};
}

}  // namespace ringside::engine
