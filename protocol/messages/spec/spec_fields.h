// The descriptions of the settings: one list per section, in display order. Reading, writing,
// `--set`, range checks, the launch form, the documentation and the comparison of two runs use it.
// It is separate from the settings themselves, so that changing a label recompiles little.
// Constants; any thread.
#pragma once

#include <string>
#include <type_traits>

#include "protocol/messages/catalog_names.h"
#include "protocol/messages/field.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/messages/spec/training_fields.h"

namespace ringside::messages {

template <class Self, class Visit>
void ProgramSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"argv", "Program",
              "Command line of any program that takes torchrun's variables; each rank runs it"}
            .or_unset("our trainer"),
        s.argv);
  visit(
      Field{"cwd", "Working folder", "Folder in which each rank of the program runs"}
          .or_unset("where the run is started")
          .when({"program.argv is set", [](const auto& run) { return !run.program.argv.empty(); }})
          .folded(),
      s.cwd);
  visit(
      Field{"environment", "Environment",
            "Variables that each rank of the program gets beside those of the agent: NAME=value"}
          .or_unset("none of its own")
          .when({"program.argv is set", [](const auto& run) { return !run.program.argv.empty(); }})
          .folded(),
      s.environment);
  visit(
      Field{"instrument", "Instrument",
            "Python programs report their steps, losses and buckets without a changed line"}
          .when({"program.argv is set", [](const auto& run) { return !run.program.argv.empty(); }})
          .folded(),
      s.instrument);
  visit(
      Field{"keep_source", "Keep source",
            "The text of the program, without secrets, is kept in the run folder: its script, the "
            "modules beside it, what is not committed, versions of packages"}
          .when({"program.argv is set", [](const auto& run) { return !run.program.argv.empty(); }})
          .folded(),
      s.keep_source);
}

template <class Self, class Visit>
void DevicesSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"kind", "Device type", "auto: CUDA where there is a GPU, else CPU slots"}.one_of(
            "auto cuda cpu"),
        s.kind);
  visit(Field{"world_size", "World size", "Ranks of the run, one per device"}.in("ranks").between(
            1, 4096),
        s.world_size);
  visit(Field{"ids", "Devices", "UUIDs of the GPUs, one per rank"}.or_unset("the first ones"),
        s.ids);
  visit(Field{"threads", "Threads", "CPU threads of each rank"}
            .in("per rank")
            .or_unset("cores / ranks")
            .between(0, 4096)
            .folded(),
        s.threads);
  visit(Field{"affinity", "CPU affinity",
              "none: ranks run on any core; cores: each has cores of its own, near its GPU; numa: "
              "each stays on one NUMA node, that of its GPU"}
            .one_of("none cores numa")
            .folded(),
        s.affinity);
  visit(Field{"parallel", "Strategy",
              "ddp: one process per device; dp: one process for all devices, as DataParallel"}
            .one_of("ddp dp")
            .folded(),
        s.parallel);
  visit(Field{"when_busy", "Busy devices",
              "Devices that another run holds: wait for them, refuse to start, or share them"}
            .one_of("wait refuse share")
            .folded(),
        s.when_busy);
  const Condition several{"devices.nodes is above 1",
                          [](const auto& run) { return run.devices.nodes > 1; }};
  visit(Field{"nodes", "Nodes", "Machines of the run, each with an agent and a log of its own"}
            .between(1, 1024)
            .folded(),
        s.nodes);
  visit(Field{"ranks_per_node", "Ranks per node",
              "Ranks that each node takes, in order; the last node takes those that are left"}
            .in("ranks")
            .or_unset("evenly")
            .between(0, 4096)
            .when(several)
            .folded(),
        s.ranks_per_node);
  visit(Field{"interface", "Interface",
              "Network interface on which the ranks of several nodes meet, by name or address"}
            .or_unset("that of the default route")
            .when(several)
            .folded(),
        s.interface);
  visit(Field{"virtual_nodes", "Virtual nodes",
              "All nodes are on this host and share its devices: a rehearsal, not a measurement "
              "of a network"}
            .when(several)
            .folded(),
        s.virtual_nodes);
}

