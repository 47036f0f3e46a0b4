// The sections of a run's spec about training itself; see spec_sections.h. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::messages {

/// Whole numbers up to this one are exact in every reader of the files, even if it reads
/// them as doubles.
constexpr double kMostSeed = 9007199254740992.0;

struct BatchSpec {
  std::int64_t size = 64;
  std::string meaning = "global";
  std::int64_t accumulate = 1;
  bool drop_last = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct TrainSpec {
  std::int64_t epochs = 3;
  std::int64_t seed = 42;
  std::string precision = "torch";
  bool deterministic = false;
  bool channels_last = false;
  bool cudnn_benchmark = false;
  bool cuda_graph = false;
  std::int64_t max_steps = 0;
  std::string stop_on = "none";
  std::int64_t compare_every = 500;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct OptimizerSpec {
  std::string name = "sgd";
  double lr = 0.01;
  double momentum = 0.9;
  double weight_decay = 0.0;
  bool nesterov = false;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  std::string lr_rule = "none";
  std::int64_t lr_batch = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct ScheduleSpec {
  std::string name = "constant";
  std::int64_t step_epochs = 5;
  double gamma = 0.1;
  std::vector<std::int64_t> milestones;
  double min_lr = 0.0;
  double rise = 0.3;
  double div_factor = 25.0;
  double final_div_factor = 1e4;
  std::int64_t warmup_steps = 0;
  double warmup_factor = 0.1;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct SamplerSpec {
  bool shuffle = true;
  bool set_epoch = true;
  std::string padding = "repeat";
  std::int64_t seed = -1;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct EvaluateSpec {
  std::int64_t every_epochs = 1;
  std::string mode = "exact";
  std::int64_t batch = 0;
  bool reload = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct CheckpointSpec {
  std::int64_t every_epochs = 1;
  std::int64_t first_epoch = 0;
  std::int64_t every_steps = 0;
  std::int64_t keep = 3;
  bool best = false;
  std::string naming = "epoch";
  std::string resume = "none";

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

}  // namespace ringside::messages
