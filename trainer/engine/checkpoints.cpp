#include "trainer/engine/checkpoints.h"

#include <cerrno>
#include <cstring>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/core/checkpoint_names.h"
#include "trainer/engine/torch_file_writer.h"
#include "trainer/engine/weights.h"

namespace ringside::engine {
namespace {

constexpr std::int64_t kFormat = 1;

using Dict = c10::impl::GenericDict;

Dict text_dict() { return Dict(c10::StringType::get(), c10::AnyType::get()); }

Dict tensor_dict(const models::NamedTensors& tensors) {
  Dict dict = text_dict();
  for (const auto& [name, tensor] : tensors) dict.insert(name, for_saving(tensor));
  return dict;
}

// The layout of torch.optim.SGD.state_dict(): state by parameter number, then the groups.
Dict optimizer_dict(const TrainingState& state, const messages::OptimizerSpec& spec) {
  Dict by_number(c10::IntType::get(), c10::AnyType::get());
  const auto momentum = state.optimizer->momentum();
  for (std::size_t i = 0; i < momentum.size(); ++i) {
    Dict one = text_dict();
    one.insert("momentum_buffer", for_saving(momentum[i]));
    by_number.insert(static_cast<std::int64_t>(i), one);
  }
  c10::impl::GenericList numbers(c10::AnyType::get());
  for (std::size_t i = 0; i < state.parameters.size(); ++i)
    numbers.push_back(static_cast<std::int64_t>(i));
  Dict group = text_dict();
  group.insert("lr", state.learning_rate);
  group.insert("momentum", spec.momentum);
  group.insert("dampening", 0.0);
  group.insert("weight_decay", spec.weight_decay);
  group.insert("nesterov", spec.nesterov);
  group.insert("maximize", false);
  group.insert("foreach", c10::IValue());
  group.insert("differentiable", false);
  group.insert("fused", c10::IValue());
  group.insert("params", numbers);
  c10::impl::GenericList groups(c10::AnyType::get());
  groups.push_back(group);
  Dict dict = text_dict();
  dict.insert("state", by_number);
  dict.insert("param_groups", groups);
  return dict;
}

Dict sampler_dict(const TrainingState& state, const messages::RunSpec& spec) {
  Dict dict = text_dict();
  dict.insert("seed", spec.train.seed);
  dict.insert("epoch", std::int64_t{state.progress.epoch});
  dict.insert("steps_into_epoch", state.progress.steps_into_epoch);
  dict.insert("per_rank_batch", state.per_rank_batch);
  dict.insert("world_size", state.world_size);
  return dict;
}

Dict rng_dict(const messages::RunSpec& spec) {
  // Random numbers of a step follow from its place alone, so two values say all there is to
  // restore.
  Dict dict = text_dict();
  dict.insert("rule", std::string("seed + 1 + step * world_size + rank, set before each step"));
  dict.insert("seed", spec.train.seed);
  return dict;
}

Result<void> check_position(const PickleValue& file, const TrainingState& state,
                            const std::string& origin) {
  const PickleValue* sampler = file.find("sampler");
  if (sampler == nullptr || sampler->integer("steps_into_epoch", 0) == 0) return {};
  const std::int64_t ranks = sampler->integer("world_size", 0);
  const std::int64_t batch = sampler->integer("per_rank_batch", 0);
  if (ranks == state.world_size && batch == state.per_rank_batch) return {};
  return bad_request(origin + " was taken in the middle of an epoch by " + std::to_string(ranks) +
                     " ranks with batches of " + std::to_string(batch) + "; this run has " +
                     std::to_string(state.world_size) + " ranks with batches of " +
                     std::to_string(state.per_rank_batch) +
                     ". Resume with the same, or from a checkpoint of an epoch's end");
}

Result<std::vector<at::Tensor>> saved_momentum(const PickleValue& file, const TrainingState& state,
                                               const std::string& origin) {
  const PickleValue* optimizer = file.find("optimizer");
  const PickleValue* by_number = optimizer == nullptr ? nullptr : optimizer->find("state");
  if (by_number == nullptr || by_number->dict() == nullptr)
    return bad_request(origin + " holds no optimizer state");
  std::vector<at::Tensor> momentum(by_number->dict()->empty() ? 0 : state.parameters.size());
  for (const auto& [key, entry] : *by_number->dict()) {
    const auto* number = key.get<std::int64_t>();
    const PickleValue* buffer = entry.find("momentum_buffer");
    if (number == nullptr || *number < 0 || static_cast<std::size_t>(*number) >= momentum.size()) {
      return bad_request(origin + " holds the optimizer state of another model");
    }
    if (buffer != nullptr && buffer->tensor() != nullptr)
      momentum[static_cast<std::size_t>(*number)] = *buffer->tensor();
  }
  for (std::size_t i = 0; i < momentum.size(); ++i) {
    // Without momentum Python stores None; all or nothing is the rule of its optimizer too.
    if (!momentum[i].defined()) return std::vector<at::Tensor>{};
    if (momentum[i].sizes() != state.parameters[i].second.sizes()) {
      return bad_request(origin + ": the momentum of " + state.parameters[i].first +
                         " has another shape");
    }
  }
  return momentum;
}

}  // namespace

Result<WrittenCheckpoint> write_checkpoint(const std::filesystem::path& path,
                                           const TrainingState& state,
                                           const messages::RunSpec& spec) {
  const std::int64_t begin_ns = mono_now_ns();
  Dict dict = text_dict();
  dict.insert("format", kFormat);
  dict.insert("model", tensor_dict(state.tensors));
  dict.insert("optimizer", optimizer_dict(state, spec.optimizer));
  dict.insert("epoch", std::int64_t{state.progress.epoch});
  dict.insert("step", state.progress.step);
  dict.insert("sampler", sampler_dict(state, spec));
  dict.insert("rng", rng_dict(spec));
  dict.insert("spec", messages::to_toml(spec));
  auto size = write_torch_file(path, dict);
  if (!size) return pass(size);
  return WrittenCheckpoint{path, *size, static_cast<double>(mono_now_ns() - begin_ns) * 1e-9};
}

Result<Progress> read_checkpoint(const std::filesystem::path& path, const TrainingState& state) {
  auto file = read_torch_file(path);
  if (!file) return pass(file);
  const std::string origin = path.string();
  const PickleValue* model = file->find("model");
  if (model == nullptr || file->find("step") == nullptr) {
    return bad_request(origin +
                       " is no checkpoint of a run; weights alone belong into model.init_from");
  }
  if (file->integer("format", 0) > kFormat)
    return bad_request(origin + " was written by a newer version");
  if (auto fits = check_position(*file, state, origin); !fits) return pass(fits);
  auto momentum = saved_momentum(*file, state, origin);
  if (!momentum) return pass(momentum);
  if (auto copied = copy_state_dict(*model, state.tensors, origin); !copied) return pass(copied);
  state.optimizer->set_momentum(*momentum);
  Progress progress;
  progress.epoch = static_cast<Epoch>(file->integer("epoch", 0));
  progress.step = file->integer("step", 0);
  if (const PickleValue* sampler = file->find("sampler")) {
    progress.steps_into_epoch = sampler->integer("steps_into_epoch", 0);
  }
  return progress;
}

Result<WrittenCheckpoint> CheckpointFolder::save(const std::string& name,
                                                 const TrainingState& state,
                                                 const messages::RunSpec& spec) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return failure("cannot make the folder " + folder_.string() + ": " + error.message());
  auto written = write_checkpoint(folder_ / name, state, spec);
  if (!written) return written;
  for (const auto& surplus : core::surplus_checkpoints(list(), keep_)) {
    // One that stays costs space only; the next save tries again.
    std::filesystem::remove(folder_ / surplus, error);
  }
  return written;
}

std::optional<std::filesystem::path> CheckpointFolder::newest() const {
  if (!enabled()) return std::nullopt;
  const auto name = core::newest_checkpoint(list());
  if (!name) return std::nullopt;
  return folder_ / *name;
}

std::vector<core::CheckpointFile> CheckpointFolder::list() const {
  std::vector<core::CheckpointFile> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const auto written = entry.last_write_time(error);
    if (error) continue;
    files.push_back(
        {entry.path().filename().string(),
         std::chrono::duration_cast<std::chrono::nanoseconds>(written.time_since_epoch()).count()});
  }
  return files;
}

}  // namespace ringside::engine
