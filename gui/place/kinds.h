// The kinds of places other than this machine. Each kind is one row with everything that the rest
// of the program asks of it; another launcher needs a folder of its own and a row here. Constants;
// any thread.
#pragma once

#include <optional>
#include <span>

#include "gui/launch/place_report.h"
#include "gui/place/place.h"
#include "protocol/wire/control_client.h"

namespace ringside::place {

struct Kind {
  const char* key;  ///< value in place.json: "slurm"
  const char* title;
  const char* word;  ///< command-line option: "--slurm"
  const char* help;
  launch::PlaceRows options;
  const char* script_name;
  const char* script;    ///< script written into each run folder, the same for all runs
  bool (*submits)();     ///< whether this machine can submit to it; calls no program
  PlacePtr (*around)();  ///< the place that this process is inside of or next to, without options
  PlacePtr (*far)();     ///< the same place on another machine that can submit

  // The functions of run_place.h for existing runs of this kind.
  bool (*has)(const runlog::RunFolder&);
  bool (*is_open)(const runlog::RunFolder&);
  std::optional<launch::PlaceReport> (*report)(const runlog::RunFolder&);
  void (*refresh)(const std::filesystem::path& runs_dir, const launch::Cancelled&);
  Result<std::string> (*ask_stop)(const runlog::RunFolder&, wire::StopMode);
  void (*release_run)(const runlog::RunFolder&);
  Result<void> (*detach_from_place)(const runlog::RunFolder&);
  Result<launch::Started> (*restart_run)(const runlog::RunFolder&,
                                         const std::optional<messages::RunSpec>&);
};

std::span<const Kind* const> kinds();
/// `--slurm` and its options as arguments of a command line.
std::vector<std::string> words_of(const Kind& kind, const launch::Typed& typed);

}  // namespace ringside::place
