#include "gui/slurm/partitions.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "gui/launch/paths.h"
#include "gui/slurm/ask_program.h"
#include "protocol/base/text.h"

namespace ringside::slurm {
namespace {

struct Field {
  const char* name;
  std::size_t width;  ///< width of its column; sinfo cuts longer values
};
// Fields of sinfo(1), --Format. The host name makes sinfo print a line per node, and is ignored.
enum NodeField : std::uint8_t { kPartition, kState, kCpus, kGres, kGresUsed, kHost };
constexpr std::array<Field, 6> kNodeFields{{{"PartitionName", 48},
                                            {"StateCompact", 12},
                                            {"CPUsState", 28},
                                            {"Gres", 112},
                                            {"GresUsed", 112},
                                            {"NodeHost", 32}}};

using NodeLine = std::array<std::string, kNodeFields.size()>;

NodeLine fields_of(std::string_view line) {
  NodeLine fields;
  std::size_t at = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i] = trimmed(line.substr(std::min(at, line.size()), kNodeFields[i].width));
    at += kNodeFields[i].width;
  }
  return fields;
}

/// Returns the number of GPUs: 6 for "gpu:a100:4(S:0-1),gpu:2,shard:8".
std::int64_t gres_gpus(std::string_view gres) {
  std::string bare;  // without commas in brackets, which do not separate items
  int depth = 0;
  for (const char c : gres) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0) bare += c;
    depth -= c == ')' && depth > 0 ? 1 : 0;
  }
  std::int64_t count = 0;
  for (const std::string_view one : parts_of(bare, ',')) {
    if (one == "gpu") ++count;
    if (one.starts_with("gpu:")) count += whole_number(one.substr(one.rfind(':') + 1)).value_or(1);
  }
  return count;
}

/// Whether nodes in this state of sinfo(1) accept jobs. A flag follows the state's name:
/// nodes that do not respond (*), are in maintenance ($), lose power (%, !) or reboot (@, ^) have
/// nothing free, and those that Slurm can wake (~, #) or has planned (-) have.
bool takes_jobs(std::string_view state) {
  if (state.find_first_of("*$%!@^") != state.npos) return false;
  for (const std::string_view open : {"idle", "mix", "alloc", "comp"})
    if (state.starts_with(open)) return true;
  return false;
}

Partition& partition_of(std::vector<Partition>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Partition::name);
  if (found != all.end()) return *found;
  Partition& made = all.emplace_back();
  made.name = name;
  return made;
}

}  // namespace

std::vector<std::string> sinfo_words() {
  std::string format;
  for (const Field& field : kNodeFields) {
    format +=
        (format.empty() ? "" : ",") + std::string(field.name) + ":" + std::to_string(field.width);
  }
  return {"--noheader", "--exact", "--Format", format};
}

std::vector<Partition> parse_partitions(std::string_view sinfo, std::string_view squeue) {
  std::vector<Partition> all;
  for (const std::string_view line : lines_of(sinfo)) {
    const NodeLine node = fields_of(line);
    // "allocated/idle/other/total"
    const auto cpus = parts_of(node[kCpus], '/');
    if (node[kPartition].empty() || cpus.size() != 4) continue;
    Partition& partition = partition_of(all, node[kPartition]);
    ++partition.nodes;
    partition.cores += whole_number(cpus[3]).value_or(0);
    const std::int64_t gpus = gres_gpus(node[kGres]);
    partition.gpus += gpus;
    if (!takes_jobs(node[kState])) continue;
    partition.cores_free += whole_number(cpus[1]).value_or(0);
    partition.gpus_free += std::max<std::int64_t>(0, gpus - gres_gpus(node[kGresUsed]));
  }
  for (const std::string_view line : lines_of(squeue)) {
    for (const std::string_view name : parts_of(line, ',')) {
      const auto found = std::ranges::find(all, trimmed(name), &Partition::name);
      if (found != all.end()) ++found->waiting;
    }
  }
  return all;
}

Result<std::vector<Partition>> ask_partitions(const launch::Cancelled& cancelled) {
  if (!launch::find_on_path("sinfo")) return std::vector<Partition>();
  const auto sinfo = RINGSIDE_TRY(ask_program("sinfo", sinfo_words(), cancelled));
  constexpr std::size_t kMostRead = std::size_t{1} << 20;  // the limit of launch::capture
  if (sinfo.size() >= kMostRead) return failure("sinfo lists more nodes than can be counted here");
  const auto squeue = RINGSIDE_TRY(
      ask_program("squeue", {"--noheader", "--states=PENDING", "--format=%P"}, cancelled));
  return parse_partitions(sinfo, squeue);
}

}  // namespace ringside::slurm
