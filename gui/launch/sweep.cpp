#include "gui/launch/sweep.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "protocol/base/nearest.h"
#include "protocol/base/printable.h"
#include "protocol/messages/batch_facts.h"
#include "protocol/messages/data_facts.h"
#include "protocol/messages/node_ranks.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

constexpr std::int64_t kMostDevices = 4096;
constexpr std::size_t kMostParts = 64;
const std::vector<std::string> kVariants = {"dp", "fp32", "tf32", "bf16", "fp16", "torch"};

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

Result<std::int64_t> devices_from(std::string_view text, const std::string& where) {
  const auto value = whole_number(text);
  if (!value || *value < 1 || *value > kMostDevices) {
    return bad_request(where + ": \"" + printable_line(text) +
                       "\" is no number of devices from 1 to " + std::to_string(kMostDevices));
  }
  return *value;
}

/// The recipe on one device, of which `largest` has settled ones. Weak scaling: as many times the
/// steps see the same samples.
RunSpec baseline_spec(const RunSpec& recipe, const RunSpec& largest) {
  RunSpec one = largest;
  messages::set_world_size(one, 1);
  if (!one.devices.ids.empty()) one.devices.ids.resize(1);
  one.batch.meaning = "per_rank";
  one.train.max_steps = recipe.train.max_steps;
  if (recipe.batch.meaning == "per_rank") one.train.max_steps *= recipe.devices.world_size;
  return one;
}

RunSpec with_series(const RunSpec& baseline, const RunSpec& largest, const std::string& series,
                    std::int64_t devices, bool strong) {
  RunSpec spec = baseline;
  spec.devices.nodes = largest.devices.nodes;
  messages::set_world_size(spec, devices);
  spec.devices.ids = largest.devices.ids;
  if (!spec.devices.ids.empty()) spec.devices.ids.resize(static_cast<std::size_t>(devices));
  const bool global = series == "strong" || (series != "weak" && strong);
  spec.batch.meaning = global ? "global" : "per_rank";
  // As many samples: weak scaling takes more of them in a step.
  if (!global && baseline.train.max_steps > 0)
    spec.train.max_steps = std::max<std::int64_t>(1, baseline.train.max_steps / devices);
  if (series == "dp") spec.devices.parallel = "dp";
  if (series != "dp" && series != "weak" && series != "strong" && series != "baseline")
    spec.train.precision = series;
  return spec;
}

/// What rounding made of it.
std::vector<std::string> differences_of(const RunSpec& baseline, const RunSpec& spec) {
  std::vector<std::string> told;
  // What a program of others reads and how it shares that out is told by its records.
  if (!spec.program.argv.empty()) return told;
  const auto data = messages::data_facts(spec.data);
  const auto facts = data ? messages::batch_facts(spec, data->train_samples)
                          : Result<messages::BatchFacts>(failure("not known"));
  if (facts && facts->global_batch != facts->global_batch_nominal) {
    told.push_back("a global batch of " + std::to_string(facts->global_batch) + ", asked for " +
                   std::to_string(facts->global_batch_nominal));
  }
  const std::int64_t steps = spec.train.max_steps * spec.devices.world_size;
  if (spec.batch.meaning == "per_rank" && baseline.train.max_steps > 0 &&
      steps != baseline.train.max_steps) {
    told.push_back("the samples of " + std::to_string(steps) + " steps of the baseline, not of " +
                   std::to_string(baseline.train.max_steps));
  }
  if (facts && facts->unread_samples > 0)
    told.push_back(std::to_string(facts->unread_samples) + " samples of an epoch are not read");
  return told;
}

struct Wanted {
  std::string series;
  std::int64_t devices = 1;
};

std::vector<Wanted> settings_wanted(const RunSpec& recipe, const SweepRequest& request,
                                    std::int64_t largest, bool weak, bool strong) {
  std::vector<Wanted> wanted{{"baseline", 1}};
  const auto add = [&wanted](const std::string& series, std::int64_t devices) {
    const bool there = std::any_of(wanted.begin(), wanted.end(), [&](const Wanted& one) {
      return one.series == series && one.devices == devices;
    });
    if (!there) wanted.push_back({series, devices});
  };
  for (const auto& [on, series] : {std::pair(weak, "weak"), std::pair(strong, "strong")}) {
    for (const std::int64_t devices : request.world) {
      if (on && devices > 1) add(series, devices);
    }
  }
  for (const SweepVariant& variant : request.variants) {
    // The recipe as it is: its points are there already.
    if (variant.word == recipe.train.precision) continue;
    add(variant.word, variant.devices > 0 ? variant.devices : largest);
  }
  return wanted;
}

}  // namespace

