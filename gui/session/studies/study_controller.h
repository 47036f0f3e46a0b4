// The state behind the Scaling page: the list of studies, the results of the shown one, and the
// form of a new one with its plan, start, stop and export. Main thread; files are read and agents
// started in jobs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/jobs.h"
#include "gui/session/message_line.h"
#include "gui/session/studies/study_start.h"
#include "gui/view/command.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class StudyController {
 public:
  static constexpr double kFreshS = 3;

  /// `started`: runs were created; called on the main thread. `has_slurm`: whether the machine is
  /// known to submit jobs; called when a form is opened. `elsewhere`: the machine whose copies the
  /// folder holds, which plans and starts its own studies; empty: this machine. `exports`: folder
  /// for files of that machine's studies; empty: beside the studies.
  StudyController(std::filesystem::path runs_dir, Jobs& jobs, MessageLine& line,
                  std::function<void()> started, std::function<bool()> has_slurm,
                  std::string elsewhere = {}, const std::filesystem::path& exports = {});
  ~StudyController();
  StudyController(const StudyController&) = delete;
  StudyController& operator=(const StudyController&) = delete;

  /// Scans the folders again.
  void look();
  /// Called while the page is on the screen: scans every kFreshS.
  void keep_fresh();
  /// True if something shown has changed.
  bool update();
  bool settled() const { return seen_ && !jobs_.running("studies") && !jobs_.running("waterfall"); }
  /// Commands that save pictures of the window are returned in `rest`.
  void apply(const view::StudyCommand& command, std::vector<view::WindowCommand>& rest);
  void fill(view::ScalingInput& input) const;
  const view::StudyForm& form() const { return form_.form; }
  /// Runs of the shown study that have been created.
  std::vector<std::string> shown_runs() const;

 private:
  struct Reader;
  /// The result of the last scan of the folder.
  struct Seen {
    std::vector<view::StudyName> names;
    std::vector<view::StudyName> ready;
    std::optional<view::StudyFacts> facts;
    bool operator==(const Seen& other) const;
  };
  struct Planned {
    view::StudyForm form;           ///< the form that was planned
    std::optional<StudyPlan> plan;  ///< nothing: not made yet, or not possible
  };
  struct Waterfall {
    std::string of;   ///< requested run and baseline; empty: none
    std::string run;  ///< run of the shown waterfall; empty: being read
    view::WaterfallView view;
  };
  const view::StudyFacts* facts() const { return seen_ && seen_->facts ? &*seen_->facts : nullptr; }
  void take(Seen seen);
  void rank_by(const std::string& metric);
  void ask(const view::AskStudy& wanted);
  void plan();
  void plan_there();
  struct Compared;
  std::optional<Compared> compared() const;
  void look_into();
  /// `form`: the form that started the plan, which closes after the start; nothing: no form did.
  void start(StudyPlan plan, const std::string& what, const std::optional<view::StudyForm>& form);
  void start_asked();
  /// Makes a plan with `make` and starts it. `told`: text that is shown after its name.
  void begin(std::function<Result<StudyPlan>(const launch::Cancelled&)> make,
             const std::string& told);
  void go_on(const std::string& name);
  void measure(const view::MeasurePair& wanted);
  void decide(const StartedStudy& begun);
  void stop(const std::string& name);
  void write(view::StudyFileKind kind, std::vector<view::WindowCommand>& rest);

  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  MessageLine& line_;
  std::function<void()> started_;
  std::function<bool()> has_slurm_;
  std::string elsewhere_;
  std::filesystem::path files_dir_;  ///< folder for pictures and tables of studies
  std::shared_ptr<Reader> reader_;
  std::optional<Seen> seen_;  ///< nothing: not read yet
  std::string selected_;      ///< study that was chosen; empty: the newest
  view::ScalingMetric metric_ = view::ScalingMetric::kSpeedup;
  std::string setting_;  ///< chosen row
  std::string best_by_;  ///< metric that ranks settings; empty: the default
  Waterfall waterfall_;
  bool asking_ = false;  ///< the form is open
  view::StudyFormFacts form_;
  std::optional<Planned> planned_;
  bool wants_look_ = false;
  bool changed_ = false;
  std::uint64_t revision_ = 1;
  std::int64_t fresh_ns_ = 0;
};

}  // namespace ringside::session
