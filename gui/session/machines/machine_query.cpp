#include "gui/session/machines/machine_query.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "gui/launch/paths.h"
#include "gui/remote/connection.h"
#include "gui/runs/find_run.h"
#include "gui/slurm/partitions.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"

namespace ringside::session {
namespace {

using UseJson = nlohmann::ordered_json;

constexpr std::int64_t kFirstLookNs = 500'000'000;
constexpr std::size_t kMostProcesses = 1000;

template <class Value>
inline constexpr bool kIsList = false;
template <class Item>
inline constexpr bool kIsList<std::vector<Item>> = true;

template <class Body>
UseJson told(const Body& body) {
  UseJson json = UseJson::object();
  Body::fields(body, [&json]<class Value>(const char* name, const Value& value) {
    if constexpr (kIsList<Value>) {
      json[name] = UseJson::array();
      for (const auto& item : value) json[name].push_back(told(item));
    } else if constexpr (std::is_same_v<Value, std::string>) {
      json[name] = value.empty() ? UseJson(nullptr) : UseJson(value);
    } else {
      json[name] = value >= 0 ? UseJson(value) : UseJson(nullptr);  // NaN is not
    }
  });
  return json;
}

/// Throws if a value has the wrong type. Texts come from another machine, so they are made safe to
/// print.
template <class Body>
Body heard(const UseJson& json) {
  (void)json.get_ref<const UseJson::object_t&>();
  Body body;
  Body::fields(body, [&json]<class Value>(const char* name, Value& value) {
    const auto found = json.find(name);
    if (found == json.end() || found->is_null()) return;
    if constexpr (kIsList<Value>) {
      for (const UseJson& item : found->get_ref<const UseJson::array_t&>())
        value.push_back(heard<typename Value::value_type>(item));
    } else {
      found->get_to(value);
      if constexpr (std::is_same_v<Value, std::string>) value = printable_line(value);
    }
  });
  return body;
}

std::int64_t disk_free_at(const std::filesystem::path& folder) {
  std::error_code failed;
  const auto space = std::filesystem::space(launch::existing_ancestor(folder), failed);
  return failed ? -1 : static_cast<std::int64_t>(space.available);
}

void add_partitions(view::MachineUse& use, const launch::Cancelled& cancelled) {
  const auto asked = slurm::ask_partitions(cancelled);
  if (!asked) use.slurm_problem = asked.error().message;
  if (!asked) return;
  for (const slurm::Partition& one : *asked)
    use.partitions.push_back(
        {one.name, one.nodes, one.gpus, one.gpus_free, one.cores, one.cores_free, one.waiting});
}

}  // namespace

Result<view::MachineUse> MachineLooks::look(bool slurm, const launch::Cancelled& cancelled) {
  if (before_ns_ == 0) {
    before_ = launch::read_processes();
    before_ns_ = mono_now_ns();
  }
  auto machine = RINGSIDE_TRY(launch::read_machine(cancelled));
  const auto around = launch::inspect_host(std::move(machine));
  pause_ns(std::max<std::int64_t>(0, before_ns_ + kFirstLookNs - mono_now_ns()));
  auto now = launch::read_processes();
  const std::int64_t now_ns = mono_now_ns();
  const auto loads = view::loads_of(before_, now, static_cast<double>(now_ns - before_ns_) * 1e-9);
  before_ = std::move(now);
  before_ns_ = now_ns;
  const auto listed = runs::list_runs(runs_dir_).value_or(std::vector<runs::ListedRun>());
  const auto name = [&](const RunId& id) { return runs::name_runs("run " + id, listed); };
  view::MachineUse use =
      view::machine_use(around, loads, SystemClock().wall_ns(), name, kMostProcesses);
  ::getloadavg(&use.load, 1);
  use.disk_free_bytes = disk_free_at(runs_dir_);
  if (slurm) add_partitions(use, cancelled);
  return use;
}

Result<view::MachineUse> look_there(const OtherMachine& machine, std::int64_t most_ns) {
  std::int64_t deadline_ns = INT64_MAX;  // until it is reached, the limits of a connection hold
  const auto late = [&deadline_ns] { return mono_now_ns() > deadline_ns; };
  const auto there = RINGSIDE_TRY(remote::Connection::open(
      machine.address, [&late, &machine] { return machine.deadline->over() || late(); }));
  deadline_ns = mono_now_ns() + most_ns;
  const auto text = ask_machine(*there, machine, remote::RemoteUse{});
  if (!text && late() && there->lost() && !machine.deadline->over())
    return failure(remote::text_of(machine.address) + " was reached, but did not say within " +
                   std::to_string(most_ns / 1'000'000'000) +
                   " s what goes on there; ringside top on that machine shows what it waits for");
  if (!text) return pass(text);
  auto use = parse_machine_use(*text);
  return use ? use : not_understood(machine);
}

UseJson to_json(const view::MachineUse& use) { return told(use); }

Result<view::MachineUse> parse_machine_use(std::string_view text) {
  try {
    return heard<view::MachineUse>(UseJson::parse(text));
  } catch (const UseJson::exception& error) {
    return failure(error.what());
  }
}

}  // namespace ringside::session
