#include "trainer/engine/weights.h"

#include <set>
#include <sstream>

#include <torch/torch.h>

#include "trainer/engine/torch_file_writer.h"

namespace ringside::engine {
namespace {

constexpr std::size_t kListed = 6;  ///< differences that an error names one by one

std::string shape_text(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

// What keeps `saved` from being a state dict of `state`, as sentences.
std::vector<std::string> mismatches(const PickleValue& saved, const models::NamedTensors& state) {
  std::vector<std::string> found;
  std::set<std::string> known;
  for (const auto& [name, tensor] : state) {
    known.insert(name);
    const PickleValue* entry = saved.find(name);
    const at::Tensor* value = entry == nullptr ? nullptr : entry->tensor();
    if (value == nullptr) {
      found.push_back(name + " " + shape_text(tensor) + " is missing in it");
    } else if (value->sizes() != tensor.sizes()) {
      found.push_back(name + " is " + shape_text(*value) + " in it and " + shape_text(tensor) +
                      " here");
    }
  }
  for (const auto& [key, value] : *saved.dict()) {
    const auto* name = key.get<std::string>();
    if (name != nullptr && !known.contains(*name)) found.push_back(*name + " is not known here");
  }
  return found;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (std::size_t i = 0; i < sentences.size() && i < kListed; ++i)
    text += (i == 0 ? "" : "; ") + sentences[i];
  if (sentences.size() > kListed)
    text += "; and " + std::to_string(sentences.size() - kListed) + " more";
  return text;
}

}  // namespace

Result<void> copy_state_dict(const PickleValue& saved, const models::NamedTensors& state,
                             const std::string& origin) {
  if (saved.dict() == nullptr)
    return bad_request(origin + " holds no weights by name (state_dict)");
  if (const auto wrong = mismatches(saved, state); !wrong.empty()) {
    return bad_request(origin + " is of another model: " + joined(wrong));
  }
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) tensor.detach().copy_(*saved.find(name)->tensor());
  return {};
}

Result<void> load_weights(const std::filesystem::path& path, const models::NamedTensors& state) {
  auto file = read_torch_file(path);
  if (!file) return pass(file);
  const PickleValue* model = file->find("model");
  const bool inside = model != nullptr && model->dict() != nullptr;
  return copy_state_dict(inside ? *model : *file, state, path.string());
}

Result<void> save_weights(const std::filesystem::path& path, const models::NamedTensors& state) {
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  for (const auto& [name, tensor] : state) dict.insert(name, for_saving(tensor));
  auto written = write_torch_file(path, dict);
  if (!written) return pass(written);
  return {};
}

}  // namespace ringside::engine
