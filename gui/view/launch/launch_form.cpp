#include "gui/view/launch/launch_form.h"

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "gui/launch/preflight/fast.h"
#include "gui/view/launch/launch_parts.h"
#include "gui/view/number_format.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/data_facts.h"
#include "protocol/messages/spec/model_facts.h"
#include "protocol/messages/spec/settings.h"
#include "protocol/messages/spec/spec_fields.h"

namespace ringside::view {
namespace {

using messages::Field;
using messages::RunSpec;

constexpr int kMostCpuRanks = 64;

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

/// Parses a number as people type it, with or without commas between thousands.
template <class T>
bool read_number(std::string text, T& value) {
  text = std::string(trimmed(text));
  std::erase(text, ',');
  T parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return false;
  value = parsed;
  return true;
}

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string_view part : parts_of(text, ',')) {
    if (const std::string_view piece = trimmed(part); !piece.empty()) found.emplace_back(piece);
  }
  return found;
}

/// Parses `text` into one field; returns the reason if it cannot.
struct Reader {
  const std::string& text;
  const Field& field;

  std::string operator()(bool& value) const {
    if (text != "true" && text != "false") return "Write true or false.";
    value = text == "true";
    return {};
  }
  std::string operator()(std::int64_t& value) const {
    return read_number(text, value) ? "" : "Write a whole number" + from_to() + ".";
  }
  std::string operator()(double& value) const {
    return read_number(text, value) ? "" : "Write a number" + from_to() + ", such as 0.01 or 5e-4.";
  }
  std::string operator()(std::string& value) const {
    const auto words = messages::words_of(field);
    if (!words.empty() && std::ranges::find(words, text) == words.end())
      return "Choose one of the words in the list.";
    value = text;
    return {};
  }
  std::string operator()(std::vector<std::string>& value) const {
    value = pieces(text);
    return {};
  }
  std::string operator()(std::vector<double>& value) const {
    return list(value, "Write comma-separated numbers.");
  }
  std::string operator()(std::vector<std::int64_t>& value) const {
    return list(value, "Write comma-separated whole numbers, such as 20, 40.");
  }

 private:
  std::string from_to() const {
    return messages::has_range(field) ? " from " + messages::range_text(field) : "";
  }
  template <class T>
  std::string list(std::vector<T>& value, const char* otherwise) const {
    std::vector<T> read;
    for (const std::string& piece : pieces(text)) {
      if (!read_number(piece, read.emplace_back())) return otherwise;
    }
    value = std::move(read);
    return {};
  }
};

struct Writer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
  }
  std::string operator()(const std::string& value) const { return value; }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::string text;
    for (const T& item : list) add_listed(text, (*this)(item));
    return text;
  }
};

/// Calls visit(field, value) on the setting of that key. False if there is none.
template <class Spec, class Visit>
bool on_field(Spec& spec, const std::string& wanted, Visit&& visit) {
  bool found = false;
  messages::each_setting(spec, [&](const std::string& key, const Field& field, auto& value) {
    if (key != wanted) return;
    visit(field, value);
    found = true;
  });
  return found;
}

// Settings after switching "fast" on or off. Off restores the values of `before`, or the defaults
// if `before` was fast, too.
messages::TrainSpec choose_fast(RunSpec spec, bool on, const RunSpec& before) {
  if (on) {
    for (const std::string& setting : launch::fast_settings(spec))
      (void)messages::set_field(spec, setting);
    return spec.train;
  }
  const messages::TrainSpec from = launch::is_fast(before) ? messages::TrainSpec() : before.train;
  spec.train.precision = from.precision;
  spec.train.channels_last = from.channels_last;
  spec.train.cudnn_benchmark = from.cudnn_benchmark;
  return spec.train;
}

template <class T>
FieldKind kind_of(const Field& field) {
  if constexpr (std::is_same_v<T, bool>) return FieldKind::kSwitch;
  if constexpr (IsList<T>::value) return FieldKind::kList;
  if constexpr (std::is_arithmetic_v<T>) return FieldKind::kNumber;
  return field.words.empty() ? FieldKind::kText : FieldKind::kChoice;
}

}  // namespace

std::optional<FieldFacts> field_facts(const RunSpec& spec, const std::string& key) {
  FieldFacts facts;
  const bool found = on_field(spec, key, [&](const Field& field, const auto& value) {
    facts.kind = kind_of<std::decay_t<decltype(value)>>(field);
    facts.text = Writer{}(value);
    facts.choices = messages::words_of(field);
  });
  return found ? std::optional(facts) : std::nullopt;
}

