#include "trainer/engine/checkpoint/checkpoints.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <caffe2/serialize/inline_container.h>
#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/core/checkpoint_names.h"
#include "trainer/engine/checkpoint/torch_file_writer.h"
#include "trainer/engine/checkpoint/weights.h"

namespace ringside::engine {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr const char* kOrderRecord = "order";

using Dict = c10::impl::GenericDict;

Dict text_dict() { return Dict(c10::StringType::get(), c10::AnyType::get()); }

Dict tensor_dict(const models::NamedTensors& tensors) {
  Dict dict = text_dict();
  for (const auto& [name, tensor] : tensors) dict.insert(name, for_saving(tensor));
  return dict;
}

// The format of torch.optim's state_dict(): state by parameter number, then the groups.
Dict optimizer_state_dict(const OptimizerState& state, bool adam) {
  Dict by_number(c10::IntType::get(), c10::AnyType::get());
  const std::size_t count = state.lists.empty() ? 0 : state.lists.front().second.size();
  for (std::size_t i = 0; i < count; ++i) {
    Dict one = text_dict();
    if (adam) one.insert("step", at::scalar_tensor(state.steps, at::kFloat));
    for (const auto& [name, tensors] : state.lists) one.insert(name, for_saving(tensors[i]));
    by_number.insert(static_cast<std::int64_t>(i), one);
  }
  return by_number;
}

Dict parameter_group(const TrainingState& state, const messages::OptimizerSpec& spec) {
  c10::impl::GenericList numbers(c10::AnyType::get());
  for (std::size_t i = 0; i < state.parameters.size(); ++i)
    numbers.push_back(static_cast<std::int64_t>(i));
  Dict group = text_dict();
  group.insert("lr", state.learning_rate);
  if (spec.name == "sgd") {
    group.insert("momentum", spec.momentum);
    group.insert("dampening", 0.0);
    group.insert("nesterov", spec.nesterov);
  } else {
    group.insert("betas", c10::ivalue::Tuple::create({spec.beta1, spec.beta2}));
    group.insert("eps", spec.eps);
    group.insert("amsgrad", false);
    group.insert("capturable", false);
    group.insert("decoupled_weight_decay", spec.name == "adamw");
  }
  group.insert("weight_decay", spec.weight_decay);
  group.insert("maximize", false);
  group.insert("foreach", c10::IValue());
  group.insert("differentiable", false);
  group.insert("fused", c10::IValue());
  group.insert("params", numbers);
  return group;
}

Dict optimizer_dict(const TrainingState& state, const messages::OptimizerSpec& spec) {
  c10::impl::GenericList groups(c10::AnyType::get());
  groups.push_back(parameter_group(state, spec));
  Dict dict = text_dict();
  dict.insert("state", optimizer_state_dict(state.optimizer->state(), spec.name != "sgd"));
  dict.insert("param_groups", groups);
  return dict;
}

// The format of torch.amp.GradScaler's state_dict().
Dict scaler_dict(const ScalerState& state) {
  Dict dict = text_dict();
  dict.insert("scale", state.scale);
  dict.insert("growth_factor", LossScaler::kGrowth);
  dict.insert("backoff_factor", LossScaler::kBackoff);
  dict.insert("growth_interval", LossScaler::kGrowthInterval);
  dict.insert("_growth_tracker", state.growth_tracker);
  return dict;
}

Dict sampler_dict(const TrainingState& state, const messages::RunSpec& spec) {
  Dict dict = text_dict();
  dict.insert("seed", messages::sampler_seed(spec));
  dict.insert("epoch", std::int64_t{state.progress.epoch});
  dict.insert("steps_into_epoch", state.progress.steps_into_epoch);
  dict.insert("samples_into_epoch", state.progress.samples_into_epoch);
  dict.insert("per_rank_batch", state.facts.per_rank_batch);
  dict.insert("world_size", state.world_size);
  return dict;
}

Dict schedule_dict(const TrainingState& state, const messages::RunSpec& spec) {
  Dict dict = text_dict();
  dict.insert("name", spec.schedule.name);
  dict.insert("step", state.progress.schedule_step);
  dict.insert("total_steps", state.facts.total_steps);
  dict.insert("steps_per_epoch", state.facts.steps_per_epoch);
  dict.insert("lr_scale", state.facts.lr_scale);
  return dict;
}

Dict rng_dict(const TrainingState& state, const messages::RunSpec& spec) {
  // The random numbers of a step depend only on its position, and crops and flips on epoch and
  // sample, so nothing else must be restored.
  Dict dict = text_dict();
  dict.insert("rule", std::string("seed + 1 + step * world_size + rank, set before each step"));
  dict.insert("seed", spec.train.seed);
  dict.insert("step", state.progress.step);
  dict.insert("world_size", state.world_size);
  return dict;
}

// Reads "step", which is a Python number or a one-element tensor, depending on the PyTorch release.
std::int64_t whole_number(const PickleValue& value) {
  if (const auto* tensor = value.tensor(); tensor != nullptr && tensor->numel() == 1)
    return static_cast<std::int64_t>(tensor->to(at::kDouble).item<double>());
  if (const auto* number = value.get<std::int64_t>()) return *number;
  if (const auto* real = value.get<double>()) return static_cast<std::int64_t>(*real);
  return 0;
}

// Adam with amsgrad has three lists.
constexpr std::size_t kMostLists = 8;

// Adds one parameter's entries to the lists. None, as in SGD without momentum, is skipped. False
// when there are more kinds of entries than any optimizer has.
bool collect(const PickleDict& entries, std::size_t number, std::size_t count,
             OptimizerState& state) {
  for (const auto& [key, value] : entries) {
    const auto* name = key.get<std::string>();
    if (name == nullptr) continue;
    if (*name == "step") state.steps = std::max(state.steps, whole_number(value));
    if (*name == "step" || value.tensor() == nullptr) continue;
    auto found = std::find_if(state.lists.begin(), state.lists.end(),
                              [&](const auto& list) { return list.first == *name; });
    if (found == state.lists.end() && state.lists.size() == kMostLists) return false;
    if (found == state.lists.end())
      found = state.lists.insert(found, {*name, std::vector<at::Tensor>(count)});
    found->second[number] = *value.tensor();
  }
  return true;
}

Result<OptimizerState> saved_optimizer(const PickleValue& file, const TrainingState& state,
                                       const std::string& origin) {
  const PickleValue* optimizer = file.find("optimizer");
  const PickleValue* by_number = optimizer == nullptr ? nullptr : optimizer->find("state");
  if (by_number == nullptr || by_number->dict() == nullptr)
    return bad_request(origin + " holds no optimizer state");
  OptimizerState saved;
  const std::size_t count = state.parameters.size();
  for (const auto& [key, entry] : *by_number->dict()) {
    const auto* number = key.get<std::int64_t>();
    if (number == nullptr || *number < 0 || static_cast<std::size_t>(*number) >= count ||
        entry.dict() == nullptr ||
        !collect(*entry.dict(), static_cast<std::size_t>(*number), count, saved)) {
      return bad_request(origin + " holds the optimizer state of another model");
    }
  }
  for (const auto& [name, tensors] : saved.lists) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!tensors[i].defined())
        return bad_request(origin + ": the optimizer's " + name + " of " +
                           state.parameters[i].first + " is missing");
    }
  }
  return saved;
}

