// Reads the results of a study's runs, the log of each ended run only once. Reads files; used by
// one thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gui/runs/figure_file.h"
#include "gui/runs/probe_file.h"
#include "gui/runs/run_figures.h"
#include "gui/runs/studies/study.h"
#include "gui/view/scaling/study_facts.h"
#include "protocol/runlog/log_reader.h"

namespace ringside::session {

class StudyReader {
 public:
  explicit StudyReader(std::filesystem::path runs_dir) : runs_dir_(std::move(runs_dir)) {}

  /// `watch` can cancel between runs; what was read so far is returned.
  view::StudyFacts read(const runs::Study& study, const runlog::ReadWatch& watch = {});

 private:
  struct Known {
    runs::FileStamp log;
    bool ended = false;
    view::StudyRun run;
    std::optional<analysis::RunMeasure> measure;
    std::optional<messages::RunSpec> spec;
    std::shared_ptr<const launch::NamedPreset> preset;
    std::int64_t train_samples = 0;
    std::optional<runs::ProbedWork> work;
    std::string against;  ///< the baseline run that it was compared with
  };
  /// The baseline that the runs are compared with: none if the id is empty.
  struct Baseline {
    std::string id;
    std::optional<runs::ReadRun> read{};
    bool pair = false;  ///< its settings may differ, since they are what is compared
  };
  const Known& look_at(const std::string& id, const std::map<std::string, int>& numbers,
                       const runlog::ReadWatch& watch, Baseline& baseline);
  void judge(const model::RunModel& run, Baseline& baseline, const runlog::ReadWatch& watch,
             Known& known);

  std::filesystem::path runs_dir_;
  std::map<std::string, Known> known_;
};

}  // namespace ringside::session
