// The Launch page as data: devices, form, both batch rows, plan, preflight, command preview, and
// the button, for our trainer and for custom programs. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/choices.h"
#include "gui/view/launch/launch_form.h"
#include "gui/view/launch/script_form.h"
#include "gui/view/table.h"
#include "gui/view/words.h"

namespace ringside::runs {
struct RunSummary;
}

namespace ringside::view {

/// Buttons of the page, and texts of its checks. Text after ## is not drawn.
namespace label {
inline constexpr const char* kPresets = "Presets";
inline constexpr const char* kAddRank = "Add a rank";
inline constexpr const char* kRemoveRank = "Remove a rank";
inline constexpr const char* kClearDevices = "Clear";
inline constexpr const char* kLinks = "Links between GPUs";
inline constexpr const char* kCopyLinks = "Copy##links";
inline constexpr const char* kCopyBatch = "Copy##batch";
inline constexpr const char* kPass = "Pass";
inline constexpr const char* kWarning = "Warning";
inline constexpr const char* kFailed = "Failed";
inline constexpr const char* kLater = "Not yet";
inline constexpr const char* kStarting = "Starting…";
inline constexpr const char* kNoGpuPicked = "Select at least one GPU.";
inline constexpr const char* kBadFields = "Some fields are not valid; they are marked.";
inline constexpr const char* kOurTrainer = "Our trainer";
inline constexpr const char* kYourScript = "Your script";
inline constexpr const char* kAsking = "Asking Accelerate what this line starts ...";
inline constexpr const char* kNoProgram = "Drop a .py file here, or choose a program.";
inline constexpr const char* kBrowseScript = "Browse…##script";
inline constexpr const char* kLinksCheck = "Links";
inline constexpr const char* kProbe = "Probe";
inline constexpr const char* kProbing = "Probing…";
inline constexpr const char* kCancelProbe = "Cancel##probe";
}  // namespace label

struct DeviceCard {
  std::string uuid;
  std::string title;       ///< "GPU 4", "CPU slot 0"
  std::string short_uuid;  ///< "GPU-5e1c9f0b"
  bool picked = false;
  bool can_pick = true;  ///< false while others use it
  Rank rank = kNoRank;   ///< the rank that will use it
  double memory = -1;
  std::string memory_text;  ///< "0.4 / 48 GiB"
  std::string utilisation_text;
  std::string climate;  ///< "31 °C  22 W"
  std::string note;     ///< who uses it now
  Tone note_tone = Tone::kDim;
};

/// "Launch 4 ranks": the label of the button.
std::string launch_label(std::int64_t ranks);
/// "Select the best 4"
std::string pick_best_label(std::size_t devices);

struct FieldView {
  std::string key;    ///< "optimizer.lr", for EditField
  std::string label;  ///< "Learning rate"
  FieldKind kind = FieldKind::kText;
  std::string text;
  bool on = false;  ///< for kSwitch
  std::vector<std::string> choices;
  std::string suffix;  ///< unit: "epochs"
  std::string hint;    ///< "no limit", "11.2 M parameters, 44.7 MB of gradients"
  std::string tip;     ///< meaning and range
  std::string error;   ///< reason; empty: no error
};
/// The baselines follow this section; the settings after it are changed least.
inline constexpr const char* kEvaluationSection = "Sampler and evaluation";
/// This section contains the batch table.
inline constexpr const char* kBatchSection = "Batch";

struct FormSection {
  std::string title;  ///< "Model and data", "Batch", ...
  std::vector<FieldView> fields;
  std::vector<FieldView> advanced;  ///< folded away until opened
  std::size_t changed = 0;          ///< number of advanced fields that differ from the preset
  bool wrong = false;               ///< an advanced field has an error, so that they are shown
};

/// kLater: only known at the start of the run.
enum class CheckState : std::uint8_t { kPass, kWarning, kFail, kRunning, kLater };
struct CheckView {
  CheckState state = CheckState::kPass;
  std::string title;  ///< "Selected GPUs are idle"
  std::string detail;
  std::string word;          ///< "Pass", "Warning", "Failed"
  std::string hint = {};     ///< what to do; empty: nothing
  std::string command = {};  ///< a command for it, to be copied
  std::string action = {};   ///< button in the row: label::kProbe or kCancelProbe; empty: none
};

/// The kind of link between two GPUs, as reported by `nvidia-smi topo -m`.
enum class LinkKind : std::uint8_t { kNvlink, kSwitch, kNode, kSystem, kUnknown };
LinkKind link_kind(std::string_view word);
struct LinkLegend {
  std::string word;
  LinkKind kind = LinkKind::kUnknown;
  std::string meaning;  ///< "one PCIe switch"
};
struct LinkMatrix {
  Table table;  ///< a row and a column per GPU, named by its index; no rows with fewer than two
  std::vector<bool> picked;  ///< whether each GPU is picked
  std::vector<LinkLegend> legend;
  Sentence slowest;  ///< "Slowest link of the selected: NODE, GPU 4 and 6"
};

struct BaselineRow {
  std::string mode;  ///< "run", "reuse", "none": value of baseline.mode
  std::string run;   ///< id for reuse
  bool picked = false;
  std::string label;  ///< "Use run #983"
  std::string hint;   ///< "1 GPU, 33:38, val 76.04 %, same model, data and epochs"
  bool enabled = true;
  std::string why = {};  ///< the full reason
};

struct PreviewTab {
  std::string title;  ///< "Command", "r0", "Resolved settings"
  std::vector<std::string> lines;
};

/// A row of the environment; the last one is empty, for a new variable.
struct VariableView {
  std::size_t row = 0;
  std::string name;
  std::string value;
  bool secret = false;  ///< its value is hidden on the screen
  bool last = false;
  std::string error;
};

/// A script that was run recently, to run it again.
struct RecentScript {
  std::string run;     ///< id of its newest run
  std::string name;    ///< "train.py --lr 0.1"
  std::string detail;  ///< "#12, 2 ranks, in /home/someone/vision"
  bool operator==(const RecentScript&) const = default;
};
inline constexpr std::size_t kMostRecentScripts = 6;
/// Scripts of these runs, newest first; only the newest of those with the same command and folder.
std::vector<RecentScript> recent_scripts(std::span<const runs::RunSummary> runs);

/// The form for a custom program.
struct ScriptView {
  bool empty = true;    ///< nothing has been chosen yet
  std::string missing;  ///< why it cannot be started; empty: it can
  FieldView program, arguments, folder;
  std::string argv;                ///< R"(["python3", "train.py"])"; empty: unknown
  std::vector<std::string> notes;  ///< how a launcher's options were applied
  std::vector<VariableView> environment;
  std::vector<FieldView> fields;  ///< instrumentation, restarts, name
  FormSection limits;
  std::vector<RecentScript> recent;
};

struct LaunchView {
  RunKind kind = RunKind::kTrainer;
  ScriptView script;             ///< only for a custom program
  std::string devices_subtitle;  ///< "8 × RTX A6000, 48 GiB"
  std::vector<DeviceCard> cards;
  Sentence devices_empty;  ///< "No GPU found. Ranks will run on the CPU with Gloo."
  Sentence selected;       ///< "Selected 4, 5, 6, 7"
  LinkMatrix links;
  /// Uuids of as many free GPUs as are picked, whose slowest link is the fastest; empty: there is
  /// no better choice.
  std::vector<std::string> best;
  std::string form_subtitle;  ///< "preset: CIFAR-10, 60 epochs"
  FormSection where;          ///< this machine or Slurm; no fields: there is no choice
  std::vector<FormSection> sections;
  /// A row per way to spread batches, with batch.meaning as its key: weak, strong; a single one
  /// with one rank.
  Table batch;
  std::vector<BaselineRow> baseline;
  std::vector<Fact> plan;
  std::vector<CheckView> checks;
  std::string checks_summary;  ///< "7 passed, 2 warnings"
  std::vector<PreviewTab> preview;
  std::string button;  ///< "Launch 4 ranks"
  bool can_launch = false;
  /// Why it is blocked, or "2 warnings do not block. Ctrl Enter launches."
  std::string button_hint;
};

/// Why batches cannot be spread in the way of that row; empty: they can.
inline const std::string& refusal(const TableRow& batch) { return batch.cells.back().text; }

/// `busy`: a run is being started, so that the button is disabled.
LaunchView build_launch_view(const LaunchForm& form, const MachineSummary& machine,
                             std::span<const BaselineChoice> baselines,
                             std::span<const CheckView> checks, bool busy);
LaunchView build_script_launch_view(const ScriptForm& form, const MachineSummary& machine,
                                    std::span<const BaselineChoice> baselines,
                                    std::span<const CheckView> checks,
                                    std::span<const RecentScript> recent, bool busy);

}  // namespace ringside::view
