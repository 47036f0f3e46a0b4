// All that a person chose for one run, as read from TOML and as stored, resolved, in the run
// folder. Plain data and pure functions. It holds exactly what this version can do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/spec/spec_inject.h"
#include "protocol/messages/spec/spec_sections.h"
#include "protocol/messages/spec/spec_training.h"

namespace ringside::messages {

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
  InjectSpec inject;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
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

/// Processes that train: one per device, or one alone for devices.parallel = "dp".
std::int64_t process_count(const RunSpec& spec);

/// train.precision in words for a person: "fp32, TF32 convolutions" for PyTorch's default, which on
/// CPU slots is the same as "fp32".
std::string precision_text(const RunSpec& spec);

/// The seed of the sampler's first epoch.
std::int64_t sampler_seed(const RunSpec& spec);

/// One field that differs between two runs, as `section.key` and both values as TOML.
struct FieldDifference {
  std::string key;
  std::string left;
  std::string right;
};
std::vector<FieldDifference> differences(const RunSpec& left, const RunSpec& right);

/// "train.py": the script of a command line, the module behind -m, or the program.
std::string program_name(const std::vector<std::string>& argv);

/// The name, or "model · data · N ranks" where it is empty; "train.py · N ranks" of other programs.
std::string display_name(const RunSpec& spec);

}  // namespace ringside::messages
