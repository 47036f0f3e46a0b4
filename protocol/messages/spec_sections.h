// The sections of a run's spec, one struct each. One list of fields per section, in `fields`,
// drives reading, writing, `--set`, validation of names and the comparison of two runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/messages/data_catalog.h"
#include "protocol/messages/model_catalog.h"

namespace ringside::messages {

/// The allowed words of a text field; empty = free text.
using Choices = std::vector<std::string>;

struct ProgramSpec {
  std::vector<std::string>
      argv;  ///< empty: our trainer; else any program that takes torchrun's variables

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("argv", s.argv, Choices{});
  }
};

struct DevicesSpec {
  std::string kind = "auto";  ///< auto: CUDA where a GPU is, else CPU slots
  std::int64_t world_size = 1;
  std::vector<std::string> ids;  ///< GPU UUIDs, one per rank; empty: the first ones
  std::int64_t threads =
      0;  ///< CPU threads per rank; 0: cores / ranks of the experiment, at least 1
  std::string parallel =
      "ddp";  ///< ddp: one process per device; dp: one process for all, as DataParallel did
  std::string when_busy =
      "wait";  ///< devices that another run has: wait for them, refuse to start, or share them

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("kind", s.kind, Choices{"auto", "cuda", "cpu"});
    visit("world_size", s.world_size, Choices{});
    visit("ids", s.ids, Choices{});
    visit("threads", s.threads, Choices{});
    visit("parallel", s.parallel, Choices{"ddp", "dp"});
    visit("when_busy", s.when_busy, Choices{"wait", "refuse", "share"});
  }
};

struct ModelSpec {
  std::string name = "convnet";  ///< none: nothing is trained, the ranks only draw their samples
  std::int64_t classes = 10;
  std::string stem = "imagenet";  ///< resnet only: 7x7 stride 2 and max-pool; cifar: 3x3 stride 1,
                                  ///< no pooling; cifar_stride2: 3x3 stride 2, no pooling
  bool sync_batchnorm = false;    ///< batch statistics over all ranks
  std::string init_from;  ///< weights to start from: a state dict of torch.save, a checkpoint, or
                          ///< safetensors; empty: random

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name, model_names());
    visit("classes", s.classes, Choices{});
    visit("stem", s.stem, stem_names());
    visit("sync_batchnorm", s.sync_batchnorm, Choices{});
    visit("init_from", s.init_from, Choices{});
  }
};

struct DataSpec {
  std::string name = "digits";  ///< of the table in data_catalog.cpp
  std::string root;             ///< folder that holds (or gets) the files; empty: the cache folder
  std::int64_t train_samples = 6000;  ///< generated sets only
  std::int64_t test_samples = 1000;   ///< generated sets only
  std::int64_t seed = 0;              ///< of the generator
  std::vector<double> mean;           ///< per channel; empty: the set's usual values
  std::vector<double> std;
  std::int64_t resize = 0;        ///< shorter side in pixels, then the middle; 0: as it is
  std::int64_t crop = 0;          ///< train: side of a random square; 0: whole image
  std::int64_t crop_padding = 0;  ///< zeros around the image before the crop
  bool flip = false;              ///< train: left and right swapped, every second time
  std::int64_t workers = 1;       ///< loader threads per rank; 0: in the training thread
  bool on_device = false;         ///< GPU: the whole set as bytes in device memory

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name, data_set_names());
    visit("root", s.root, Choices{});
    visit("train_samples", s.train_samples, Choices{});
    visit("test_samples", s.test_samples, Choices{});
    visit("seed", s.seed, Choices{});
    visit("mean", s.mean, Choices{});
    visit("std", s.std, Choices{});
    visit("resize", s.resize, Choices{});
    visit("crop", s.crop, Choices{});
    visit("crop_padding", s.crop_padding, Choices{});
    visit("flip", s.flip, Choices{});
    visit("workers", s.workers, Choices{});
    visit("on_device", s.on_device, Choices{});
  }
};

struct BatchSpec {
  std::int64_t size = 64;
  std::string meaning =
      "global";  ///< global: size / ranks each (strong scaling); per_rank: size each (weak)
  std::int64_t accumulate = 1;  ///< parts that a rank's batch is cut into; one exchange for all
  bool drop_last = false;       ///< leave out the short batch at the end of an epoch

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("size", s.size, Choices{});
    visit("meaning", s.meaning, Choices{"global", "per_rank"});
    visit("accumulate", s.accumulate, Choices{});
    visit("drop_last", s.drop_last, Choices{});
  }
};

struct TrainSpec {
  std::int64_t epochs = 3;  ///< 0: evaluate only
  std::int64_t seed = 42;
  std::string precision = "fp32";  ///< tf32: of a GPU's tensor cores; bf16, fp16: autocast of
                                   ///< forward and loss, fp16 with a loss scaler
  bool deterministic = false;      ///< only algorithms that give the same bits every time
  bool channels_last = false;      ///< memory format of images and weights
  bool cudnn_benchmark = false;    ///< GPU: try the convolutions' algorithms and keep the fastest
  bool cuda_graph = false;         ///< GPU: record the step once and replay it
  std::int64_t max_steps = 0;      ///< 0: no limit

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("epochs", s.epochs, Choices{});
    visit("seed", s.seed, Choices{});
    visit("precision", s.precision, Choices{"fp32", "tf32", "bf16", "fp16"});
    visit("deterministic", s.deterministic, Choices{});
    visit("channels_last", s.channels_last, Choices{});
    visit("cudnn_benchmark", s.cudnn_benchmark, Choices{});
    visit("cuda_graph", s.cuda_graph, Choices{});
    visit("max_steps", s.max_steps, Choices{});
  }
};

