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
/// Nullptr when there is no setting of that key.
const Setting* find_setting(std::string_view key);
/// What people call it: "Learning rate". Empty when there is no such setting.
std::string label_of(std::string_view key);

/// Whether a setting has a say beside the others.
bool applies(const Field& field, const RunSpec& spec);

/// Whether the settings of a run tell this one: a program of a person's own has settings of its
/// own, and what the default of ours says is never said of it.
bool is_told(const RunSpec& spec, std::string_view key);

/// The differences in what the settings of both tell.
std::vector<FieldDifference> told_differences(const RunSpec& left, const RunSpec& right);

/// Whether two runs that differ in this setting only share out the same work in another way, which
/// makes no difference where one of them has a single device.
bool is_sharing(std::string_view key, const RunSpec& one, const RunSpec& other);

}  // namespace ringside::messages
