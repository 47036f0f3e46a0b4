#include "trainer/models/model.h"

#include <stdexcept>
#include <string_view>

#include "protocol/messages/spec/model_facts.h"
#include "trainer/models/convnet.h"
#include "trainer/models/lenet.h"
#include "trainer/models/net.h"
#include "trainer/models/resnet.h"

namespace ringside::models {
namespace {

void append(NamedTensors& list, const torch::OrderedDict<std::string, at::Tensor>& tensors,
            const std::string& prefix = {}) {
  for (const auto& item : tensors) list.emplace_back(prefix + item.key(), item.value());
}

// The order of Python's state_dict: for each module its parameters, then its buffers, then its
// children.
void append_state(NamedTensors& list, const torch::nn::Module& module, const std::string& prefix) {
  append(list, module.named_parameters(false), prefix);
  append(list, module.named_buffers(false), prefix);
  for (const auto& child : module.named_children()) {
    append_state(list, *child.value(), prefix + child.key() + ".");
  }
}

// The loss is computed in float, since half and bf16 would lose precision in the sum.
at::Tensor loss_of(const AnyModel::Net& net, const at::Tensor& output, const at::Tensor& labels,
                   at::Reduction::Reduction reduction) {
  const at::Tensor scores = output.to(at::kFloat);
  return net.log_probabilities ? at::nll_loss(scores, labels, {}, reduction)
                               : at::cross_entropy_loss(scores, labels, {}, reduction);
}

struct Builder {
  std::string_view name;  ///< in the table in protocol/messages/model_catalog.cpp
  std::shared_ptr<AnyModel::Net> (*build)(const NetRequest&);
};

constexpr Builder kBuilders[] = {
    {"convnet", build_convnet},
    {"lenet", build_lenet},
    {"resnet18",
     [](const NetRequest& r) {
       return build_resnet({{2, 2, 2, 2}, false}, r);
     }},
    {"resnet34",
     [](const NetRequest& r) {
       return build_resnet({{3, 4, 6, 3}, false}, r);
     }},
    {"resnet50",
     [](const NetRequest& r) {
       return build_resnet({{3, 4, 6, 3}, true}, r);
     }},
};

std::shared_ptr<AnyModel::Net> build(const NetRequest& request) {
  for (const Builder& builder : kBuilders) {
    if (builder.name == request.spec.name) return builder.build(request);
  }
  throw std::invalid_argument("it has no module");
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
  if (auto why = messages::model_misfit(spec); !why.empty()) return bad_request(std::move(why));
  if (auto why = messages::image_misfit(spec.name, input); !why.empty())
    return bad_request(std::move(why));
  try {
    torch::manual_seed(seed);
    return AnyModel(build({spec, input, over_ranks}));
  } catch (const c10::Error& error) {
    // what() would include a stack trace.
    return failure("cannot build model \"" + spec.name + "\": " + error.what_without_backtrace());
  } catch (const std::exception& error) {
    return failure("cannot build model \"" + spec.name + "\": " + error.what());
  }
}

}  // namespace ringside::models
