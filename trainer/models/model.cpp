#include "trainer/models/model.h"

#include <map>

#include "protocol/messages/data_facts.h"
#include "trainer/models/net.h"

namespace ringside::models {
namespace {

void append(NamedTensors& list, const torch::OrderedDict<std::string, at::Tensor>& tensors,
            const std::string& prefix = {}) {
  for (const auto& item : tensors) list.emplace_back(prefix + item.key(), item.value());
}

// Python's state_dict: of each module its parameters, then its buffers, then its children.
void append_state(NamedTensors& list, const torch::nn::Module& module, const std::string& prefix) {
  append(list, module.named_parameters(false), prefix);
  append(list, module.named_buffers(false), prefix);
  for (const auto& child : module.named_children()) {
    append_state(list, *child.value(), prefix + child.key() + ".");
  }
}

// Losses of short float types would add up with their few bits.
at::Tensor loss_of(const AnyModel::Net& net, const at::Tensor& output, const at::Tensor& labels,
                   at::Reduction::Reduction reduction) {
  const at::Tensor scores = output.to(at::kFloat);
  return net.log_probabilities ? at::nll_loss(scores, labels, {}, reduction)
                               : at::cross_entropy_loss(scores, labels, {}, reduction);
}

const std::map<std::string, ResNetPlan, std::less<>> kResNets = {
    {"resnet18", {{2, 2, 2, 2}, false}},
    {"resnet34", {{3, 4, 6, 3}, false}},
    {"resnet50", {{3, 4, 6, 3}, true}}};

const std::map<std::string, ResNetStem, std::less<>> kStems = {
    {"imagenet", {7, 2, true}}, {"cifar", {3, 1, false}}, {"cifar_stride2", {3, 2, false}}};

Result<void> check(const messages::ModelSpec& spec, const InputShape& input) {
  if (spec.classes < 1 || spec.classes > 1'000'000) {
    return bad_request("model.classes must lie between 1 and 1000000, not " +
                       std::to_string(spec.classes));
  }
  const bool residual = kResNets.contains(spec.name);
  if (!residual && spec.name != "convnet" && spec.name != "lenet") {
    return bad_request("unknown model \"" + spec.name +
                       "\"; known: convnet, lenet, resnet18, resnet34, resnet50");
  }
  if (residual && !kStems.contains(spec.stem)) {
    return bad_request("unknown model.stem \"" + spec.stem +
                       "\"; known: imagenet, cifar, cifar_stride2");
  }
  if (!residual && spec.sync_batchnorm) {
    return bad_request("model.sync_batchnorm has nothing to work on: \"" + spec.name +
                       "\" has no batch normalisation; leave it out or choose a resnet");
  }
  if (auto why = messages::image_misfit(spec.name, input.channels, input.height, input.width);
      !why.empty()) {
    return bad_request(std::move(why));
  }
  return {};
}

std::shared_ptr<AnyModel::Net> build(const messages::ModelSpec& spec, const InputShape& input,
                                     const NormFunction& over_ranks) {
  if (spec.name == "convnet") return build_convnet(spec.classes);
  if (spec.name == "lenet") return build_lenet(spec.classes, input);
  return build_resnet(kResNets.at(spec.name), kStems.at(spec.stem), spec.classes, input.channels,
                      spec.sync_batchnorm ? over_ranks : NormFunction{});
}

}  // namespace

at::Tensor AnyModel::forward(const at::Tensor& images) { return net_->forward(images); }

at::Tensor AnyModel::loss(const at::Tensor& output, const at::Tensor& labels) const {
  return loss_of(*net_, output, labels, at::Reduction::Mean);
}

at::Tensor AnyModel::loss_sum(const at::Tensor& output, const at::Tensor& labels) const {
  return loss_of(*net_, output, labels, at::Reduction::Sum);
}

void AnyModel::set_training(bool training) { net_->module->train(training); }

NamedTensors AnyModel::named_parameters() const {
  NamedTensors list;
  append(list, net_->module->named_parameters());
  return list;
}

NamedTensors AnyModel::named_buffers() const {
  NamedTensors list;
  append(list, net_->module->named_buffers());
  return list;
}

NamedTensors AnyModel::state() const {
  NamedTensors list;
  append_state(list, *net_->module, "");
  return list;
}

std::int64_t AnyModel::parameter_count() const {
  std::int64_t count = 0;
  for (const auto& parameter : net_->module->parameters()) count += parameter.numel();
  return count;
}

torch::nn::Module& AnyModel::module() { return *net_->module; }

Result<AnyModel> make_model(const messages::ModelSpec& spec, const InputShape& input,
                            std::uint64_t seed, const NormFunction& over_ranks) {
  if (const auto checked = check(spec, input); !checked) return pass(checked);
  try {
    torch::manual_seed(seed);
    return AnyModel(build(spec, input, over_ranks));
  } catch (const c10::Error& error) {
    // what() would hold a stack trace as well.
    return failure("cannot build model \"" + spec.name + "\": " + error.what_without_backtrace());
  } catch (const std::exception& error) {
    return failure("cannot build model \"" + spec.name + "\": " + error.what());
  }
}

}  // namespace ringside::models