double real(const PickleValue* dict, const std::string& key, double otherwise) {
  const PickleValue* value = dict == nullptr ? nullptr : dict->find(key);
  const auto* number = value == nullptr ? nullptr : value->get<double>();
  return number == nullptr ? otherwise : *number;
}

std::int64_t whole(const PickleValue* dict, const std::string& key, std::int64_t otherwise) {
  return dict == nullptr ? otherwise : dict->integer(key, otherwise);
}

ResumePoint resume_point(const PickleValue& file) {
  const PickleValue* sampler = file.find("sampler");
  const PickleValue* schedule = file.find("schedule");
  ResumePoint point;
  Progress& progress = point.progress;
  progress.epoch = static_cast<Epoch>(file.integer("epoch", 0));
  progress.step = file.integer("step", 0);
  progress.steps_into_epoch = whole(sampler, "steps_into_epoch", 0);
  point.world_size = whole(sampler, "world_size", 0);
  point.global_batch = point.world_size * whole(sampler, "per_rank_batch", 0);
  progress.samples_into_epoch =
      whole(sampler, "samples_into_epoch", progress.steps_into_epoch * point.global_batch);
  progress.schedule_step = whole(schedule, "step", progress.step);
  progress.best_accuracy = real(file.find("best"), "accuracy", -1.0);
  point.steps_per_epoch = whole(schedule, "steps_per_epoch", 0);
  point.lr_scale = real(schedule, "lr_scale", 0.0);
  point.sampler_seed = whole(sampler, "seed", -1);
  return point;
}

