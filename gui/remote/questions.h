// The questions of one ringside to another over ssh, as values: about runs and their files, and
// requests to start, stop or delete something there. One codec writes and reads all of them
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

/// The runs folder that a question is about; empty: the one that `ringside` there uses.
struct AmongRuns {
  std::string runs_dir;
  RINGSIDE_FIELDS(runs_dir)
};
struct AskAlive : AmongRuns {};
struct ListStudies : AmongRuns {};
struct AskQueue : AmongRuns {};
struct ListRuns {
  std::string runs_dir;
  std::uint64_t newest = 0;  ///< maximum number of runs; 0: all
  RINGSIDE_FIELDS(runs_dir, newest)
};
struct OneRun {
  std::string runs_dir, run;
  RINGSIDE_FIELDS(runs_dir, run)
};
struct FindRun : OneRun {};    ///< by number, name or id, not a path
struct ListFiles : OneRun {};  ///< by its id, like the next ones
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

/// Requests of the window's buttons to another machine. A name is that of a run or a study.
struct RemoteStop {
  std::string runs_dir, name;
  bool now = false;  ///< without a checkpoint
  RINGSIDE_FIELDS(runs_dir, name, now)
};
struct RemoteResume {
  std::string runs_dir, name;
  RINGSIDE_FIELDS(runs_dir, name)
};
struct RemoteDelete {
  std::string runs_dir, name;
  bool restore = false;  ///< restores a deleted run or study
  bool runs = false;     ///< also the runs of a study
  RINGSIDE_FIELDS(runs_dir, name, restore, runs)
};
struct RemoteStartRun {
  std::string runs_dir, settings;  ///< TOML
  bool dry_run = false;            ///< only shows the job, without starting it
  std::optional<launch::Typed> queue;
  RINGSIDE_FIELDS(runs_dir, settings, dry_run, queue)
};
/// The form of a study: made from a preset or a ready-made study, or a study that gets more
/// settings.
struct RemoteStartStudy {
  std::string runs_dir, name, world;
  std::int64_t repeats = 0;  ///< 0: as in the study
  std::string series;        ///< weak, strong, both; empty: as in the preset
  std::string variants;
  std::vector<std::string> set;  ///< settings that are varied, as --set takes them
  std::int64_t random = 0;       ///< number of random combinations; 0: all
  std::int64_t seed = 0;
  bool quick = false, fresh = false;
  std::optional<launch::Typed> queue;
  RINGSIDE_FIELDS(runs_dir, name, world, repeats, series, variants, set, random, seed, quick, fresh,
                  queue)
};
/// Trains two runs again, alternately.
struct RemoteMeasure {
  std::string runs_dir, first, second;
  std::int64_t repeats = 0;
  RINGSIDE_FIELDS(runs_dir, first, second, repeats)
};
struct RemoteExamine : AmongRuns {};  ///< devices and programs of the machine
struct RemoteUse : AmongRuns {};      ///< current use of the machine
using RemoteAction = std::variant<RemoteStop, RemoteResume, RemoteDelete, RemoteStartRun,
                                  RemoteStartStudy, RemoteMeasure, RemoteExamine, RemoteUse>;
inline constexpr std::array<const char*, std::variant_size_v<RemoteAction>> kRemoteActions{
    "stop", "resume", "delete", "start", "study", "measure", "examine", "look"};

/// The arguments that a person typed for `ringside` with --on, and its standard input.
struct RemoteCommandLine {
  std::vector<std::string> words;
  std::string input;
  RINGSIDE_FIELDS(words, input)
};
inline constexpr const char* kTyped = "command";

using Question = std::variant<FileQuestion, RemoteAction, RemoteCommandLine>;

nlohmann::json to_json(const Question& question);
/// Returns a bad request if the question is unknown or malformed.
Result<Question> parse_question(const nlohmann::json& asked);
/// The message with which a helper refuses an unknown question.
std::string not_known(const std::string& name);

/// The command of `ringside` on this machine that carries out the request.
RemoteCommandLine command_of(const RemoteAction& act);

}  // namespace ringside::remote
