// The Launch place as data: devices, form, both batch rows, plan, preflight, command preview, the
// button. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/launch/launch_form.h"
#include "gui/view/table.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Buttons of the page, and words of its checks. What follows ## is not drawn.
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
inline constexpr const char* kStarting = "Starting…";
inline constexpr const char* kNoGpuPicked = "Select at least one GPU.";
inline constexpr const char* kBadFields = "Some fields are not valid; they are marked.";
}  // namespace label

struct DeviceCard {
  std::string uuid;
  std::string title;       ///< "GPU 4", "CPU slot 0"
  std::string short_uuid;  ///< "GPU-5e1c9f0b"
  bool picked = false;
  bool can_pick = true;  ///< not while others use it
  Rank rank = kNoRank;   ///< it becomes
  double memory = -1;
  std::string memory_text;  ///< "0.4 / 48 GiB"
  std::string utilisation_text;
  std::string climate;  ///< "31 °C  22 W"
  std::string note;     ///< who uses it
  Tone note_tone = Tone::kDim;
};

/// "Launch 4 ranks": on the button.
std::string launch_label(std::int64_t ranks);
/// "Select the best 4"
std::string pick_best_label(std::size_t devices);

struct FieldView {
  std::string key;    ///< "optimizer.lr", for EditField
  std::string label;  ///< "Learning rate"
  FieldKind kind = FieldKind::kText;
  std::string text;
  bool on = false;  ///< kSwitch
  std::vector<std::string> choices;
  std::string suffix;  ///< unit: "epochs"
  std::string hint;    ///< "no limit", "11.2 M parameters, 44.7 MB of gradients"
  std::string tip;     ///< what it means, and its range
  std::string error;   ///< reason; empty: fine
};
/// The baselines follow this section: what comes after it is changed least.
inline constexpr const char* kEvaluationSection = "Sampler and evaluation";
/// The batch table stands in this one.
inline constexpr const char* kBatchSection = "Batch";

struct FormSection {
  std::string title;  ///< "Model and data", "Batch", ...
  std::vector<FieldView> fields;
  std::vector<FieldView> advanced;  ///< folded away until asked for
  std::size_t changed = 0;          ///< of the advanced ones: other than the preset has them
  bool wrong = false;               ///< an advanced one is in error: they are shown
};

enum class CheckState : std::uint8_t { kPass, kWarning, kFail, kRunning };
struct CheckView {
  CheckState state = CheckState::kPass;
  std::string title;  ///< "Selected GPUs are idle"
  std::string detail;
  std::string word;          ///< "Pass", "Warning", "Failed"
  std::string hint = {};     ///< what to do; empty: nothing
  std::string command = {};  ///< that does it, to be copied
};

/// How GPUs reach each other, as `nvidia-smi topo -m` says it.
enum class LinkKind : std::uint8_t { kNvlink, kSwitch, kNode, kSystem, kUnknown };
LinkKind link_kind(std::string_view word);
struct LinkLegend {
  std::string word;
  LinkKind kind = LinkKind::kUnknown;
  std::string meaning;  ///< "one PCIe switch"
};
struct LinkMatrix {
  Table table;  ///< a row per GPU, called by its index, and a column; no row with fewer than two
  std::vector<bool> picked;  ///< of the GPUs
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
  std::string why = {};  ///< the reason in full
};

struct PreviewTab {
  std::string title;  ///< "Command", "r0", "Resolved settings"
  std::vector<std::string> lines;
};

struct LaunchView {
  std::string devices_subtitle;  ///< "8 × RTX A6000, 48 GiB"
  std::vector<DeviceCard> cards;
  Sentence devices_empty;  ///< "No GPU found. Ranks will run on the CPU with Gloo."
  Sentence selected;       ///< "Selected 4, 5, 6, 7"
  LinkMatrix links;
  std::vector<std::string> best;  ///< uuids of as many free GPUs as are picked, whose slowest link
                                  ///< is the fastest; empty: there is nothing to choose from
  std::string form_subtitle;      ///< "preset: CIFAR-10, 60 epochs"
  std::vector<FormSection> sections;
  Table batch;  ///< a row per way to spread batches, called as batch.meaning has it: weak, strong;
                ///< one with one rank
  std::vector<BaselineRow> baseline;
  std::vector<Fact> plan;
  std::vector<CheckView> checks;
  std::string checks_summary;  ///< "7 passed, 2 warnings"
  std::vector<PreviewTab> preview;
  std::string button;  ///< "Launch 4 ranks"
  bool can_launch = false;
  std::string button_hint;  ///< what blocks, or "2 warnings do not block. Ctrl Enter launches."
};

/// Why batches cannot be spread in the way of that row; empty: they can.
inline const std::string& refusal(const TableRow& batch) { return batch.cells.back().text; }

/// `busy`: an experiment is being started; the button waits.
LaunchView build_launch_view(const LaunchForm& form, const MachineSummary& machine,
                             std::span<const BaselineChoice> baselines,
                             std::span<const CheckView> checks, bool busy);

}  // namespace ringside::view
