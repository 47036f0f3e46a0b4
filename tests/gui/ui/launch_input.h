// A form, a machine and checks for the Launch page, as a session would provide them. Tests only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/launch/preflight/preflight.h"
#include "gui/ui/window/screen.h"
#include "gui/view/launch/launch_view.h"

namespace ringside::test {

inline messages::RunSpec demo_form_spec() {
  messages::RunSpec spec;
  spec.name = "demo";
  spec.devices.kind = "cpu";
  spec.devices.world_size = 2;
  spec.baseline.mode = "run";
  return spec;
}

struct LaunchController {
  LaunchController() : form(demo_form_spec(), "demo") {
    machine.cores = 4;
    checks.push_back(
        {view::CheckState::kPass, launch::titles::kRunFolder, "60.2 GB free", view::label::kPass});
  }
  void open(view::ScreenInput& input) const {
    input.page = view::Page::kLaunch;
    input.runs.looked = false;  // otherwise the page shows the first steps above
    input.launch.form = &form;
    input.launch.machine = &machine;
    input.launch.checks = checks;
    input.launch.presets = presets;
    input.launch.revision = form.revision();
  }
  void add_gpus(int count) {
    for (int i = 0; i < count; ++i) {
      view::DeviceSummary gpu;
      gpu.index = i;
      gpu.uuid = "GPU-5e1c9f0" + std::to_string(i) + "-1111-2222";
      gpu.name = "RTX A6000";
      gpu.memory_used_bytes = 400'000'000;
      gpu.memory_total_bytes = 48LL << 30;
      gpu.utilisation = 0;
      gpu.temperature_c = 31;
      gpu.power_w = 22;
      machine.gpus.push_back(gpu);
    }
  }

  view::LaunchForm form;
  view::MachineSummary machine;
  std::vector<view::CheckView> checks;
  std::vector<view::PresetChoice> presets{{"demo", "Digits", false}, {"mnist", "MNIST", true}};
};

/// The same page with the filled form of a custom program.
struct ScriptController : LaunchController {
  ScriptController() {
    form.choose("/home/someone/vision/train.py");
    form.edit(view::script_key::kArguments, "--lr 0.1 --name 'two words'");
    form.edit(view::script_key::variable_name(0), "HF_TOKEN");
    form.edit(view::script_key::variable_value(0), "hunter-22");
    form.settings().set_cpu_ranks(2);
  }
  void open(view::ScreenInput& input) const {
    LaunchController::open(input);
    input.launch.form = &form.settings();
    input.launch.script = &form;
    input.launch.recent_scripts = recent;
    input.launch.revision = ++revision;
  }

  view::ScriptForm form;
  std::vector<view::RecentScript> recent;
  mutable std::uint64_t revision = 1000;
};

}  // namespace ringside::test
