#include "gui/view/run_context.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gui/analysis/progress.h"
#include "gui/analysis/work.h"
#include "gui/launch/launchers/launchers.h"
#include "gui/launch/program/program_files.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_end.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/runs/shown_state.h"
#include "gui/view/number_format.h"
#include "protocol/base/printable.h"
#include "protocol/messages/notice_codes.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/watched.h"
#include "protocol/messages/states.h"

namespace ringside::view {
namespace {

/// The first hello that any rank has sent; null if there is none.
const messages::RankHello* any_hello(const model::RunModel& model) {
  for (const Rank rank : model.ranks()) {
    if (model.rank(rank)->hello) return &*model.rank(rank)->hello;
  }
  return nullptr;
}

std::string backend_word(const std::string& backend) {
  if (backend == "nccl") return "NCCL";
  return backend == "gloo" ? "Gloo" : backend;
}

/// The option of the program's Python that ignores PYTHONPATH, through which our package is found;
/// empty if there is none.
std::string isolating_option(const std::vector<std::string>& argv) {
  std::size_t at = 1;
  for (std::size_t behind = 0; (behind = launch::behind_python_option(argv, at)) > at;
       at = behind) {
    const std::string& word = argv[at];
    const bool letters = word[1] != 'W' && word[1] != 'X' && word[1] != '-';
    if (letters && word.find_first_of("IE") != word.npos) return word;
  }
  return {};
}

/// Advice if a program was to be instrumented and is not.
std::string what_to_add(const std::vector<std::string>& argv) {
  const bool python = !argv.empty() && launch::is_python_program(argv[0]);
  const std::string option = python ? isolating_option(argv) : std::string();
  if (option.empty()) return "add `import ringside_rank` to the script.";
  return "Python's " + option + " hides Ringside's package; leave it out.";
}

}  // namespace

void set_state(RunContext& context, const runs::ShownState& state, const model::RunModel& model) {
  const Contact over = model::has_ended(model) ? Contact::kEnded : Contact::kInterrupted;
  const Contact going = state.live ? Contact::kLive : Contact::kEnded;
  context.contact = state.word == "lost contact" ? Contact::kLost : state.ended ? over : going;
  context.ended_as = state.ended ? state.word : std::string();
}

std::int64_t known_until_ns(const model::RunModel& model, const RunContext& context) {
  return context.by_file ? std::min(context.now_ns, model.last_ns()) : context.now_ns;
}

std::string run_label(int number, const std::string& id) {
  if (number > 0) return "#" + std::to_string(number);
  const std::size_t dash = id.rfind('-');
  return dash == std::string::npos ? id : id.substr(dash + 1);
}

bool on_gpus(const model::RunModel& model) {
  if (const auto* hello = any_hello(model))
    return hello->device_uuid.starts_with("GPU-") || hello->backend == "nccl";
  return model.spec().devices.kind == "cuda";
}

std::string run_title(const model::RunModel& model) {
  if (!model.spec().name.empty()) return printable_line(model.spec().name);
  const std::int64_t ranks = analysis::devices_of(model);
  const bool gpus = on_gpus(model);
  const std::string devices =
      gpus ? plural(ranks, "GPU", "GPUs") : plural(ranks, "CPU rank", "CPU ranks");
  if (!model.spec().program.argv.empty())
    return printable_line(messages::program_name(model.spec().program.argv)) + " · " + devices;
  return model.spec().model.name + " · " + model.spec().data.name + " · " + devices;
}

std::string batch_line(const model::RunModel& model) {
  const auto& spec = model.spec();
  const std::int64_t ranks = analysis::devices_of(model);
  if (messages::is_watched(spec)) return "watched files · " + plural(ranks, "rank", "ranks");
  if (!spec.program.argv.empty()) return "custom program · " + plural(ranks, "rank", "ranks");
  const std::int64_t each = spec.batch.meaning == "per_rank"
                                ? spec.batch.size
                                : spec.batch.size / std::max<std::int64_t>(1, ranks);
  std::string line = count_text(each) + (on_gpus(model) ? " per GPU × " : " per rank × ") +
                     count_text(ranks) + " = " + count_text(each * ranks) + " global";
  if (ranks > 1) line += spec.devices.parallel == "dp" ? " · DP" : " · DDP";
  const auto* hello = any_hello(model);
  if (hello != nullptr && !hello->backend.empty() && hello->backend != "solo")
    line += " · " + backend_word(hello->backend);
  return line + " · " + messages::precision_text(spec);
}

std::string injected_text(const messages::RunSpec& spec) {
  const messages::InjectSpec& inject = spec.inject;
  if (!inject.any()) return {};
  const std::string first = step_text(inject.from_step);
  std::string text = "Rank " + std::to_string(inject.rank);
  if (inject.fault == "nan_gradient") return text + " gets a NaN gradient in step " + first;
  if (inject.fault == "corrupt_parameter")
    return text + " gets another value in one parameter after step " + first;
  if (inject.fault == "stop_rank") return text + " stops itself (SIGSTOP) in step " + first;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPlaces{
      {{"delay_data", "while it loads data"},
       {"delay_bucket", "before its last gradient bucket"},
       {"delay_optimizer", "in the optimizer"}}};
  const auto named = std::ranges::find(kPlaces, inject.fault,
                                       &std::pair<std::string_view, std::string_view>::first);
  text += " sleeps " + value_text(inject.delay_ms) + " ms ";
  text += named == kPlaces.end() ? "in " + inject.fault.substr(inject.fault.find('_') + 1)
                                 : std::string(named->second);
  if (inject.steps > 0) text += ", in " + plural(inject.steps, "step", "steps");
  if (inject.steps > 0 || inject.from_step > 0) text += ", from step " + first + " on";
  if (inject.every > 0) text += ", again every " + plural(inject.every, "step", "steps");
  return text;
}

std::string unseen_program(const model::RunModel& model) {
  constexpr std::int64_t kPatienceNs = 30'000'000'000;  // importing torch may take half of this
  if (model.spec().program.argv.empty() || any_hello(model) != nullptr) return {};
  if (messages::is_watched(model.spec()))
    return "Its values were taken from files of another tool, which tell nothing of processes, "
           "devices and the parts of a step.";
  // A failed run may never have reached that point.
  const bool done = model.run_state() && model.run_state()->state == messages::State::kFinished;
  const std::int64_t began = analysis::began_ns(model);
  if (!done && (began == 0 || model.last_ns() - began < kPatienceNs)) return {};
  const auto& notices = model.notices();
  const bool nested = std::ranges::any_of(
      notices, [](const auto& entry) { return entry.notice.code == messages::kNestedRanks; });
  const std::string why =
      nested ? "A launcher inside of it starts the ranks that train."
      : !model.spec().program.instrument
          ? "Instrumentation is off (program.instrument = false)."
          : std::string(done ? "Not instrumented: "
                             : "If its first step is over, it is not instrumented: ") +
                what_to_add(model.spec().program.argv);
  return why + " Its processes, memory and output are shown.";
}

std::string why_no_steps(const model::RunModel& model) {
  if (any_hello(model) == nullptr) return unseen_program(model);
  const auto& notices = model.notices();
  const auto told = std::ranges::find_if(
      notices, [](const auto& entry) { return entry.notice.code == messages::kNoSteps; });
  if (told != notices.end()) return told->notice.text;
  return "No optimizer of torch stepped in it, and rs.step was not called.";
}

}  // namespace ringside::view
