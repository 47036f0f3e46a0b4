#include "gui/place/run_place.h"

#include <algorithm>

#include "gui/launch/start/ask_stop.h"
#include "gui/place/kinds.h"
#include "gui/place/places.h"
#include "gui/slurm/job_file.h"

namespace ringside::place {

// Rows of kinds.h, each defined beside the place that it describes.
extern const Kind kSlurm;

namespace {

namespace fs = std::filesystem;
using runlog::RunFolder;
using Spec = std::optional<messages::RunSpec>;

constexpr const Kind* kKinds[] = {&kSlurm};

/// Null if only the agent has the run, or if its kind of place is not known to this version.
const Kind* kind_of(const RunFolder& folder) {
  const auto* const row =
      std::ranges::find_if(kKinds, [&](const Kind* one) { return one->has(folder); });
  return row == std::end(kKinds) ? nullptr : *row;
}

}  // namespace

std::span<const Kind* const> kinds() { return kKinds; }

std::vector<std::string> words_of(const Kind& kind, const launch::Typed& typed) {
  auto words = launch::words_of(kind.options, typed);
  words.insert(words.begin(), kind.word);
  return words;
}

PlacePtr local_place() {
  for (const Kind* kind : kKinds) {
    if (auto place = kind->around(); place->offer().inside || kind->submits()) return place;
  }
  return nullptr;
}

PlacePtr remote_place() { return kKinds[0]->far(); }

bool is_open(const RunFolder& folder) {
  return std::ranges::any_of(kKinds, [&](const Kind* one) { return one->is_open(folder); });
}

void refresh(const fs::path& runs_dir, const launch::Cancelled& cancelled) {
  for (const Kind* kind : kKinds) kind->refresh(runs_dir, cancelled);
}

std::optional<launch::PlaceReport> place_report(const RunFolder& folder) {
  for (const Kind* kind : kKinds)
    if (auto report = kind->report(folder)) return report;
  return std::nullopt;
}

Result<std::string> ask_stop(const RunFolder& folder, wire::StopMode mode) {
  const Kind* kind = kind_of(folder);
  return kind == nullptr ? launch::ask_stop(folder, mode) : kind->ask_stop(folder, mode);
}

void release_run(const RunFolder& folder) {
  if (const Kind* kind = kind_of(folder)) kind->release_run(folder);
}

// A file that no known kind claims is removed.
Result<void> detach_from_place(const RunFolder& folder) {
  const Kind* kind = kind_of(folder);
  return kind == nullptr ? slurm::remove_job_file(folder) : kind->detach_from_place(folder);
}

Result<launch::Started> restart_run(const RunFolder& folder, const Spec& spec,
                                    const launch::Cancelled& cancelled) {
  const Kind* kind = kind_of(folder);
  if (kind != nullptr) return kind->restart_run(folder, spec);
  // Starting here is refused, since that place may still start the run: two agents would share a
  // folder.
  if (fs::exists(folder.path() / launch::kPlaceFile)) {
    return bad_request("run " + folder.id() +
                       " is held by a place that this version does not know, as its " +
                       launch::kPlaceFile + " says: resume it with the version that started it");
  }
  return launch::restart_run(folder, spec, cancelled);
}

PlacePtr Place::beside() const { return inside_here(); }

Result<launch::Started> Place::restart_run(const RunFolder& folder, const Spec& spec,
                                           const launch::Cancelled& cancelled) const {
  return place::restart_run(folder, spec, cancelled);
}

}  // namespace ringside::place
