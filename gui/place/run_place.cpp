#include "gui/place/run_place.h"

#include <algorithm>

#include "gui/launch/ask_stop.h"
#include "gui/slurm/job_ends.h"
#include "gui/slurm/job_file.h"
#include "gui/slurm/jobs.h"
#include "protocol/base/clock.h"

namespace ringside::place {
namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;
using Spec = std::optional<messages::RunSpec>;

/// A kind of place.json: what a place of that kind can be asked about its runs.
struct PlaceKind {
  bool (*has)(const RunFolder&);
  std::optional<launch::News> (*news)(const RunFolder&);
  void (*refresh)(const fs::path& runs_dir, const launch::Cancelled&);
  Result<std::string> (*ask_stop)(const RunFolder&, wire::StopMode);
  void (*let_go)(const RunFolder&);
  Result<void> (*disown)(const RunFolder&);
  Result<launch::Started> (*start_again)(const RunFolder&, const Spec&);
};

constexpr PlaceKind kPlaceKinds[] = {
    {[](const RunFolder& folder) { return slurm::read_job_file(folder).has_value(); },
     [](const RunFolder& folder) -> std::optional<launch::News> { return slurm::job_of(folder); },
     slurm::refresh, slurm::ask_stop, slurm::cancel, slurm::disown_job,
     [](const RunFolder& folder, const Spec& spec) {
       return slurm::submit_again(folder, spec, SystemClock());
     }},
};

/// Null: its agent alone has it, or a kind that is not known here.
const PlaceKind* kind_of(const RunFolder& folder) {
  const auto* const row =
      std::ranges::find_if(kPlaceKinds, [&](const PlaceKind& one) { return one.has(folder); });
  return row == std::end(kPlaceKinds) ? nullptr : row;
}

}  // namespace

void refresh(const fs::path& runs_dir, const launch::Cancelled& cancelled) {
  for (const PlaceKind& kind : kPlaceKinds) kind.refresh(runs_dir, cancelled);
}

std::optional<launch::News> news_of(const RunFolder& folder) {
  for (const PlaceKind& kind : kPlaceKinds)
    if (auto news = kind.news(folder)) return news;
  return std::nullopt;
}

Result<std::string> ask_stop(const RunFolder& folder, wire::StopMode mode) {
  const PlaceKind* kind = kind_of(folder);
  return kind == nullptr ? launch::ask_stop(folder, mode) : kind->ask_stop(folder, mode);
}

void let_go(const RunFolder& folder) {
  if (const PlaceKind* kind = kind_of(folder)) kind->let_go(folder);
}

// A file that nobody knows as theirs goes.
Result<void> disown(const RunFolder& folder) {
  const PlaceKind* kind = kind_of(folder);
  return kind == nullptr ? slurm::remove_job_file(folder) : kind->disown(folder);
}

Result<launch::Started> start_again(const RunFolder& folder, const Spec& spec,
                                    const launch::Cancelled& cancelled) {
  const PlaceKind* kind = kind_of(folder);
  if (kind != nullptr) return kind->start_again(folder, spec);
  // Whoever has it may still start it: two agents would have one folder.
  if (fs::exists(folder.path() / launch::kPlaceFile)) {
    return bad_request("run " + folder.id() +
                       " is held by a place that this version does not know, as its " +
                       launch::kPlaceFile + " says: resume it with the version that started it");
  }
  return launch::start_again(folder, spec, cancelled);
}

}  // namespace ringside::place
