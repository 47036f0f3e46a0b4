// The descriptions of the training settings; included by spec_fields.h, which explains them.
// Constants; any thread.
#pragma once

#include "protocol/messages/field.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

template <class Self, class Visit>
void BatchSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"size", "Batch size", "Samples per optimizer step"}.in("samples").between(1, 1e6),
        s.size);
  visit(Field{"meaning", "Batch size is",
              "global: size / ranks for each rank (strong scaling); per_rank: size for each rank "
              "(weak scaling)"}
            .one_of("global per_rank"),
        s.meaning);
  visit(Field{"accumulate", "Gradient accumulation",
              "Micro-batches that a rank's batch is split into; one all-reduce for all of them"}
            .in("micro-batches")
            .between(1, 1e4)
            .folded(),
        s.accumulate);
  visit(Field{"drop_last", "Drop last batch", "Leaves out the short batch at the end of an epoch"}
            .folded(),
        s.drop_last);
}

template <class Self, class Visit>
void TrainSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"epochs", "Epochs", "Passes over the training set; 0: evaluate only"}
            .in("epochs")
            .between(0, 1e6),
        s.epochs);
  visit(
      Field{"seed", "Seed", "Seed of weights, sample order and augmentation"}.between(0, kMostSeed),
      s.seed);
  visit(Field{"precision", "Precision",
              "torch: fp32 as PyTorch sets it up, cuDNN's convolutions in TF32 where the GPU has "
              "it; fp32: IEEE throughout; tf32: matrix products too; bf16, fp16: autocast of "
              "forward and loss, fp16 with a loss scaler"}
            .one_of("torch fp32 tf32 bf16 fp16"),
        s.precision);
  visit(
      Field{"deterministic", "Deterministic", "Only algorithms that give the same bits every time"}
          .folded(),
      s.deterministic);
  visit(Field{"channels_last", "Channels last", "Memory format of images and weights"}.folded(),
        s.channels_last);
  visit(Field{"cudnn_benchmark", "cuDNN benchmark",
              "Tries the algorithms of each convolution and keeps the fastest"}
            .on_gpu()
            .folded(),
        s.cudnn_benchmark);
  visit(Field{"cuda_graph", "CUDA graph",
              "Captures the 12th training step, its bucket all-reduces included, and replays it"}
            .on_gpu()
            .folded(),
        s.cuda_graph);
  visit(Field{"max_steps", "Step limit", "Training ends after so many optimizer steps"}
            .in("steps")
            .or_unset("no limit")
            .from(0),
        s.max_steps);
  visit(Field{"stop_on", "Stop on",
              "none: trains on, and a run whose loss is NaN or Inf at its end counts as failed "
              "(exit code 1); never: it does not count, as one may want of a script; nan: our "
              "trainer fails when a loss is NaN or Inf; divergence: also when over 50 steps it is "
              "twice that of the first step, which a resumed run does not know"}
            .one_of("none never nan divergence")
            .folded(),
        s.stop_on);
  visit(Field{"compare_every", "Compare replicas every",
              "How often the ranks compare a checksum of their parameters, without waiting for "
              "it; they always do at the end"}
            .in("steps")
            .or_unset("at the end only")
            .from(0)
            .folded(),
        s.compare_every);
}

template <class Self, class Visit>
void OptimizerSpec::fields(Self& s, Visit&& visit) {
  const Condition sgd{"optimizer.name is sgd",
                      [](const auto& run) { return run.optimizer.name == "sgd"; }};
  const Condition adam{"optimizer.name is adam or adamw",
                       [](const auto& run) { return run.optimizer.name != "sgd"; }};
  visit(Field{"name", "Optimizer", "How gradients become updates of the weights"}.one_of(
            "sgd adam adamw"),
        s.name);
  visit(
      Field{"lr", "Learning rate", "Before LR scaling rule, schedule and warm-up"}.between(0, 1e6),
      s.lr);
  visit(Field{"momentum", "Momentum", "Share of the last update that is kept"}.between(0, 1).when(
            sgd),
        s.momentum);
  visit(Field{"weight_decay", "Weight decay", "L2 penalty; adamw: decoupled from the gradient"}
            .between(0, 1e3),
        s.weight_decay);
  visit(Field{"nesterov", "Nesterov momentum", "Nesterov's variant; needs momentum above 0"}
            .when(sgd)
            .folded(),
        s.nesterov);
  visit(Field{"beta1", "Beta 1", "Decay of the running mean of gradients"}
            .between(0, 0.999999)
            .when(adam)
            .folded(),
        s.beta1);
  visit(Field{"beta2", "Beta 2", "Decay of the running mean of squared gradients"}
            .between(0, 0.999999999)
            .when(adam)
            .folded(),
        s.beta2);
  visit(Field{"eps", "Epsilon", "Added to the denominator of an update"}
            .between(0, 1)
            .when(adam)
            .folded(),
        s.eps);
  visit(Field{"lr_rule", "LR scaling rule",
              "linear: learning rate times global batch / optimizer.lr_batch; sqrt: times its "
              "square root"}
            .one_of("none linear sqrt"),
        s.lr_rule);
  visit(Field{"lr_batch", "LR batch size", "Global batch that the learning rate was chosen for"}
            .in("samples")
            .or_unset("that of one rank")
            .from(0)
            .when({"optimizer.lr_rule is not none",
                   [](const auto& run) { return run.optimizer.lr_rule != "none"; }})
            .folded(),
        s.lr_batch);
}