Result<std::vector<std::int64_t>> parse_world(std::string_view text) {
  std::vector<std::int64_t> world;
  const auto parts = parts_of(text);
  if (parts.size() > kMostParts)
    return bad_request("--world: at most " + std::to_string(kMostParts) + " numbers of devices");
  for (const std::string_view part : parts) {
    const auto devices = devices_from(part, "--world");
    if (!devices) return pass(devices);
    if (std::find(world.begin(), world.end(), *devices) != world.end())
      return bad_request("--world: " + std::to_string(*devices) + " is given twice");
    world.push_back(*devices);
  }
  std::sort(world.begin(), world.end());
  return world;
}

Result<std::vector<SweepVariant>> parse_variants(std::string_view text) {
  std::vector<SweepVariant> variants;
  if (text.empty()) return variants;
  const auto parts = parts_of(text);
  if (parts.size() > kMostParts)
    return bad_request("--variants: at most " + std::to_string(kMostParts));
  for (const std::string_view part : parts) {
    SweepVariant variant;
    const std::size_t at = part.find('@');
    variant.word = std::string(part.substr(0, at));
    if (std::find(kVariants.begin(), kVariants.end(), variant.word) == kVariants.end()) {
      return bad_request("--variants: there is no variant \"" + printable_line(variant.word) +
                         "\"" + suggestion(variant.word, kVariants));
    }
    if (at != part.npos) {
      const auto devices = devices_from(part.substr(at + 1), "--variants");
      if (!devices) return pass(devices);
      variant.devices = *devices;
    }
    if (std::find(variants.begin(), variants.end(), variant) != variants.end())
      return bad_request("--variants: " + std::string(part) + " is given twice");
    variants.push_back(std::move(variant));
  }
  return variants;
}

Result<Sweep> plan_sweep(const RunSpec& recipe, const SweepRequest& request,
                         const Machine& machine) {
  const bool neither = !request.weak && !request.strong;
  const bool strong = request.strong || (neither && recipe.batch.meaning == "global");
  const bool weak = request.weak || (neither && !strong);
  std::int64_t most = request.world.empty() ? 1 : request.world.back();
  const std::int64_t largest_world = most;
  for (const SweepVariant& variant : request.variants) most = std::max(most, variant.devices);
  RunSpec asked = recipe;
  asked.baseline = {};
  asked.baseline.mode = "none";
  asked.name.clear();
  asked.devices.world_size = most;
  asked.devices.parallel = "ddp";
  if (!strong) asked.batch.meaning = "per_rank";
  if (asked.devices.ids.size() != static_cast<std::size_t>(most)) asked.devices.ids.clear();
  const auto plan = plan_experiment(asked, machine, {});
  if (!plan) return pass(plan);
  Sweep sweep;
  sweep.fallback = plan->fallback;
  for (const auto& warning : plan->warnings) {
    if (warning.find("needs no baseline") == warning.npos) sweep.warnings.push_back(warning);
  }
  const RunSpec& largest = plan->runs.back().spec;
  const RunSpec baseline = baseline_spec(recipe, largest);
  for (const Wanted& one : settings_wanted(recipe, request, largest_world, weak, strong)) {
    SweepSetting setting;
    setting.key = one.series + "-" + std::to_string(one.devices);
    setting.spec = with_series(baseline, largest, one.series, one.devices, strong && !weak);
    const auto fits = plan_experiment(setting.spec, machine, {});
    if (!fits) return bad_request(setting.key + ": " + fits.error().message);
    setting.spec = fits->runs.back().spec;
    setting.spec.baseline.mode = "none";
    setting.differences = differences_of(baseline, setting.spec);
    sweep.settings.push_back(std::move(setting));
  }
  return sweep;
}

std::string run_name(const std::string& title, const std::string& series, std::int64_t devices,
                     std::int64_t repeat, std::int64_t repeats) {
  const std::string place = std::to_string(repeat) + "/" + std::to_string(repeats);
  return title + " · " + series + (devices > 1 ? " " + std::to_string(devices) : "") + " · " +
         place;
}

}  // namespace ringside::launch
