#include "trainer/models/model.h"

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

std::string text(const InputShape& s) {
  return std::to_string(s.channels) + " x " + std::to_string(s.height) + " x " +
         std::to_string(s.width);
}

Result<void> check(const messages::ModelSpec& spec, const InputShape& input) {
  if (spec.classes < 1 || spec.classes > 1'000'000) {
    return bad_request("model.classes must lie between 1 and 1000000, not " +
                       std::to_string(spec.classes));
  }
  if (spec.name == "convnet") {
    if (input.channels == 1 && input.height == 28 && input.width == 28) return {};
    return bad_request("model \"convnet\" takes images of 1 x 28 x 28, this data set has " +
                       text(input) + "; choose model.name = \"resnet18\"");
  }
  if (spec.name != "resnet18") {
    return bad_request("unknown model \"" + spec.name + "\"; known: convnet, resnet18");
  }
  if (spec.stem != "imagenet" && spec.stem != "cifar") {
    return bad_request("unknown model.stem \"" + spec.stem + "\"; known: imagenet, cifar");
  }
  if (input.channels < 1 || input.height < 1 || input.width < 1) {
    return bad_request("images of " + text(input) + " have no pixels");
  }
  return {};
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
                            std::uint64_t seed) {
  if (const auto checked = check(spec, input); !checked) return pass(checked);
  try {
    torch::manual_seed(seed);
    return AnyModel(spec.name == "convnet"
                        ? build_convnet(spec.classes)
                        : build_resnet18(spec.classes, input.channels, spec.stem == "cifar"));
  } catch (const c10::Error& error) {
    // what() would hold a stack trace as well.
    return failure("cannot build model \"" + spec.name + "\": " + error.what_without_backtrace());
  } catch (const std::exception& error) {
    return failure("cannot build model \"" + spec.name + "\": " + error.what());
  }
}

}  // namespace ringside::models
