#include "gui/watch/step_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ringside::watch {
namespace {

using Named = std::pair<std::string_view, StepField>;

constexpr std::array kNames{
    Named{"loss", StepField::kLoss},
    Named{"loss_step", StepField::kLoss},
    Named{"loss_train", StepField::kLoss},
    Named{"train_loss", StepField::kLoss},
    Named{"train_loss_step", StepField::kLoss},
    Named{"train_step_loss", StepField::kLoss},
    Named{"train_batch_loss", StepField::kLoss},
    Named{"training_loss", StepField::kLoss},
    Named{"training_loss_step", StepField::kLoss},
    Named{"batch_loss", StepField::kLoss},
    Named{"lr", StepField::kLearningRate},
    Named{"lr_train", StepField::kLearningRate},
    Named{"lr_adam", StepField::kLearningRate},
    Named{"lr_adamw", StepField::kLearningRate},
    Named{"lr_sgd", StepField::kLearningRate},
    Named{"train_lr", StepField::kLearningRate},
    Named{"learning_rate", StepField::kLearningRate},
    Named{"learning_rate_train", StepField::kLearningRate},
    Named{"train_learning_rate", StepField::kLearningRate},
    Named{"grad_norm", StepField::kGradNorm},
    Named{"gradient_norm", StepField::kGradNorm},
    Named{"train_grad_norm", StepField::kGradNorm},
    Named{"train_gradient_norm", StepField::kGradNorm},
    Named{"epoch", StepField::kEpoch},
    Named{"train_epoch", StepField::kEpoch},
};

}  // namespace

std::optional<StepField> step_field_of(std::string_view name) {
  constexpr std::size_t kLongest = 32;
  if (name.size() > kLongest) return std::nullopt;
  std::string plain(name);
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == '/' || c == '.' || c == ' ') c = '_';
  }
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const Named& named) { return named.first == plain; });
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ringside::watch