template <class Self, class Visit>
void ScheduleSpec::fields(Self& s, Visit&& visit) {
  const Condition onecycle{"schedule.name is onecycle",
                           [](const auto& run) { return run.schedule.name == "onecycle"; }};
  visit(Field{"name", "LR schedule",
              "step: times gamma every step_epochs; multistep: times gamma at each of "
              "milestones; cosine: down to min_lr over all steps; onecycle: up to lr and down "
              "again, step by step"}
            .one_of("constant step multistep cosine onecycle"),
        s.name);
  visit(
      Field{"step_epochs", "LR decay every", "Epochs between two decays"}.in("epochs").from(1).when(
          {"schedule.name is step", [](const auto& run) { return run.schedule.name == "step"; }}),
      s.step_epochs);
  visit(Field{"gamma", "gamma", "Factor of each decay"}.between(0, 1e3).when(
            {"schedule.name is step or multistep",
             [](const auto& run) {
               return run.schedule.name == "step" || run.schedule.name == "multistep";
             }}),
        s.gamma);
  visit(Field{"milestones", "LR milestones", "Epochs after which the rate decays, ascending"}
            .in("epochs")
            .when({"schedule.name is multistep",
                   [](const auto& run) { return run.schedule.name == "multistep"; }}),
        s.milestones);
  visit(Field{"min_lr", "Minimum LR", "Learning rate at the end"}.between(0, 1e6).when(
            {"schedule.name is cosine",
             [](const auto& run) { return run.schedule.name == "cosine"; }}),
        s.min_lr);
  visit(Field{"rise", "pct_start", "Share of the steps during which the rate rises"}
            .in("of all steps")
            .between(0, 1)
            .when(onecycle),
        s.rise);
  visit(Field{"div_factor", "div_factor", "The first rate is the learning rate / div_factor"}
            .from(1)
            .when(onecycle)
            .folded(),
        s.div_factor);
  visit(Field{"final_div_factor", "final_div_factor",
              "The last rate is the first rate / final_div_factor"}
            .between(1, 1e12)
            .when(onecycle)
            .folded(),
        s.final_div_factor);
  visit(Field{"warmup_steps", "Warm-up",
              "Steps in which a factor on the schedule rises linearly to 1"}
            .in("steps")
            .or_unset("none")
            .from(0),
        s.warmup_steps);
  visit(Field{"warmup_factor", "Warm-up factor", "Factor of the first step"}
            .between(0, 1)
            .when({"schedule.warmup_steps is above 0",
                   [](const auto& run) { return run.schedule.warmup_steps > 0; }})
            .folded(),
        s.warmup_factor);
}

template <class Self, class Visit>
void SamplerSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"shuffle", "Shuffle", "Draws the training set in random order"}, s.shuffle);
  visit(Field{"set_epoch", "New order each epoch",
              "Calls the sampler's set_epoch; without it each epoch repeats the first order"},
        s.set_epoch);
  visit(Field{"padding", "Sampler padding",
              "repeat: the first samples again, so that ranks are equal; none: leaves the "
              "remainder out"}
            .one_of("repeat none"),
        s.padding);
  visit(Field{"seed", "Sampler seed", "Seed of the first epoch's order"}
            .or_unset("train.seed")
            .between(-1, kMostSeed)
            .folded(),
        s.seed);
}

template <class Self, class Visit>
void EvaluateSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"every_epochs", "Evaluate every", "Epochs between two evaluations"}
            .in("epochs")
            .or_unset("only at the end")
            .from(0)
            .folded(),
        s.every_epochs);
  visit(Field{"mode", "Evaluation",
              "exact: every sample once, shared out over the ranks; padded: equal shares, the "
              "first samples again; rank0: one rank, the others wait"}
            .one_of("exact padded rank0 none"),
        s.mode);
  visit(Field{"batch", "Evaluation batch", "Samples that a rank evaluates at a time"}
            .in("samples")
            .or_unset("the training batch, 64 at least")
            .between(0, 1e6)
            .folded(),
        s.batch);
  visit(Field{"reload", "Evaluate the file",
              "The last evaluation is of the last checkpoint, read back from its file"}
            .when({"evaluate.mode is not none and checkpoint.every_epochs is above 0",
                   [](const auto& run) {
                     return run.evaluate.mode != "none" && run.checkpoint.every_epochs > 0;
                   }})
            .folded(),
        s.reload);
}

template <class Self, class Visit>
void CheckpointSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"every_epochs", "Checkpoint every", "Epochs between two checkpoints"}
            .in("epochs")
            .or_unset("only when stopped")
            .from(0),
        s.every_epochs);
  visit(Field{"first_epoch", "First checkpoint after",
              "Epoch that the others are counted from; the last epoch always has one"}
            .in("epochs")
            .or_unset("checkpoint.every_epochs")
            .from(0)
            .when({"checkpoint.every_epochs is above 1",
                   [](const auto& run) { return run.checkpoint.every_epochs > 1; }})
            .folded(),
        s.first_epoch);
  visit(Field{"every_steps", "Checkpoint every", "Steps between two checkpoints"}
            .in("steps")
            .or_unset("only at ends of epochs")
            .from(0)
            .folded(),
        s.every_steps);
  visit(Field{"keep", "Keep", "Newest checkpoints that are kept"}
            .in("checkpoints")
            .or_unset("all")
            .from(0),
        s.keep);
  visit(
      Field{"best", "Keep the best", "Keeps that of the best validation accuracy as well"}.folded(),
      s.best);
  visit(Field{"naming", "File names", "epoch: epoch_001.pt; ranks_epoch: 4ranks_epoch_001.pt"}
            .one_of("epoch ranks_epoch")
            .folded(),
        s.naming);
  visit(Field{"resume", "Resume from",
              "none, auto (the newest checkpoint of this folder) or the path of a checkpoint"}
            .folded(),
        s.resume);
}

}  // namespace ringside::messages
