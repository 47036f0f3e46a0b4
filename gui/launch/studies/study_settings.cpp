#include "gui/launch/studies/study_settings.h"

#include <algorithm>

#include "gui/launch/studies/combinations.h"
#include "protocol/base/nearest.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/data_facts.h"
#include "protocol/messages/spec/node_ranks.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

constexpr std::int64_t kMostDevices = 4096;
constexpr std::int64_t kMostNodes = 1024;
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

Result<std::int64_t> devices_from(std::string_view text, const std::string& where) {
  const auto value = whole_number(text);
  if (!value || *value < 1 || *value > kMostDevices) {
    return bad_request(where + ": \"" + printable_line(text) +
                       "\" is not a number of devices from 1 to " + std::to_string(kMostDevices));
  }
  return *value;
}

/// Parses "4" or "2x3".
Result<WorldSize> world_from(std::string_view text) {
  const std::size_t times = text.find('x');
  if (times == text.npos) {
    const auto devices = RINGSIDE_TRY(devices_from(text, "--world"));
    return WorldSize{devices, 1};
  }
  const auto nodes = whole_number(text.substr(0, times));
  const auto each = whole_number(text.substr(times + 1));
  const bool known = nodes && each && *nodes >= 1 && *nodes <= kMostNodes && *each >= 1 &&
                     *each <= kMostDevices / *nodes;
  if (known) return WorldSize{*nodes * *each, *nodes};
  return bad_request("--world: \"" + printable_line(text) +
                     "\" is not nodes x devices of each, as 2x4, of " +
                     std::to_string(kMostDevices) + " devices at most");
}

/// Number of its devices that are on one host.
std::int64_t on_one_host(const RunSpec& recipe, const WorldSize& world) {
  return recipe.devices.virtual_nodes ? world.devices : world.devices / world.nodes;
}

/// The largest number of devices whose runs this machine has to hold.
std::int64_t most_devices(const RunSpec& recipe, const StudyRequest& request) {
  std::int64_t most = 1;
  for (const WorldSize& world : request.world)
    most = std::max(most, recipe.devices.nodes > 1 ? world.devices : on_one_host(recipe, world));
  for (const StudyVariant& variant : request.variants) most = std::max(most, variant.devices);
  return most;
}

/// The recipe on one of the settled devices of `largest`. With weak scaling the baseline takes that
/// many times more steps, so that it sees the same samples.
RunSpec baseline_spec(const RunSpec& recipe, const RunSpec& largest) {
  RunSpec one = largest;
  messages::set_world_size(one, 1);
  if (!one.devices.ids.empty()) one.devices.ids.resize(1);
  one.batch.meaning = "per_rank";
  one.train.max_steps = recipe.train.max_steps;
  if (recipe.batch.meaning == "per_rank") one.train.max_steps *= recipe.devices.world_size;
  return one;
}

/// Takes `world` devices from those of `largest`; the devices of other machines are left to them.
void set_devices(RunSpec& spec, const RunSpec& largest, const WorldSize& world) {
  spec.devices.nodes = largest.devices.nodes;
  messages::set_world_size(spec, world.devices);
  if (world.nodes > 1) {
    spec.devices.nodes = world.nodes;
    spec.devices.ranks_per_node = 0;
  }
  spec.devices.ids = largest.devices.ids;
  const bool elsewhere = world.nodes > 1 && !spec.devices.virtual_nodes;
  if (elsewhere) spec.devices.ids.clear();
  if (!spec.devices.ids.empty()) spec.devices.ids.resize(static_cast<std::size_t>(world.devices));
}

RunSpec with_series(const RunSpec& baseline, const RunSpec& largest, const std::string& series,
                    const WorldSize& world, bool strong) {
  RunSpec spec = baseline;
  const std::int64_t devices = world.devices;
  set_devices(spec, largest, world);
  const bool global = series == "strong" || (series != "weak" && strong);
  spec.batch.meaning = global ? "global" : "per_rank";
  // The number of samples stays the same: with weak scaling each step has more of them.
  if (!global && baseline.train.max_steps > 0)
    spec.train.max_steps = std::max<std::int64_t>(1, baseline.train.max_steps / devices);
  if (series == "dp") spec.devices.parallel = "dp";
  if (series != "dp" && series != "weak" && series != "strong" && series != "baseline")
    spec.train.precision = series;
  return spec;
}

/// Differences from the baseline that are caused by rounding.
std::vector<std::string> differences_of(const RunSpec& baseline, const RunSpec& spec) {
  std::vector<std::string> told;
  // How a custom program reads and divides its data is known only from its records.
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
  WorldSize world{};
  std::string key() const { return series + "-" + world_text(world); }
};

std::vector<Wanted> settings_wanted(const RunSpec& recipe, const StudyRequest& request, bool weak,
                                    bool strong) {
  std::vector<Wanted> wanted{Wanted{"baseline", {}}};
  const auto add = [&wanted](const std::string& series, const WorldSize& world) {
    const bool there = std::ranges::any_of(
        wanted, [&](const Wanted& one) { return one.series == series && one.world == world; });
    if (!there) wanted.push_back({series, world});
  };
  for (const auto& [on, series] : {std::pair(weak, "weak"), std::pair(strong, "strong")}) {
    for (const WorldSize& world : request.world) {
      if (on && world.devices > 1) add(series, world);
    }
  }
  std::int64_t largest = 1;
  for (const WorldSize& world : request.world)
    if (world.nodes == 1) largest = std::max(largest, world.devices);
  for (const StudyVariant& variant : request.variants) {
    // A variant that equals the recipe adds nothing.
    if (variant.word == recipe.train.precision) continue;
    add(variant.word, {variant.devices > 0 ? variant.devices : largest});
  }
  return wanted;
}