Result<ResumePoint> restore(const PickleValue& file, const std::string& origin,
                            const TrainingState& state) {
  const PickleValue* model = file.find("model");
  if (model == nullptr || file.find("step") == nullptr) {
    return bad_request(origin +
                       " is not a checkpoint of a run; use model.init_from for weights alone");
  }
  if (const auto format = file.integer("format", 0); format > kFormat) {
    return bad_request(origin + " was written by a newer version of Ringside (format " +
                       std::to_string(format) + ", this one reads up to " +
                       std::to_string(kFormat) + ")");
  }
  RINGSIDE_TRY(copy_state_dict(*model, state.tensors, origin));
  auto optimizer = RINGSIDE_TRY(saved_optimizer(file, state, origin));
  if (auto set = state.optimizer->set_state(optimizer); !set)
    return bad_request(origin + ": " + set.error().message);
  if (const PickleValue* scaler = file.find("scaler"); scaler != nullptr && state.scaler != nullptr)
    state.scaler->set_state({real(scaler, "scale", 0.0), whole(scaler, "_growth_tracker", 0)});
  return resume_point(file);
}

// The order number of core::CheckpointFile; reads only the file's directory, not its tensors.
std::int64_t order_of(const std::filesystem::path& path) {
  try {
    caffe2::serialize::PyTorchStreamReader archive(path.string());
    if (!archive.hasRecord(kOrderRecord)) return 0;
    const auto [text, size] = archive.getRecord(kOrderRecord);
    const char* digits = static_cast<const char*>(text.get());
    std::int64_t order = 0;
    const auto [end, error] = std::from_chars(digits, digits + size, order);
    const bool whole = error == std::errc() && end == digits + size && order > 0;
    return whole ? order : core::kUnreadableOrder;
  } catch (const std::exception&) {
    return core::kUnreadableOrder;
  }
}

}  // namespace

Result<WrittenCheckpoint> write_checkpoint(const std::filesystem::path& path,
                                           const TrainingState& state,
                                           const messages::RunSpec& spec, std::int64_t order) {
  const std::int64_t begin_ns = mono_now_ns();
  Dict best = text_dict();
  best.insert("accuracy", state.progress.best_accuracy);
  Dict dict = text_dict();
  dict.insert("format", kFormat);
  dict.insert("model", tensor_dict(state.tensors));
  dict.insert("optimizer", optimizer_dict(state, spec.optimizer));
  if (state.scaler != nullptr) dict.insert("scaler", scaler_dict(state.scaler->state()));
  dict.insert("epoch", std::int64_t{state.progress.epoch});
  dict.insert("step", state.progress.step);
  dict.insert("schedule", schedule_dict(state, spec));
  dict.insert("sampler", sampler_dict(state, spec));
  dict.insert("rng", rng_dict(state, spec));
  dict.insert("best", best);
  dict.insert("spec", messages::to_toml(spec));
  std::vector<TextRecord> records;
  if (order > 0) records.push_back({kOrderRecord, std::to_string(order)});
  auto size = RINGSIDE_TRY(write_torch_file(path, dict, records));
  return WrittenCheckpoint{path, size, static_cast<double>(mono_now_ns() - begin_ns) * 1e-9};
}

Result<ResumePoint> read_checkpoint(const std::filesystem::path& path, const TrainingState& state) {
  const auto file = RINGSIDE_TRY(read_torch_file(path));
  return restore(file, path.string(), state);
}

