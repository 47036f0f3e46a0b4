#include "gui/remote/mirrored_path.h"

#include <algorithm>
#include <array>
#include <vector>

#include "gui/runs/import_run.h"

namespace ringside::remote {
namespace {

constexpr std::size_t kMostParts = 4;
constexpr std::size_t kMostPathNameBytes = 200;

bool is_plain(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= kMostPathNameBytes && name.front() != '.' &&
         name.find_first_not_of(kPlain) == name.npos;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == path.npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

bool is_one_of(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Growth growth_of(std::string_view path) {
  constexpr std::array<std::string_view, 2> kLarge{"checkpoints", "export"};
  constexpr std::array<std::string_view, 3> kStreams{"stdout", "stderr", "output_times"};
  const auto parts = parts_of(path);
  if (parts.size() > kMostParts || !std::ranges::all_of(parts, is_plain)) return Growth::kNever;
  const std::string_view name = parts.back();
  if (is_one_of(parts.front(), kLarge) || name.starts_with("rendezvous") ||
      runs::stays_behind(parts.front()))
    return Growth::kNever;
  return name.ends_with(".log") || is_one_of(name, kStreams) ? Growth::kAppended
                                                             : Growth::kReplaced;
}

}  // namespace ringside::remote
