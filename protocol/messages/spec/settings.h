// All settings of a run as one list: for the form, `ringside presets --settings`, environment
// variables and tests. Constants; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages/field.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

struct Setting {
  std::string key;  ///< "optimizer.lr"
  Field field;
  std::string type;      ///< "number", "list of texts"
  std::string standard;  ///< the default, as TOML
};

/// All settings in the order in which a spec is written.
const std::vector<Setting>& settings();
/// The setting with that key, or null.
const Setting* find_setting(std::string_view key);
/// The label of a setting, such as "Learning rate"; empty if there is no such setting.
std::string label_of(std::string_view key);

/// Whether the values of the other settings let this one have an effect.
bool applies(const Field& field, const RunSpec& spec);

/// Whether this setting describes what the run did. A custom program has its own settings, so most
/// defaults of our trainer are not shown for it.
bool is_described(const RunSpec& spec, std::string_view key);

/// The differences in the settings that describe both runs.
std::vector<FieldDifference> described_differences(const RunSpec& left, const RunSpec& right);

/// Whether runs that differ in this setting only divide the same work differently, which makes no
/// difference if one of them has a single device.
bool is_sharing(std::string_view key, const RunSpec& one, const RunSpec& other);

}  // namespace ringside::messages
