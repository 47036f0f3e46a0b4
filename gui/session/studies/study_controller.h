// The Scaling page behind the window: which studies there are, what the shown one measured, the
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

  /// `started`: runs came; called on the main thread. `has_slurm`: the machine submits jobs, as far
  /// as is known; asked when a form is opened. `elsewhere`: the folder holds copies of those
  /// of this machine, which plans and starts them itself; empty: this one. `exports`: where files
  /// of its studies go, then; empty: beside the studies.
  StudyController(std::filesystem::path runs_dir, Jobs& jobs, MessageLine& line,
                  std::function<void()> started, std::function<bool()> has_slurm,
                  std::string elsewhere = {}, const std::filesystem::path& exports = {});
  ~StudyController();
  StudyController(const StudyController&) = delete;
  StudyController& operator=(const StudyController&) = delete;

  /// Looks at the folders again.
  void look();
  /// While the page is on the screen: a look every kFreshS.
  void keep_fresh();
  /// True when something shown has changed.
  bool update();
  bool settled() const {
    return looked_ && !jobs_.running("studies") && !jobs_.running("waterfall");
  }
  /// Pictures of the window are left in `rest`.
  void apply(const view::StudyCommand& command, std::vector<view::WindowCommand>& rest);
  void fill(view::ScalingInput& input) const;
  const view::StudyForm& form() const { return form_.form; }
  /// Runs of the study that is shown, as far as they were made.
  std::vector<std::string> shown_runs() const;

 private:
  struct Reader;
  struct Seen;
  void take(Seen seen);
  void ask(const view::AskStudy& wanted);
  void plan();
  void plan_there();
  struct Compared;
  std::optional<Compared> compared() const;
  void look_into();
  /// `form`: opened_ of the one that it was asked for in; 0: none.
  /// `fields`: of the form that it comes from, else empty ones.
  void start(StudyPlan plan, const std::string& what, std::uint64_t form,
             const view::StudyForm& fields = {});
  void start_asked();
  /// Plans as `make` does, and starts it. `told`: what is said behind its name.
  void begin(std::function<Result<StudyPlan>(const launch::Cancelled&)> make,
             const std::string& told);
  void go_on(const std::string& name);
  void measure(const view::MeasurePair& wanted);
  void stop(const std::string& name);
  void write(view::StudyFileKind kind, std::vector<view::WindowCommand>& rest);

  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  MessageLine& line_;
  std::function<void()> started_;
  std::function<bool()> has_slurm_;
  std::string elsewhere_;
  std::filesystem::path files_dir_;  ///< of pictures and tables of studies
  std::shared_ptr<Reader> reader_;
  std::vector<view::StudyName> names_;
  std::vector<view::StudyName> ready_;
  std::optional<view::StudyFacts> facts_;
  std::string selected_;  ///< study that was chosen; empty: the newest
  std::string signature_;
  view::ScalingMetric metric_ = view::ScalingMetric::kSpeedup;
  std::string setting_;  ///< chosen row
  view::WaterfallView waterfall_;
  std::string waterfall_of_;   ///< run and baseline it was asked for; empty: none
  std::string waterfall_run_;  ///< it is there; empty: it is being read
  bool asking_ = false;
  std::uint64_t opened_ = 0;  ///< forms so far; the last may be open
  view::StudyFormFacts form_;
  view::StudyForm planned_;  ///< the form that plan_ is of
  std::optional<StudyPlan> plan_;
  bool looked_ = false;
  bool wants_look_ = false;
  bool changed_ = false;
  std::uint64_t revision_ = 1;
  std::int64_t fresh_ns_ = 0;
};

}  // namespace ringside::session
