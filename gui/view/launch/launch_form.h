// The settings of the next run while a person edits them: texts as typed, the resulting RunSpec,
// and what is wrong with each. A value; changed by its own functions only, from one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/messages/spec/spec_problems.h"

namespace ringside::view {

/// A device that can be picked, or is in use; filled in by the caller from its probe.
struct DeviceSummary {
  int index = 0;
  std::string uuid;  ///< "GPU-5e1c9f0b-..."
  std::string name;  ///< "RTX A6000"
  std::int64_t memory_used_bytes = -1;
  std::int64_t memory_total_bytes = -1;
  double utilisation = -1;  ///< 0 .. 1
  double temperature_c = -1;
  double power_w = -1;
  std::string used_by;       ///< "uid 1003 · python 218114", "run #12"; empty: free
  bool takes_turns = false;  ///< used by a run of ours: another run would wait for it
  int numa_node = -1;
};

/// The link between two GPUs: their indexes in nvidia-smi, a < b, and nvidia-smi's word for it.
struct LinkSummary {
  int a = 0;
  int b = 0;
  std::string word;  ///< "NV4", "PIX", "PXB", "PHB", "NODE", "SYS", "?"
};

struct MachineSummary {
  std::vector<DeviceSummary> gpus;
  std::vector<LinkSummary> links;
  int cores = 1;                ///< 0: another machine that has not reported its devices yet
  std::int64_t busy_slots = 0;  ///< CPU slots in use by other runs
  std::string cpu_name;
  std::string driver;
  std::string elsewhere;  ///< "ssh://box": host of the ranks; empty: this machine
};

/// A finished run that can serve as the baseline.
struct BaselineChoice {
  std::string id;
  int number = 0;
  std::string title;
  double seconds = 0;
  double accuracy = -1;     ///< 0 .. 1; below 0: unknown
  bool same_work = true;    ///< same model, data and epochs as the form
  std::string brief = {};   ///< "47 settings equal, 1 CPU slot, 1 thread"
  std::string reason = {};  ///< why it counts as equal: one sentence
};

struct PresetChoice {
  std::string name;   ///< "e0_ddp2"
  std::string title;  ///< one line that describes it
  bool has_quick = false;
};

class LaunchForm {
 public:
  LaunchForm();
  /// `quick`: the settings are those of the preset's quick scale.
  explicit LaunchForm(messages::RunSpec spec, std::string preset = {}, bool quick = false);

  /// Sets "section.key" from typed text. Text that cannot be parsed is kept as typed, with its
  /// reason in error().
  void edit(const std::string& key, const std::string& text);
  /// Sets the program that each rank runs; one without argv is our trainer.
  void set_program(messages::ProgramSpec program);
  /// Restores the settings of the preset.
  void reset();
  void pick_device(const std::string& uuid, bool on);
  void pick_devices(std::vector<std::string> uuids);
  void set_cpu_ranks(int ranks);
  /// Picks the same devices as another form.
  void take_devices(const messages::DevicesSpec& devices);
  /// Lists the devices that "the first ones" stands for on this machine, so that they can be picked
  /// one by one.
  void settle_devices(const MachineSummary& machine);

  const messages::RunSpec& spec() const { return spec_; }
  /// The settings of the preset, unchanged.
  const messages::RunSpec& original() const { return original_; }
  const std::string& preset() const { return preset_; }
  bool quick() const { return quick_; }
  /// The text as typed if it could not be parsed, or else the value of the spec.
  std::string text(const std::string& key) const;
  /// The problem with the text of a field; empty: none.
  std::string error(const std::string& key) const;
  /// Number of fields whose text cannot be parsed.
  std::size_t errors() const { return errors_.size(); }
  /// The first reason why the settings are refused; empty: they are valid.
  std::string invalid() const { return problems_.empty() ? "" : problems_.front().message; }
  std::size_t problems() const { return problems_.size(); }
  bool is_picked(const std::string& uuid) const;
  std::uint64_t revision() const { return revision_; }

 private:
  void check();

  messages::RunSpec spec_;
  messages::RunSpec original_;
  std::string preset_;
  bool quick_ = false;
  std::map<std::string, std::string> typed_;     ///< only fields in error
  std::map<std::string, std::string> errors_;    ///< why texts cannot be parsed
  std::vector<messages::SpecProblem> problems_;  ///< why the settings are refused
  std::uint64_t revision_ = 1;
};

enum class FieldKind : std::uint8_t { kText, kNumber, kChoice, kSwitch, kList };
/// A setting as a form shows it. Nothing if the key does not exist.
struct FieldFacts {
  FieldKind kind = FieldKind::kText;
  std::string text;
  std::vector<std::string> choices;
};
std::optional<FieldFacts> field_facts(const messages::RunSpec& spec, const std::string& key);

/// Numbers of training and test samples of a named data set; nothing if the name is unknown.
struct DatasetSize {
  std::int64_t train = 0;
  std::int64_t test = 0;
};
std::optional<DatasetSize> dataset_size(const messages::DataSpec& data);
/// Number of parameters of the model for images of the data set; nothing if either is unknown.
std::optional<std::int64_t> model_parameters(const messages::RunSpec& spec);

}  // namespace ringside::view
