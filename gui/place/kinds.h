// The kinds of places beside this machine: the row of one has all that the rest of the program asks
// of it. Another launcher is a folder of its own and its row. Constants; any thread.
#pragma once

#include <optional>
#include <span>

#include "gui/launch/place_news.h"
#include "gui/place/place.h"
#include "protocol/wire/control_client.h"

namespace ringside::place {

struct Kind {
  const char* key;  ///< in place.json: "slurm"
  const char* title;
  const char* word;  ///< its option: "--slurm"
  const char* help;
  launch::PlaceRows options;
  const char* script_name;
  const char* script;    ///< that it is given for each run, the same for all
  bool (*submits)();     ///< this machine does; no program is asked
  PlacePtr (*around)();  ///< without options, as this process is in it or beside it
  PlacePtr (*far)();     ///< the same, of another machine that submits there

  // The functions of run_place.h, for existing runs of this kind.
  bool (*has)(const runlog::RunFolder&);
  bool (*is_open)(const runlog::RunFolder&);
  std::optional<launch::News> (*news)(const runlog::RunFolder&);
  void (*refresh)(const std::filesystem::path& runs_dir, const launch::Cancelled&);
  Result<std::string> (*ask_stop)(const runlog::RunFolder&, wire::StopMode);
  void (*let_go)(const runlog::RunFolder&);
  Result<void> (*disown)(const runlog::RunFolder&);
  Result<launch::Started> (*start_again)(const runlog::RunFolder&,
                                         const std::optional<messages::RunSpec>&);
};

std::span<const Kind* const> kinds();
/// `--slurm` and its options, as words of a command.
std::vector<std::string> words_of(const Kind& kind, const launch::Typed& typed);

}  // namespace ringside::place