template <class Self, class Visit>
void ModelSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"name", "Model", "Network to train; none: the ranks only draw their samples"}.one_of(
            model_words()),
        s.name);
  visit(Field{"classes", "Classes", "Outputs of the last layer"}.between(2, 100000).folded(),
        s.classes);
  visit(Field{"stem", "Stem",
              "First layers. imagenet: 7x7 convolution of stride 2 and max-pooling; cifar: 3x3 "
              "of stride 1; cifar_stride2: 3x3 of stride 2"}
            .one_of(stem_words())
            .when({"model.name is a ResNet",
                   [](const auto& run) { return is_residual(run.model.name); }}),
        s.stem);
  visit(Field{"sync_batchnorm", "SyncBatchNorm", "Batch statistics over all ranks"}.folded().when(
            {"model.name is a ResNet and devices.world_size is above 1",
             [](const auto& run) {
               return is_residual(run.model.name) && run.devices.world_size > 1;
             }}),
        s.sync_batchnorm);
  visit(Field{"init_from", "Initial weights",
              "File of weights to start from: a state dict of torch.save, a checkpoint, or "
              "safetensors"}
            .or_unset("random weights")
            .folded(),
        s.init_from);
}

template <class Self, class Visit>
void DataSpec::fields(Self& s, Visit&& visit) {
  const Condition generated{"data.name is a generated set",
                            [](const auto& run) { return is_generated(run.data.name); }};
  const Condition images{"data.name is a set of images",
                         [](const auto& run) { return has_images(run.data.name); }};
  visit(Field{"name", "Dataset",
              "Generated, published (`ringside data get`), image_folder: a folder per class; "
              "integers: "
              "numbers for model none"}
            .one_of(data_set_words()),
        s.name);
  visit(Field{"root", "Data folder", "Folder that holds, or gets, the files"}
            .or_unset("the cache folder")
            .when(images),
        s.root);
  visit(Field{"train_samples", "Training samples", "Size of the generated training set"}
            .in("samples")
            .between(1, 10e6)
            .when(generated),
        s.train_samples);
  visit(Field{"test_samples", "Test samples", "Size of the generated test set"}
            .in("samples")
            .between(1, 10e6)
            .when(generated)
            .folded(),
        s.test_samples);
  visit(Field{"seed", "Data seed", "Seed of the generator"}.when(generated).folded(), s.seed);
  visit(Field{"mean", "Mean", "Subtracted from pixels of 0 to 1"}
            .in("per channel")
            .or_unset("the data set's own")
            .when(images)
            .folded(),
        s.mean);
  visit(Field{"std", "Standard deviation", "Divides pixels of 0 to 1 after the mean"}
            .in("per channel")
            .or_unset("the data set's own")
            .when(images)
            .folded(),
        s.std);
  visit(Field{"resize", "Resize", "Shorter side that images are scaled to; the middle is kept"}
            .in("pixels")
            .or_unset("original size")
            .between(0, 4096)
            .when(images)
            .folded(),
        s.resize);
  visit(Field{"crop", "Random crop", "Training: side of a square cut at a random place"}
            .in("pixels")
            .or_unset("whole image")
            .between(0, 4096)
            .when(images)
            .folded(),
        s.crop);
  visit(Field{"crop_padding", "Crop padding", "Zeros around the image before the crop"}
            .in("pixels")
            .between(0, 1024)
            .when({"data.crop is above 0", [](const auto& run) { return run.data.crop > 0; }})
            .folded(),
        s.crop_padding);
  visit(Field{"flip", "Random flip", "Training: half of the images are mirrored left to right"}
            .when(images)
            .folded(),
        s.flip);
  visit(Field{"workers", "Loader workers", "Threads that load batches"}
            .in("per rank")
            .or_unset("in the training thread")
            .between(0, 64)
            .folded(),
        s.workers);
  visit(Field{"on_device", "Dataset in GPU memory",
              "Holds the whole data set as bytes in device memory; crops and flips are made there, "
              "with train.cuda_graph inside of the graph"}
            .when(images)
            .on_gpu()
            .folded(),
        s.on_device);
  visit(Field{"pinned_mib", "Pinned memory",
              "Page-locked memory for the batches of training and evaluation on their way to a "
              "GPU, at most; where it is short fewer batches are loaded ahead, which may leave "
              "the GPU waiting for data"}
            .in("MiB per rank")
            .between(1, 1048576)
            .when(images)
            .on_gpu()
            .folded(),
        s.pinned_mib);
}