/// Warns about settings on several nodes before they start.
void warn_of_nodes(bool here, const std::vector<Wanted>& wanted, PlannedSettings& planned) {
  std::string keys;
  for (const Wanted& one : wanted) {
    if (one.world.nodes > 1) add_listed(keys, one.key());
  }
  if (keys.empty()) return;
  planned.warnings.push_back(
      here ? keys + ": all nodes are on this host, so the times say nothing of a network"
           : keys +
                 ": each waits until `ringside-agent --node K FOLDER` runs on its other nodes; "
                 "--virtual-nodes puts all of them on this host");
}

}  // namespace

std::string world_text(const WorldSize& world) {
  if (world.nodes == 1) return std::to_string(world.devices);
  return std::to_string(world.nodes) + "x" + std::to_string(world.devices / world.nodes);
}

Result<std::vector<WorldSize>> parse_world(std::string_view text) {
  std::vector<WorldSize> world;
  const auto parts = parts_of(text);
  if (parts.size() > kMostParts)
    return bad_request("--world: at most " + std::to_string(kMostParts) + " numbers of devices");
  for (const std::string_view part : parts) {
    const auto one = RINGSIDE_TRY(world_from(part));
    if (std::ranges::find(world, one) != world.end())
      return bad_request("--world: " + world_text(one) + " is given twice");
    world.push_back(one);
  }
  std::ranges::sort(world);
  return world;
}

Result<std::vector<StudyVariant>> parse_variants(std::string_view text) {
  std::vector<StudyVariant> variants;
  if (text.empty()) return variants;
  const auto parts = parts_of(text);
  if (parts.size() > kMostParts)
    return bad_request("--variants: at most " + std::to_string(kMostParts));
  for (const std::string_view part : parts) {
    StudyVariant variant;
    const std::size_t at = part.find('@');
    variant.word = std::string(part.substr(0, at));
    if (std::ranges::find(kVariants, variant.word) == kVariants.end()) {
      return bad_request("--variants: there is no variant \"" + printable_line(variant.word) +
                         "\"" + suggestion(variant.word, kVariants));
    }
    if (at != part.npos) {
      const auto devices = RINGSIDE_TRY(devices_from(part.substr(at + 1), "--variants"));
      variant.devices = devices;
    }
    if (std::ranges::find(variants, variant) != variants.end())
      return bad_request("--variants: " + std::string(part) + " is given twice");
    variants.push_back(std::move(variant));
  }
  return variants;
}

Result<PlannedSettings> plan_settings(const RunSpec& recipe, const StudyRequest& request,
                                      const Machine& machine) {
  if (!request.combinations.empty()) return plan_combinations(recipe, request, machine);
  const bool neither = !request.weak && !request.strong;
  const bool strong = request.strong || (neither && recipe.batch.meaning == "global");
  const bool weak = request.weak || (neither && !strong);
  const std::int64_t most = most_devices(recipe, request);
  RunSpec asked = recipe;
  asked.baseline = {};
  asked.baseline.mode = "none";
  asked.name.clear();
  asked.devices.world_size = most;
  asked.devices.parallel = "ddp";
  if (!strong) asked.batch.meaning = "per_rank";
  if (asked.devices.ids.size() != static_cast<std::size_t>(most)) asked.devices.ids.clear();
  const auto plan = RINGSIDE_TRY(plan_setting(asked, machine, {}));
  PlannedSettings planned;
  planned.fallback = plan.fallback;
  for (const auto& warning : plan.warnings) {
    if (warning.find("needs no baseline") == warning.npos) planned.warnings.push_back(warning);
  }
  const RunSpec& largest = plan.runs.back().spec;
  const RunSpec baseline = baseline_spec(recipe, largest);
  const auto wanted = settings_wanted(recipe, request, weak, strong);
  if (!machine.elsewhere) warn_of_nodes(recipe.devices.virtual_nodes, wanted, planned);
  for (const Wanted& one : wanted) {
    PlannedSetting setting;
    setting.key = one.key();
    setting.spec = with_series(baseline, largest, one.series, one.world, strong && !weak);
    const auto fits = plan_setting(setting.spec, machine, {});
    if (!fits) return bad_request(setting.key + ": " + fits.error().message);
    setting.spec = fits->runs.back().spec;
    setting.spec.baseline.mode = "none";
    setting.differences = differences_of(baseline, setting.spec);
    planned.settings.push_back(std::move(setting));
  }
  return planned;
}

std::string run_name(const std::string& title, const std::string& series, const WorldSize& world,
                     std::int64_t repeat, std::int64_t repeats) {
  const std::string place = std::to_string(repeat) + "/" + std::to_string(repeats);
  // A combination of settings has no number of devices in its name, as all have the same.
  const bool told = world.devices > 1 && series.find('=') == series.npos;
  return title + " · " + series + (told ? " " + world_text(world) : "") + " · " + place;
}

}  // namespace ringside::launch
