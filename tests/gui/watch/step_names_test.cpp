#include "gui/watch/step_names.h"

#include "tests/support/catch.h"

using namespace ringside::watch;

TEST_CASE("names of a training step are recognised as frameworks and people write them") {
  for (const char* name : {"loss", "train_loss", "train/loss", "Loss/train", "Train Loss",
                           "train_loss_step", "training-loss", "train.loss"}) {
    INFO(name);
    CHECK(step_field_of(name) == StepField::kLoss);
  }
  for (const char* name : {"lr", "train/learning_rate", "lr-AdamW", "learning_rate"}) {
    INFO(name);
    CHECK(step_field_of(name) == StepField::kLearningRate);
  }
  CHECK(step_field_of("train/grad_norm") == StepField::kGradNorm);
  CHECK(step_field_of("train/epoch") == StepField::kEpoch);
}

TEST_CASE("a loss of validation, or of an epoch, is not one of a step") {
  for (const char* name : {"val_loss", "eval/loss", "train_loss_epoch", "test loss", "val/acc",
                           "loss_scale", "", "losses"}) {
    INFO(name);
    CHECK_FALSE(step_field_of(name));
  }
}