template <class Self, class Visit>
void BaselineSpec::fields(Self& s, Visit&& visit) {
  const Condition compared{"baseline.mode is not none",
                           [](const auto& run) { return run.baseline.mode != "none"; }};
  visit(Field{"mode", "Baseline",
              "run: trains it first, on one device; reuse: compares with baseline.run, or with "
              "the newest equal run"}
            .one_of("none run reuse"),
        s.mode);
  visit(Field{"run", "Baseline run",
              "Id of the run to compare with; filled in when the experiment is planned"}
            .or_unset("the newest equal run")
            .when(compared),
        s.run);
  visit(Field{"set", "Baseline settings",
              "Settings that the baseline has instead, such as \"train.precision=fp32\"; it then "
              "runs on the same devices"}
            .or_unset("the same work on one device")
            .when(compared)
            .folded(),
        s.set);
  visit(Field{"also_on", "Also on",
              "Numbers of devices, below devices.world_size, on which it runs after the baseline"}
            .in("devices")
            .or_unset("only this run")
            .when(compared)
            .folded(),
        s.also_on);
}

template <class Self, class Visit>
void LimitsSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"restarts", "Restarts", "How often all ranks are restarted after a failure"}
            .between(0, 1000)
            .folded(),
        s.restarts);
  visit(Field{"grace_s", "Grace period", "Time between SIGTERM and SIGKILL"}
            .in("s")
            .between(0.1, 3600)
            .folded(),
        s.grace_s);
  visit(Field{"stall_s", "Stalled after", "A rank that ends no step for so long is reported"}
            .in("s")
            .between(1, 86400)
            .folded(),
        s.stall_s);
  visit(Field{"collective_timeout_s", "Collective timeout",
              "A collective operation that takes longer fails"}
            .in("s")
            .between(1, 86400)
            .folded(),
        s.collective_timeout_s);
  visit(Field{"crash_step", "Crash after",
              "To show what restarts do: in the first attempt the last rank kills itself after "
              "so many steps"}
            .in("steps")
            .or_unset("never")
            .from(0)
            .folded(),
        s.crash_step);
}

template <class Self, class Visit>
void InjectSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"fault", "Fault",
              "Made on purpose by one rank; only with RINGSIDE_INJECT=1 in the environment. "
              "delay_*: it sleeps in that phase (bucket: before its last gradient bucket is "
              "ready); nan_gradient: one of its gradients is NaN in the first of the steps; "
              "corrupt_parameter: one of its parameters is another after that step; stop_rank: "
              "it stops itself (SIGSTOP)"}
            .one_of("none delay_data delay_forward delay_backward delay_bucket delay_optimizer "
                    "nan_gradient corrupt_parameter stop_rank")
            .folded(),
        s.fault);
  visit(Field{"rank", "Faulty rank", "The rank that makes the fault"}.from(0).folded(), s.rank);
  visit(Field{"delay_ms", "Delay", "How long it sleeps in each of the steps"}
            .in("ms")
            .between(0, 60000)
            .folded(),
        s.delay_ms);
  visit(
      Field{"from_step", "From step", "The first step with the fault"}.in("steps").from(0).folded(),
      s.from_step);
  visit(Field{"steps", "Steps with it", "How many steps are delayed"}
            .in("steps")
            .or_unset("all that follow")
            .from(0)
            .folded(),
        s.steps);
  visit(Field{"every", "Again every", "So many steps after their first, as many are delayed again"}
            .in("steps")
            .or_unset("never")
            .from(0)
            .folded(),
        s.every);
}

template <class Self, class Visit>
void RunSpec::fields(Self& s, Visit&& visit) {
  visit(Field{"name", "Name", "What lists and plots call the run"}.or_unset(
            "made from model, data and ranks"),
        s.name);
  visit("program", s.program);
  visit("devices", s.devices);
  visit("model", s.model);
  visit("data", s.data);
  visit("batch", s.batch);
  visit("train", s.train);
  visit("optimizer", s.optimizer);
  visit("schedule", s.schedule);
  visit("sampler", s.sampler);
  visit("evaluate", s.evaluate);
  visit("checkpoint", s.checkpoint);
  visit("baseline", s.baseline);
  visit("limits", s.limits);
  visit("inject", s.inject);
}

/// Calls visit(key, field, value) for every setting: "name", then "section.key".
template <class Spec, class Visit>
void each_setting(Spec& spec, Visit&& visit) {
  RunSpec::fields(spec, [&](const auto& name, auto& part) {
    if constexpr (std::is_same_v<std::decay_t<decltype(name)>, Field>) {
      visit(std::string(name.key), name, part);
    } else {
      const std::string section = std::string(name) + ".";
      std::decay_t<decltype(part)>::fields(part, [&](const Field& field, auto& value) {
        visit(section + std::string(field.key), field, value);
      });
    }
  });
}

}  // namespace ringside::messages
