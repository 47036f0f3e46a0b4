// Tells which of the names that people give their values are those of a training step, so that they
// fill the charts of one. Only the training's own: a loss of validation is a curve of its name.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::watch {

enum class StepField : std::uint8_t { kLoss, kLearningRate, kGradNorm, kEpoch, kCount };

/// The field for "loss", "train_loss", "Loss/train", "train/learning_rate", "lr-AdamW", "epoch" and
/// the like; upper and lower case are the same, and so are "_", "-", "/", "." and a space.
std::optional<StepField> step_field_of(std::string_view name);

}  // namespace ringside::watch
