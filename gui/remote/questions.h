// The questions of one ringside to another over ssh, as values: about runs and their files, and
// what is to be started, stopped or deleted there. One codec writes and reads all of them
// (FORMAT.md). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gui/launch/place_options.h"
#include "protocol/base/fields.h"
#include "protocol/base/result.h"

namespace ringside::remote {

/// Among which runs; empty: where `ringside` there looks for them.
struct AmongRuns {
  std::string runs_dir;
  RINGSIDE_FIELDS(runs_dir)
};
struct AskAlive : AmongRuns {};
struct ListStudies : AmongRuns {};
struct AskQueue : AmongRuns {};
struct ListRuns {
  std::string runs_dir;
  std::uint64_t newest = 0;  ///< at most so many; 0: all
  RINGSIDE_FIELDS(runs_dir, newest)
};
struct OneRun {
  std::string runs_dir, run;
  RINGSIDE_FIELDS(runs_dir, run)
};
struct FindRun : OneRun {};    ///< as people name it, no path
struct ListFiles : OneRun {};  ///< by its id, as the next
struct ReadFile {
  std::string runs_dir, run, path;
  std::uint64_t offset = 0, most = 0, check_bytes = 0;
  std::uint32_t check = 0;
  RINGSIDE_FIELDS(runs_dir, run, path, offset, most, check_bytes, check)
};
using FileQuestion =
    std::variant<AskAlive, ListRuns, FindRun, ListStudies, AskQueue, ListFiles, ReadFile>;
inline constexpr std::array<const char*, std::variant_size_v<FileQuestion>> kFileQuestions{
    "alive", "runs", "find", "studies", "queue", "files", "read"};

/// What a button of the window does there. A name is that of a run or a study.
struct StopThere {
  std::string runs_dir, name;
  bool now = false;  ///< without a checkpoint
  RINGSIDE_FIELDS(runs_dir, name, now)
};
struct ResumeThere {
  std::string runs_dir, name;
  RINGSIDE_FIELDS(runs_dir, name)
};
struct DeleteThere {
  std::string runs_dir, name;
  bool restore = false;  ///< takes it back
  bool runs = false;     ///< those of a study, too
  RINGSIDE_FIELDS(runs_dir, name, restore, runs)
};
struct StartRunThere {
  std::string runs_dir, settings;  ///< TOML
  bool dry_run = false;            ///< its job is told, and nothing starts
  std::optional<launch::Typed> queue;
  RINGSIDE_FIELDS(runs_dir, settings, dry_run, queue)
};
/// The form of a study: of a preset or a ready-made one, or of a study that gets more settings.
struct StartStudyThere {
  std::string runs_dir, name, world;
  std::int64_t repeats = 0;  ///< 0: as the study has them
  std::string series;        ///< weak, strong, both; empty: as the recipe
  std::string variants;
  bool quick = false, fresh = false;
  std::optional<launch::Typed> queue;
  RINGSIDE_FIELDS(runs_dir, name, world, repeats, series, variants, quick, fresh, queue)
};
/// Two runs, trained again in turns.
struct MeasureThere {
  std::string runs_dir, first, second;
  std::int64_t repeats = 0;
  RINGSIDE_FIELDS(runs_dir, first, second, repeats)
};
struct ExamineThere : AmongRuns {};  ///< what the machine is and has
using FarAct = std::variant<StopThere, ResumeThere, DeleteThere, StartRunThere, StartStudyThere,
                            MeasureThere, ExamineThere>;
inline constexpr std::array<const char*, std::variant_size_v<FarAct>> kFarActs{
    "stop", "resume", "delete", "start", "study", "measure", "examine"};

/// What a person typed behind `ringside`, with --on, and what it reads.
struct TypedThere {
  std::vector<std::string> words;
  std::string input;
  RINGSIDE_FIELDS(words, input)
};
inline constexpr const char* kTyped = "command";

using Question = std::variant<FileQuestion, FarAct, TypedThere>;

nlohmann::json to_json(const Question& question);
/// A bad request: a question that is not known here, or has another form.
Result<Question> parse_question(const nlohmann::json& asked);
/// How a helper refuses a question that it does not know.
std::string not_known(const std::string& name);

/// The command of `ringside` here that does it.
TypedThere command_of(const FarAct& act);

}  // namespace ringside::remote
