// The form of a new study: the typed values and the resulting plan. Plain data and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/view/launch/slurm_form.h"

namespace ringside::view {

/// Labels of the form, shared by the window and its tests. The part after ## is not drawn.
namespace label {
inline constexpr const char* kNewStudy = "New study…";
inline constexpr const char* kAddPoint = "Add point…";
inline constexpr const char* kAddRepeats = "Add repeats…";
inline constexpr const char* kExportStudy = "Export##study";
inline constexpr const char* kContinueStudy = "Continue##study";
inline constexpr const char* kStopStudy = "Stop##study";
inline constexpr const char* kDeleteStudy = "Delete##study";
inline constexpr const char* kStartStudy = "Start##study";
inline constexpr const char* kCancelStudy = "Cancel##study";
}  // namespace label

/// The entry for a person's own command among the recipes.
inline constexpr const char* kOwnCommand = "a command of yours";
inline constexpr const char* kCompareDevices = "devices";
inline constexpr const char* kCompareSettings = "settings";

struct StudyForm {
  std::string more;  ///< study that gets more settings; empty: a new one
  std::string recipe = "demo";
  std::string command;  ///< shell command that is trained instead of a recipe
  bool quick = false;
  bool settings = false;  ///< compares values of settings, else numbers of devices
  /// Rows such as "optimizer.lr=0.01,0.03", in the syntax of --set; the last one is empty.
  std::vector<std::string> vary{""};
  std::string random;  ///< number of combinations to draw at random; empty: all
  std::string seed;    ///< seed of that draw; empty: 0
  std::string ranks;   ///< ranks of the command whose values are varied; empty: as the command says
  std::string world = "1,2";
  std::string repeats = "3";
  std::string series = "recipe";  ///< recipe, weak, strong, both
  std::string variants;
  bool fresh = false;  ///< ignores equal runs that exist already
  SlurmForm slurm{};   ///< Slurm options, if its runs are jobs
  bool own_command() const { return more.empty() && recipe == kOwnCommand; }
  bool operator==(const StudyForm&) const = default;
};

struct StudyFormField {
  std::string key;
  std::string label;
  std::string value;
  std::string hint;
  std::vector<std::string> words;  ///< choices; empty: a text is typed
  bool tick = false;               ///< on or off: "true", "false"
  bool half = false;               ///< two such fields share a row; the hint is inside the field
  bool wide = false;               ///< for long texts
};

struct StudyFormFacts {
  StudyForm form;
  std::vector<std::string> recipes;  ///< ready-made studies, presets, and kOwnCommand
  bool has_slurm = false;            ///< the machine submits jobs
  std::vector<std::string> lines;    ///< the plan in words
  std::string problem;
  bool planning = false;  ///< the lines are of an older form
  bool has_runs = false;  ///< something would be trained
  bool starting = false;
};

struct StudyFormView {
  std::string title;  ///< "New study", "More settings of S-07"
  std::vector<StudyFormField> fields;
  std::vector<std::string> lines;
  std::string problem;
  bool can_start = false;
};

StudyFormView build_study_form(const StudyFormFacts& facts);
/// What is written into its rows of settings, as --set takes it, where a short name such as "lr"
/// stands for the one setting that ends so; nothing where devices are compared.
std::vector<std::string> varied(const StudyForm& form);
/// Takes what was typed into a field; an unknown key changes nothing.
void edit_study(StudyForm& form, std::string_view key, const std::string& text);

}  // namespace ringside::view