struct OptimizerSpec {
  std::string name = "sgd";
  double lr = 0.01;
  double momentum = 0.9;
  double weight_decay = 0.0;
  bool nesterov = false;
  double beta1 = 0.9;            ///< adam, adamw
  double beta2 = 0.999;          ///< adam, adamw
  double eps = 1e-8;             ///< adam, adamw
  std::string lr_rule = "none";  ///< linear, sqrt: lr times (the square root of) global batch /
                                 ///< lr_batch
  std::int64_t lr_batch =
      0;  ///< the global batch that lr was chosen for; 0: that of one rank alone

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name, Choices{"sgd", "adam", "adamw"});
    visit("lr", s.lr, Choices{});
    visit("momentum", s.momentum, Choices{});
    visit("weight_decay", s.weight_decay, Choices{});
    visit("nesterov", s.nesterov, Choices{});
    visit("beta1", s.beta1, Choices{});
    visit("beta2", s.beta2, Choices{});
    visit("eps", s.eps, Choices{});
    visit("lr_rule", s.lr_rule, Choices{"none", "linear", "sqrt"});
    visit("lr_batch", s.lr_batch, Choices{});
  }
};

struct ScheduleSpec {
  std::string name = "constant";  ///< step: times gamma every step_epochs; multistep: at each of
                                  ///< milestones; cosine: half a wave down to min_lr over all
                                  ///< steps; onecycle: up to lr and down again, step by step
  std::int64_t step_epochs = 5;
  double gamma = 0.1;
  std::vector<std::int64_t> milestones;  ///< epochs, rising
  double min_lr = 0.0;                   ///< cosine: the last value
  double rise = 0.3;                     ///< onecycle: share of the steps before the top
  double div_factor = 25.0;              ///< onecycle: lr / div_factor at the start
  double final_div_factor = 1e4;         ///< onecycle: the start divided by this at the end
  std::int64_t warmup_steps = 0;  ///< the first steps rise in a line; multiplies the schedule
  double warmup_factor = 0.1;     ///< of the first step

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name, Choices{"constant", "step", "multistep", "cosine", "onecycle"});
    visit("step_epochs", s.step_epochs, Choices{});
    visit("gamma", s.gamma, Choices{});
    visit("milestones", s.milestones, Choices{});
    visit("min_lr", s.min_lr, Choices{});
    visit("rise", s.rise, Choices{});
    visit("div_factor", s.div_factor, Choices{});
    visit("final_div_factor", s.final_div_factor, Choices{});
    visit("warmup_steps", s.warmup_steps, Choices{});
    visit("warmup_factor", s.warmup_factor, Choices{});
  }
};

struct SamplerSpec {
  bool shuffle = true;
  bool set_epoch = true;           ///< a new order each epoch
  std::string padding = "repeat";  ///< repeat: the first samples again so that ranks are equal;
                                   ///< none: leave the tail out
  std::int64_t seed = -1;          ///< -1: train.seed

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("shuffle", s.shuffle, Choices{});
    visit("set_epoch", s.set_epoch, Choices{});
    visit("padding", s.padding, Choices{"repeat", "none"});
    visit("seed", s.seed, Choices{});
  }
};

struct EvaluateSpec {
  std::int64_t every_epochs = 1;
  std::string mode = "exact";  ///< exact: every sample once, shared out over the ranks; padded:
                               ///< equal shares, the first samples again; rank0: one rank, the
                               ///< others wait

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("every_epochs", s.every_epochs, Choices{});
    visit("mode", s.mode, Choices{"exact", "padded", "rank0", "none"});
  }
};

struct CheckpointSpec {
  std::int64_t every_epochs = 1;  ///< 0: only when stopped
  std::int64_t every_steps = 0;   ///< 0: only at the end of epochs
  std::int64_t keep = 3;          ///< newest ones kept; 0: all
  bool best = false;              ///< the one of the best validation accuracy is kept as well
  std::string naming = "epoch";   ///< epoch: epoch_001.pt; ranks_epoch: 4ranks_epoch_001.pt
  std::string resume = "none";  ///< none, auto (newest of this folder) or the path of a checkpoint

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("every_epochs", s.every_epochs, Choices{});
    visit("every_steps", s.every_steps, Choices{});
    visit("keep", s.keep, Choices{});
    visit("best", s.best, Choices{});
    visit("naming", s.naming, Choices{"epoch", "ranks_epoch"});
    visit("resume", s.resume, Choices{});
  }
};

struct BaselineSpec {
  std::string mode = "none";  ///< run: train it first on one device; reuse: compare with `run`, or
                              ///< with the newest equal run where none is named
  std::string run;            ///< id of the baseline run; filled in when the experiment is planned

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("mode", s.mode, Choices{"none", "run", "reuse"});
    visit("run", s.run, Choices{});
  }
};

struct LimitsSpec {
  std::int64_t restarts = 0;  ///< how often the whole group begins again after a failure
  double grace_s = 30.0;      ///< from TERM to KILL
  double stall_s = 60.0;      ///< a rank without a step for so long is named
  double collective_timeout_s = 120.0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("restarts", s.restarts, Choices{});
    visit("grace_s", s.grace_s, Choices{});
    visit("stall_s", s.stall_s, Choices{});
    visit("collective_timeout_s", s.collective_timeout_s, Choices{});
  }
};

}  // namespace ringside::messages
