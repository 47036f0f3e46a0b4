#include "gui/doctor/nvidia_smi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "protocol/base/text.h"

namespace ringside::doctor {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

std::vector<std::string> cells_of(std::string_view line, char between) {
  std::vector<std::string> cells;
  for (;;) {
    const auto end = line.find(between);
    cells.emplace_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

double number_of(const std::string& cell) {
  char* end = nullptr;
  const double number = std::strtod(cell.c_str(), &end);
  return end == cell.c_str() ? -1 : number;
}

/// Removes the terminal's underlining: ESC [ ... m.
std::string without_escapes(std::string_view line) {
  std::string plain;
  while (!line.empty()) {
    const auto escape = line.find('\x1b');
    plain += line.substr(0, escape);
    if (escape == std::string_view::npos) break;
    const auto end = line.find('m', escape);
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
  return plain;
}

/// The number in "GPU3"; negative: the cell has none.
int gpu_number(const std::string& cell) {
  if (!cell.starts_with("GPU") || cell.size() < 4) return -1;
  return static_cast<int>(number_of(cell.substr(3)));
}

/// The value nearest to `value` between both readings; negative: not reported.
double between(double value, double first, double last) {
  if (first < 0 || last < 0) return -1;
  return std::clamp(value, std::min(first, last), std::max(first, last));
}

/// The largest difference between the two views over all GPUs, in the unit of its limit.
struct Difference {
  double ours = 0;
  double theirs = 0;
  double of_limit = 0;

  void take(double our_value, double their_value, double limit) {
    if (our_value < 0 || their_value < 0) return;
    const double part = std::abs(our_value - their_value) / limit;
    if (part < of_limit) return;
    *this = {our_value, their_value, part};
  }
  Measure measure(const char* what, const char* unit, const char* limit) const {
    return {what,  ours,          theirs,
            limit, of_limit <= 1, fmt::format("{} {:.0f} and {:.0f} {}", what, ours, theirs, unit)};
  }
};

}  // namespace

std::vector<SmiGpu> smi_gpus(std::string_view csv) {
  std::vector<SmiGpu> gpus;
  for (const std::string_view line : lines_of(csv)) {
    const auto cells = cells_of(line, ',');
    if (cells.size() != 5) continue;
    gpus.push_back(
        {cells[0], cells[1], number_of(cells[2]), number_of(cells[3]), number_of(cells[4])});
  }
  return gpus;
}

SmiLinks smi_links(std::string_view matrix) {
  SmiLinks links;
  std::vector<int> columns;
  for (const std::string_view line : lines_of(matrix)) {
    const auto cells = cells_of(without_escapes(line), '\t');
    if (columns.empty()) {
      for (const std::string& cell : cells) columns.push_back(gpu_number(cell));
      if (std::ranges::all_of(columns, [](int gpu) { return gpu < 0; })) columns.clear();
      continue;
    }
    const int row = gpu_number(cells.front());
    for (std::size_t i = 1; row >= 0 && i < std::min(cells.size(), columns.size()); ++i) {
      if (columns[i] > row) links[{row, columns[i]}] = cells[i];
    }
  }
  return links;
}

CheckVerdict judge_nvml(const launch::Machine& machine, const std::vector<SmiGpu>& before,
                        const std::vector<SmiGpu>& after, const SmiLinks& links) {
  constexpr double kDegrees = 2;
  constexpr double kPowerShare = 0.1;
  constexpr double kMemoryMiB = 64;
  std::ptrdiff_t same = 0;
  Difference temperature;
  Difference power;
  Difference memory;
  for (const SmiGpu& first : before) {
    const auto last =
        std::ranges::find_if(after, [&](const SmiGpu& one) { return one.uuid == first.uuid; });
    const auto ours = std::ranges::find_if(machine.gpus, [&](const auto& gpu) {
      return gpu.uuid == first.uuid && gpu.name == first.name;
    });
    if (ours == machine.gpus.end() || last == after.end()) continue;
    ++same;
    const double watts = between(ours->power_w, first.power_w, last->power_w);
    temperature.take(ours->temperature_c,
                     between(ours->temperature_c, first.temperature_c, last->temperature_c),
                     kDegrees);
    power.take(ours->power_w, watts, std::max(1.0, kPowerShare * watts));
    const auto used = static_cast<double>(ours->memory_used_bytes);
    const double mib = used < 0 ? -1 : used / kMebibyte;
    memory.take(mib, between(mib, first.memory_used_mib, last->memory_used_mib), kMemoryMiB);
  }
  const auto equal_links = std::ranges::count_if(machine.links, [&links](const launch::Link& link) {
    const auto theirs = links.find({link.a, link.b});
    return theirs != links.end() && theirs->second == link.word;
  });
  const auto our_gpus = std::ssize(machine.gpus);
  const auto all_links = std::ssize(machine.links);
  return {{{"gpus", static_cast<double>(same), static_cast<double>(before.size()), "all",
            same == std::ssize(before) && same == our_gpus,
            fmt::format("{} of {} GPUs have the same UUID and name", same, before.size())},
           {"links", static_cast<double>(equal_links), static_cast<double>(all_links), "all",
            equal_links == all_links,
            fmt::format("{} of {} links have the same name", equal_links, all_links)},
           temperature.measure("temperature", "°C", "2 °C"),
           power.measure("power", "W", "10 %"),
           memory.measure("memory", "MiB", "64 MiB")},
          {}};
}

}  // namespace ringside::doctor
