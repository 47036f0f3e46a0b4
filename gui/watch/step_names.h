// Recognises names of values that belong to a training step, so that they fill the charts of steps.
// Only values of training: a validation loss is a separate curve. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::watch {

enum class StepField : std::uint8_t { kLoss, kLearningRate, kGradNorm, kEpoch, kCount };

/// The field for "loss", "train_loss", "Loss/train", "train/learning_rate", "lr-AdamW", "epoch" and
/// the like; ignores case, and "_", "-", "/", "." and spaces are equal.
std::optional<StepField> step_field_of(std::string_view name);

}  // namespace ringside::watch
