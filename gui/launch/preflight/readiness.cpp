#include "gui/launch/preflight/readiness.h"

#include <algorithm>
#include <type_traits>

#include "gui/launch/preflight/preflight.h"
#include "protocol/messages/spec/node_ranks.h"
#include "protocol/messages/spec/spec_fields.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

std::string text_field(const RunSpec& spec, const std::string& wanted) {
  std::string found;
  messages::each_setting(
      spec, [&](const std::string& key, const messages::Field&, const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
          if (key == wanted) found = value;
        }
      });
  return found;
}

std::string quick_hint(const LoadedPreset& preset) {
  if (!preset.file.spec.quick) return {};
  return "`ringside run " + preset.name +
         " --quick` runs it small, on CPU slots and generated data";
}

std::string count_of(std::size_t gpus) {
  return std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs");
}

}  // namespace

Readiness readiness(const LoadedPreset& preset, const RunSpec& spec, bool quick,
                    const Machine& machine) {
  const std::string hint = quick ? "" : quick_hint(preset);
  const auto wanted =
      static_cast<std::size_t>(std::max<std::int64_t>(1, messages::devices_of_host(spec, 0)));
  if (spec.devices.kind == "cuda" && !machine.elsewhere && machine.gpus.size() < wanted) {
    const std::string because =
        machine.driver_problem.empty() ? "" : " (" + machine.driver_problem + ")";
    return {false,
            preset.name + " needs " + count_of(wanted) + ", this machine has " +
                count_of(machine.gpus.size()) + because,
            hint};
  }
  const auto& about = preset.file.about;
  if (!quick && !about.needs.empty() && text_field(spec, about.needs).empty())
    return {false, preset.name + " needs " + about.needs + ": " + about.needs_hint, hint};
  if (spec.program.argv.empty() && spec.model.name != "none") {
    const Check data = check_data(spec.data);
    if (data.verdict == Verdict::kFail) return {false, result_text(data), hint};
  }
  return {};
}

}  // namespace ringside::launch
