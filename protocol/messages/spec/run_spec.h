// All settings of one run, as read from TOML and as stored, resolved, in the run folder. Plain data
// and pure functions. It has no field that this version does not implement.
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
  std::string name;  ///< free text; empty: derived from model, data and ranks
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

/// Sets one field from text as in `--set section.key=value`; `value` is TOML, but words need no
/// quotes.
Result<void> set_field(RunSpec& spec, std::string_view assignment);

/// The whole spec as TOML with every field; parse_run_spec reads the same spec from it.
std::string to_toml(const RunSpec& spec);

/// Checks ranges and contradictions between fields, but not the devices or files of this machine.
Result<void> validate(const RunSpec& spec);

/// Number of training processes: one per device, or a single one for devices.parallel = "dp".
std::int64_t process_count(const RunSpec& spec);

/// train.precision for people: "fp32, TF32 convolutions" for PyTorch's default, which on CPU slots
/// is the same as "fp32".
std::string precision_text(const RunSpec& spec);

/// Seed of the sampler in the first epoch.
std::int64_t sampler_seed(const RunSpec& spec);

/// One field that differs between two runs: `section.key`, and both values as TOML.
struct FieldDifference {
  std::string key;
  std::string left;
  std::string right;
};
std::vector<FieldDifference> differences(const RunSpec& left, const RunSpec& right);

/// "train.py": the script in a command line, the module after -m, or the program.
std::string program_name(const std::vector<std::string>& argv);

/// The name; if empty, "model · data · N ranks", or "train.py · N ranks" for a custom program.
std::string display_name(const RunSpec& spec);

}  // namespace ringside::messages
