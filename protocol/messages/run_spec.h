// All that a person chose for one run, as read from TOML and as stored, resolved, in the run
// folder. Plain data and pure functions. One list of fields per section, in `fields`, drives
// reading, writing,
// `--set`, validation of names and the comparison of two runs; it holds exactly what this version
// can do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

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

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("kind", s.kind, Choices{"auto", "cuda", "cpu"});
    visit("world_size", s.world_size, Choices{});
    visit("ids", s.ids, Choices{});
    visit("threads", s.threads, Choices{});
  }
};

struct ModelSpec {
  std::string name = "convnet";
  std::int64_t classes = 10;
  std::string stem =
      "imagenet";  ///< resnet only: 7x7 stride 2 and max-pool, or 3x3 stride 1 for small images
  std::string init_from;  ///< weights to start from (a state dict saved by torch); empty: random

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name, Choices{"convnet", "resnet18"});
    visit("classes", s.classes, Choices{});
    visit("stem", s.stem, Choices{"imagenet", "cifar"});
    visit("init_from", s.init_from, Choices{});
  }
};

struct DataSpec {
  std::string name =
      "digits";      ///< digits, shapes: generated; mnist, fashion_mnist, cifar10: from files
  std::string root;  ///< folder that holds (or gets) the files; empty: the cache folder
  std::int64_t train_samples = 6000;  ///< generated sets only
  std::int64_t test_samples = 1000;   ///< generated sets only
  std::int64_t seed = 0;              ///< of the generator
  std::vector<double> mean;           ///< per channel; empty: the set's usual values
  std::vector<double> std;
  std::int64_t workers = 1;  ///< loader threads per rank; 0: in the training thread

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name, Choices{"digits", "shapes", "mnist", "fashion_mnist", "cifar10"});
    visit("root", s.root, Choices{});
    visit("train_samples", s.train_samples, Choices{});
    visit("test_samples", s.test_samples, Choices{});
    visit("seed", s.seed, Choices{});
    visit("mean", s.mean, Choices{});
    visit("std", s.std, Choices{});
    visit("workers", s.workers, Choices{});
  }
};

struct BatchSpec {
  std::int64_t size = 64;
  std::string meaning =
      "global";  ///< global: size / ranks each (strong scaling); per_rank: size each (weak)

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("size", s.size, Choices{});
    visit("meaning", s.meaning, Choices{"global", "per_rank"});
  }
};

struct TrainSpec {
  std::int64_t epochs = 3;
  std::int64_t seed = 42;
  std::string precision = "fp32";  ///< bf16: autocast of forward and loss
  std::int64_t max_steps = 0;      ///< 0: no limit

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("epochs", s.epochs, Choices{});
    visit("seed", s.seed, Choices{});
    visit("precision", s.precision, Choices{"fp32", "bf16"});
    visit("max_steps", s.max_steps, Choices{});
  }
};

struct OptimizerSpec {
  std::string name = "sgd";
  double lr = 0.01;
  double momentum = 0.9;
  double weight_decay = 0.0;
  bool nesterov = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name, Choices{"sgd"});
    visit("lr", s.lr, Choices{});
    visit("momentum", s.momentum, Choices{});
    visit("weight_decay", s.weight_decay, Choices{});
    visit("nesterov", s.nesterov, Choices{});
  }
};

struct ScheduleSpec {
  std::string name = "constant";  ///< step: lr times gamma every step_epochs epochs
  std::int64_t step_epochs = 5;
  double gamma = 0.1;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name, Choices{"constant", "step"});
    visit("step_epochs", s.step_epochs, Choices{});
    visit("gamma", s.gamma, Choices{});
  }
};

struct SamplerSpec {
  bool shuffle = true;
  bool set_epoch = true;           ///< a new order each epoch
  std::string padding = "repeat";  ///< repeat: the first samples again so that ranks are equal;
                                   ///< none: leave the tail out

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("shuffle", s.shuffle, Choices{});
    visit("set_epoch", s.set_epoch, Choices{});
    visit("padding", s.padding, Choices{"repeat", "none"});
  }
};

struct EvaluateSpec {
  std::int64_t every_epochs = 1;
  std::string mode = "exact";  ///< exact: every sample once, sharded over the ranks

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("every_epochs", s.every_epochs, Choices{});
    visit("mode", s.mode, Choices{"exact", "none"});
  }
};

struct CheckpointSpec {
  std::int64_t every_epochs = 1;  ///< 0: only when stopped
  std::int64_t keep = 3;          ///< newest ones kept; 0: all
  std::string resume = "none";  ///< none, auto (newest of this folder) or the path of a checkpoint

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("every_epochs", s.every_epochs, Choices{});
    visit("keep", s.keep, Choices{});
    visit("resume", s.resume, Choices{});
  }
};

struct BaselineSpec {
  std::string mode = "none";  ///< run: train it first on one device; reuse: compare with `run`
  std::string run;            ///< id of the baseline run; filled in when the experiment is planned

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("mode", s.mode, Choices{"none", "run", "reuse"});
    visit("run", s.run, Choices{});
  }
};

struct LimitsSpec {
  double grace_s = 30.0;  ///< from TERM to KILL
  double stall_s = 60.0;  ///< a rank without a step for so long is named
  double collective_timeout_s = 120.0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("grace_s", s.grace_s, Choices{});
    visit("stall_s", s.stall_s, Choices{});
    visit("collective_timeout_s", s.collective_timeout_s, Choices{});
  }
};

struct RunSpec {
  std::string name;  ///< free text; empty: made from model, data and ranks
  ProgramSpec program;
  DevicesSpec devices;
  ModelSpec model;
  DataSpec data;
  BatchSpec batch;
  TrainSpec train;
  OptimizerSpec optimizer;
  ScheduleSpec schedule;
  SamplerSpec sampler;
  EvaluateSpec evaluate;
  CheckpointSpec checkpoint;
  BaselineSpec baseline;
  LimitsSpec limits;

  template <class Self, class Visit>
  static void sections(Self& s, Visit&& visit) {
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
  }
};

/// Reads TOML over the defaults. `origin` names the text in errors. An unknown key, a wrong type or
/// a word that is not allowed is a bad request that names the key, the line and the nearest known
/// word.
Result<RunSpec> parse_run_spec(std::string_view toml, std::string_view origin);

/// Sets one field from text, as `--set section.key=value` gives it; `value` is TOML, bare words
/// allowed.
Result<void> set_field(RunSpec& spec, std::string_view assignment);

/// The whole spec as TOML, every field written out; parse_run_spec gives the same spec back.
std::string to_toml(const RunSpec& spec);

/// Numbers in range and fields that agree with each other (not: devices or files of this machine).
Result<void> validate(const RunSpec& spec);

/// One field that differs between two runs, as `section.key` and both values as TOML.
struct FieldDifference {
  std::string key;
  std::string left;
  std::string right;
};
std::vector<FieldDifference> differences(const RunSpec& left, const RunSpec& right);

/// The name, or "model · data · N ranks" where it is empty.
std::string display_name(const RunSpec& spec);

}  // namespace ringside::messages