LaunchForm::LaunchForm() : LaunchForm(RunSpec{}) {}

LaunchForm::LaunchForm(RunSpec spec, std::string preset, bool quick)
    : spec_(spec), original_(std::move(spec)), preset_(std::move(preset)), quick_(quick) {
  check();
}

void LaunchForm::edit(const std::string& key, const std::string& text) {
  ++revision_;
  if (key == kFastKey) {
    spec_.train = choose_fast(spec_, text == "true", original_);
    return check();
  }
  std::string error = "There is no such setting.";
  on_field(spec_, key, [&](const Field& field, auto& value) {
    error = Reader{text, field}(value);
  });
  if (error.empty()) {
    typed_.erase(key);
    errors_.erase(key);
  } else {
    typed_[key] = text;
    errors_[key] = std::move(error);
  }
  check();
}

void LaunchForm::check() { problems_ = messages::problems(spec_); }

void LaunchForm::set_program(messages::ProgramSpec program) {
  ++revision_;
  spec_.program = std::move(program);
  check();
}

void LaunchForm::reset() { *this = LaunchForm(original_, preset_, quick_); }

void LaunchForm::pick_devices(std::vector<std::string> uuids) {
  ++revision_;
  spec_.devices.ids = std::move(uuids);
  spec_.devices.world_size =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(spec_.devices.ids.size()));
  spec_.devices.kind = "cuda";
  check();
}

void LaunchForm::pick_device(const std::string& uuid, bool on) {
  if (uuid.starts_with("cpu:")) {
    int slot = 0;
    if (read_number(uuid.substr(4), slot)) set_cpu_ranks(on ? slot + 1 : slot);
    return;
  }
  std::vector<std::string> ids = spec_.devices.ids;
  std::erase(ids, uuid);
  if (on) ids.push_back(uuid);
  pick_devices(std::move(ids));
}

void LaunchForm::set_cpu_ranks(int ranks) {
  ++revision_;
  spec_.devices.kind = "cpu";
  spec_.devices.ids.clear();
  spec_.devices.world_size = std::clamp(ranks, 1, kMostCpuRanks);
  check();
}

void LaunchForm::take_devices(const messages::DevicesSpec& devices) {
  ++revision_;
  spec_.devices.kind = devices.kind;
  spec_.devices.ids = devices.ids;
  spec_.devices.world_size = devices.world_size;
  check();
}

void LaunchForm::settle_devices(const MachineSummary& machine) {
  if (spec_.devices.kind == "cpu" || !spec_.devices.ids.empty() || machine.gpus.empty()) return;
  std::vector<std::string> first;
  for (const DeviceSummary& gpu : machine.gpus) {
    const bool wanted = static_cast<std::int64_t>(first.size()) < spec_.devices.world_size;
    if (wanted && gpu.used_by.empty()) first.push_back(gpu.uuid);
  }
  if (!first.empty()) pick_devices(std::move(first));
}

bool LaunchForm::is_picked(const std::string& uuid) const {
  return std::ranges::find(spec_.devices.ids, uuid) != spec_.devices.ids.end();
}

std::string LaunchForm::text(const std::string& key) const {
  const auto typed = typed_.find(key);
  if (typed != typed_.end()) return typed->second;
  const auto facts = field_facts(spec_, key);
  return facts ? facts->text : "";
}

std::string LaunchForm::error(const std::string& key) const {
  const auto found = errors_.find(key);
  if (found != errors_.end()) return found->second;
  for (const messages::SpecProblem& problem : problems_) {
    if (std::ranges::find(problem.keys, key) != problem.keys.end()) return problem.message;
  }
  return "";
}

std::optional<DatasetSize> dataset_size(const messages::DataSpec& data) {
  const auto facts = messages::data_facts(data);
  if (!facts) return std::nullopt;
  return DatasetSize{facts->train_samples, facts->test_samples};
}

std::optional<std::int64_t> model_parameters(const messages::RunSpec& spec) {
  const auto images = messages::image_shape(spec.data);
  const std::int64_t count = images ? messages::parameter_count(spec.model, *images) : 0;
  return count > 0 ? std::optional(count) : std::nullopt;
}

}  // namespace ringside::view