Result<void> check_finite(const models::NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (!at::isfinite(tensor).all().item<bool>()) return failure(name + " holds NaN or Inf");
  }
  return {};
}

std::string changes_since(const ResumePoint& saved, const TrainingState& now,
                          const messages::RunSpec& spec) {
  std::string text;
  const auto differ = [&](const auto& before, const auto& after, const char* what) {
    if (before == after) return;
    std::ostringstream one;
    one << (text.empty() ? "" : ", ") << what << " " << after << " instead of " << before;
    text += one.str();
  };
  if (saved.world_size > 0) differ(saved.world_size, now.world_size, "ranks");
  if (saved.global_batch > 0) differ(saved.global_batch, now.facts.global_batch, "global batch");
  if (saved.lr_scale > 0) differ(saved.lr_scale, now.facts.lr_scale, "learning rate scale");
  if (saved.steps_per_epoch > 0)
    differ(saved.steps_per_epoch, now.facts.steps_per_epoch, "steps per epoch");
  if (saved.sampler_seed >= 0)
    differ(saved.sampler_seed, messages::sampler_seed(spec), "sampler seed");
  return text;
}

Result<WrittenCheckpoint> CheckpointFolder::save(const std::string& name,
                                                 const TrainingState& state,
                                                 const messages::RunSpec& spec) {
  std::error_code error;
  // A run folder that has disappeared since an earlier save was moved; a new folder would not be
  // found by anyone.
  if (made_) {
    std::filesystem::create_directory(folder_, error);
  } else {
    std::filesystem::create_directories(folder_, error);
  }
  made_ = made_ || !error;
  if (error) return failure("cannot make the folder " + folder_.string() + ": " + error.message());
  const std::int64_t order = next_order(name);
  auto written = write_checkpoint(folder_ / name, state, spec, order);
  if (!written) return written;
  if (order > 0) last_order_ = order;
  if (keep_ <= 0) return written;
  for (const auto& surplus : core::surplus_checkpoints(list(), keep_)) {
    // A file that cannot be removed only costs space; the next save tries again.
    std::filesystem::remove(folder_ / surplus, error);
  }
  return written;
}

// The folder may have many files, so it is read only once.
std::int64_t CheckpointFolder::next_order(const std::string& name) {
  if (!core::is_checkpoint_name(name)) return 0;
  if (last_order_ < 0) {
    last_order_ = 0;
    for (const core::CheckpointFile& file : list()) {
      if (file.order != core::kUnreadableOrder) last_order_ = std::max(last_order_, file.order);
    }
  }
  return last_order_ + 1;
}

Result<std::optional<RestoredCheckpoint>> CheckpointFolder::restore_newest(
    const TrainingState& state) const {
  std::string damaged;
  for (const std::string& name : core::newest_checkpoints(list())) {
    const std::filesystem::path path = folder_ / name;
    const auto file = read_torch_file(path);
    if (!file) {
      damaged += (damaged.empty() ? "" : "; ") + file.error().message;
      continue;
    }
    const auto point = RINGSIDE_TRY(restore(*file, path.string(), state));
    return RestoredCheckpoint{path, point, damaged};
  }
  if (damaged.empty()) return std::nullopt;
  return bad_request("no checkpoint of this run can be resumed from: " + damaged);
}

void CheckpointFolder::remove_drafts() const {
  std::error_code error;
  for (const core::CheckpointFile& file : list()) {
    if (core::is_checkpoint_draft(file.name)) std::filesystem::remove(folder_ / file.name, error);
  }
}

std::vector<core::CheckpointFile> CheckpointFolder::list() const {
  std::vector<core::CheckpointFile> files;
  if (!enabled()) return files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const auto written = entry.last_write_time(error);
    if (error) continue;
    const std::string name = entry.path().filename().string();
    files.push_back(
        {name,
         std::chrono::duration_cast<std::chrono::nanoseconds>(written.time_since_epoch()).count(),
         core::is_checkpoint_name(name) ? order_of(entry.path()) : 0});
  }
  return files;
}

}  // namespace ringside::engine
