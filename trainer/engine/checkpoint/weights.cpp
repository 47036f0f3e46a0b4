#include "trainer/engine/checkpoint/weights.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <torch/torch.h>

#include "trainer/engine/checkpoint/safetensors.h"
#include "trainer/engine/checkpoint/torch_file_writer.h"

namespace ringside::engine {
namespace {

using models::NamedTensors;

constexpr std::size_t kListed = 6;  ///< maximum number of differences that an error lists
constexpr unsigned kDeepest = 4;    ///< maximum depth of a state dict in a checkpoint
// Limits against malicious files: a dict may be contained in many others, and a name may be as long
// as its file.
constexpr std::size_t kMostEntries = std::size_t{1} << 20;
constexpr std::size_t kLongestName = 1000;
// Attribute names of wrapper modules, which may occur anywhere in a name: torch.compile, FSDP,
// activation checkpointing.
constexpr std::array<std::string_view, 3> kWrappers = {"_orig_mod.", "_fsdp_wrapped_module.",
                                                       "_checkpoint_wrapped_module."};

/// Named tensors from one dict of the file.
struct Found {
  std::string entry;  ///< path of the dict: "state_dict", "callbacks/ema"; empty: the top level
  NamedTensors tensors;
};

/// Tensors of `found` whose names begin with `prefix`.
struct Fit {
  const Found* found;
  std::string prefix;
  std::map<std::string, at::Tensor> saved;  ///< by name without the prefix
};

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

// The batch counter of a batch norm layer, which PyTorch before 0.4.1 did not save and no model
// here uses.
bool may_be_missing(const std::string& name) { return name.ends_with(".num_batches_tracked"); }

// Reasons why `saved` is not a state dict for `state`, one sentence each.
std::vector<std::string> mismatches(const std::map<std::string, at::Tensor>& saved,
                                    const NamedTensors& state) {
  std::vector<std::string> wrong;
  std::set<std::string> known;
  for (const auto& [name, tensor] : state) {
    known.insert(name);
    const auto value = saved.find(name);
    if (value == saved.end()) {
      if (!may_be_missing(name))
        wrong.push_back(name + " " + shape_text(tensor) + " is missing in it");
    } else if (value->second.sizes() != tensor.sizes()) {
      wrong.push_back(name + " is " + shape_text(value->second) + " in it and " +
                      shape_text(tensor) + " here");
    }
  }
  for (const auto& [name, value] : saved) {
    if (!known.contains(name)) wrong.push_back(name + " is not known here");
  }
  return wrong;
}

std::string without_wrappers(std::string name) {
  for (const std::string_view wrapper : kWrappers) {
    for (std::size_t at = name.find(wrapper); at != name.npos; at = name.find(wrapper, at)) {
      if (at == 0 || name[at - 1] == '.') {
        name.erase(at, wrapper.size());
      } else {
        at += wrapper.size();
      }
    }
  }
  return name;
}

// Skips optimizer state, which may have the names and shapes of the weights.
bool is_looked_at(const std::string* name) {
  return name != nullptr && name->size() <= kLongestName && !name->starts_with("optim") &&
         !name->starts_with("OPTIM");
}

void find_tensors(const PickleValue& value, const std::string& entry, unsigned depth,
                  std::vector<Found>& found, std::size_t& entries) {
  if (value.dict() == nullptr || depth > kDeepest) return;
  const std::size_t place = found.size();
  found.push_back({entry, {}});
  for (const auto& [key, inside] : *value.dict()) {
    if (++entries > kMostEntries) break;
    const auto* name = key.get<std::string>();
    if (!is_looked_at(name)) continue;
    if (const at::Tensor* tensor = inside.tensor()) {
      found[place].tensors.emplace_back(without_wrappers(*name), *tensor);
    } else {
      find_tensors(inside, entry.empty() ? *name : entry + "/" + *name, depth + 1, found, entries);
    }
  }
  if (found[place].tensors.empty()) found.erase(found.begin() + static_cast<std::ptrdiff_t>(place));
}

std::string what_it_holds(const PickleValue& value) {
  std::vector<std::string> keys;
  if (value.dict() != nullptr) {
    for (const auto& [key, entry] : *value.dict()) {
      const auto* name = key.get<std::string>();
      if (name != nullptr && name->size() <= kLongestName) keys.push_back(*name);
    }
  }
  return keys.empty() ? "" : "; it holds " + joined(keys, ", ");
}

Result<std::vector<Found>> tensors_of(const PickleValue& file, const std::string& origin) {
  std::vector<Found> found;
  std::size_t entries = 0;
  find_tensors(file, "", 0, found, entries);
  if (entries > kMostEntries)
    return bad_request(origin + " holds more entries than any checkpoint");
  if (!found.empty()) return found;
  return bad_request(origin + " holds no weights by name (a state dict, or one as \"model\")" +
                     what_it_holds(file));
}

// For each prefix, the number of names of `state` that follow it with the same shape.
std::map<std::string, std::size_t> prefixes_of(const NamedTensors& tensors,
                                               const NamedTensors& state) {
  std::map<std::string, at::Tensor> wanted(state.begin(), state.end());
  std::erase_if(wanted, [](const auto& item) { return may_be_missing(item.first); });
  std::map<std::string, std::size_t> counts;
  for (const auto& [name, tensor] : tensors) {
    for (std::size_t at = 0; at < name.size() && name.size() <= kLongestName;) {
      const auto match = wanted.find(name.substr(at));
      if (match != wanted.end())
        counts[name.substr(0, at)] += match->second.sizes() == tensor.sizes();
      const std::size_t dot = name.find('.', at);
      at = dot == name.npos ? name.size() : dot + 1;
    }
  }
  return counts;
}

// Names that match a longer prefix in `whole` are not part of this one.
Fit behind_prefix(const Found& found, const std::string& prefix,
                  const std::vector<std::string>& whole) {
  Fit fit{&found, prefix, {}};
  for (const auto& [name, tensor] : found.tensors) {
    const auto inside = [&](const std::string& other) {
      return other.size() > prefix.size() && name.starts_with(other);
    };
    if (name.starts_with(prefix) && std::none_of(whole.begin(), whole.end(), inside))
      fit.saved.emplace(name.substr(prefix.size()), tensor);
  }
  return fit;
}

// All parts of `found` that fit `state`; if none does, the one that comes nearest.
std::vector<Fit> fits_in(const std::vector<Found>& found, const NamedTensors& state) {
  std::vector<Fit> fits;
  std::optional<Fit> nearest;
  std::size_t most = 0;
  const auto needed = static_cast<std::size_t>(std::count_if(
      state.begin(), state.end(), [](const auto& item) { return !may_be_missing(item.first); }));
  for (const Found& one : found) {
    const auto counts = prefixes_of(one.tensors, state);
    std::vector<std::string> whole;
    for (const auto& [prefix, count] : counts)
      if (count == needed) whole.push_back(prefix);
    for (const auto& [prefix, count] : counts) {
      Fit fit = behind_prefix(one, prefix, whole);
      if (count == needed && mismatches(fit.saved, state).empty()) {
        fits.push_back(std::move(fit));
      } else if (!nearest || count > most) {
        most = count;
        nearest = std::move(fit);
      }
    }
  }
  if (!fits.empty()) return fits;
  if (!nearest) nearest = behind_prefix(found.front(), "", {});
  return {std::move(*nearest)};
}

std::string place_of(const Fit& fit) {
  const std::string entry = fit.found->entry.empty() ? "" : "\"" + fit.found->entry + "\"";
  if (fit.prefix.empty()) return entry.empty() ? "the names as they are" : entry;
  return (entry.empty() ? "" : entry + ", ") + "names behind \"" + fit.prefix + "\"";
}

Result<void> copy_weights(const std::vector<Found>& found, const NamedTensors& state,
                          const std::string& origin) {
  const std::vector<Fit> fits = fits_in(found, state);
  const auto& saved = fits.front().saved;
  if (const auto wrong = mismatches(saved, state); !wrong.empty()) {
    const std::string where = found.size() == 1 && fits.front().prefix.empty()
                                  ? ""
                                  : " (nearest: " + place_of(fits.front()) + ")";
    return bad_request(origin + " is of another model" + where + ": " + joined(wrong, "; "));
  }
  const bool same = std::all_of(fits.begin() + 1, fits.end(), [&](const Fit& other) {
    return std::all_of(saved.begin(), saved.end(), [&](const auto& item) {
      const auto there = other.saved.find(item.first);
      return there == other.saved.end() || at::equal(item.second, there->second);
    });
  });
  if (!same) {
    std::vector<std::string> places;
    for (const Fit& fit : fits) places.push_back(place_of(fit));
    return bad_request(origin + " holds " + std::to_string(fits.size()) +
                       " sets of weights of this model that differ: " + joined(places, "; ") +
                       "; save the one that is meant in a file of its own, as "
                       "torch.save(torch.load(FILE)[\"model\"], NEW)");
  }
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : state) {
    const auto value = saved.find(name);
    value == saved.end() ? tensor.detach().zero_() : tensor.detach().copy_(value->second);
  }
  return {};
}

enum class Form { kTorch, kSafetensors, kPickle, kUnknown };

// Detects the format by the first bytes: a zip archive or torch's magic number; a header's length
// and its opening brace; another pickle.
Form form_of(const std::filesystem::path& path) {
  std::array<char, 9> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  if (std::string_view(begin.data(), 4) == "PK\x03\x04") return Form::kTorch;
  if (is_legacy_torch_file(path)) return Form::kTorch;
  if (begin[8] == '{' || path.extension() == ".safetensors") return Form::kSafetensors;
  if (begin[0] == '\x80' && begin[1] >= 2 && begin[1] <= 5) return Form::kPickle;
  return Form::kUnknown;
}

Result<std::vector<Found>> read_found(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return bad_request("there is no file " + path.string() + " to read weights from");
  switch (form_of(path)) {
    case Form::kSafetensors: {
      auto tensors = RINGSIDE_TRY(read_safetensors(path));
      for (auto& [name, tensor] : tensors) name = without_wrappers(name);
      return std::vector<Found>{{"", std::move(tensors)}};
    }
    case Form::kPickle:
      return bad_request(path.string() +
                         " is a pickle that torch.save did not write; load it in Python where you "
                         "trust it, and save its state dict with torch.save");
    case Form::kUnknown:
      return bad_request(
          path.string() +
          " is neither a file of torch.save nor safetensors; name a file of weights");
    case Form::kTorch:
      break;
  }
  auto file = RINGSIDE_TRY(read_torch_file(path));
  return tensors_of(file, path.string());
}

}  // namespace

Result<NamedTensors> read_weights(const std::filesystem::path& path) {
  auto found = RINGSIDE_TRY(read_found(path));
  NamedTensors& largest =
      std::max_element(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return a.tensors.size() < b.tensors.size();
      })->tensors;
  constexpr std::string_view kDdp = "module.";
  const bool wrapped = std::all_of(largest.begin(), largest.end(), [&](const auto& named) {
    return named.first.starts_with(kDdp);
  });
  for (auto& [name, tensor] : largest)
    if (wrapped) name.erase(0, kDdp.size());
  return std::move(largest);
}

Result<void> load_weights(const std::filesystem::path& path, const NamedTensors& state) {
  const auto found = RINGSIDE_TRY(read_found(path));
  return copy_weights(found, state, path.string());
}

Result<void> copy_state_dict(const PickleValue& saved, const NamedTensors& state,
                             const std::string& origin) {
  const auto found = RINGSIDE_TRY(tensors_of(saved, origin));
  return copy_weights(found, state, origin);
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
