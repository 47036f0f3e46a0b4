// Controls the Timeline page: which trace it shows, reads it beside the frames, and builds that of
// the open run's recorded steps while they come. A profile of the run is shown before its recorded
// steps. Main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/session/jobs.h"
#include "gui/session/trace/timeline_sources.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class TimelineController {
 public:
  explicit TimelineController(Jobs& jobs) : jobs_(jobs) {}
  /// Gives up what is being read.
  ~TimelineController() { cancel(); }
  TimelineController(const TimelineController&) = delete;
  TimelineController& operator=(const TimelineController&) = delete;

  void apply(const view::TimelineCommand& command);
  /// Shows traces that a person opened.
  void open(const std::vector<std::filesystem::path>& files);
  /// The open run is this one from now on; null: none. Looks for its profiles, and shows the newest
  /// unless a person chose something else, or with `newest` in any case.
  void look(const runlog::RunFolder* run, bool newest = false);
  /// Builds the recorded steps anew where the run went on. True when the screen has to be built
  /// again.
  bool update(const view::LiveInput& live);
  void fill(const view::LiveInput& live, view::TimelineInput& input) const;
  /// Whether what is chosen is there.
  bool settled() const { return reading_ == nullptr; }

 private:
  bool shows_steps() const { return has_run_ && chosen_ == 0; }
  const TimelineSource* source() const;
  void choose(std::size_t source);
  void read();
  void show(ReadTimeline read);
  void cancel();

  Jobs& jobs_;
  std::string run_;  ///< folder of the open run
  bool has_run_ = false;
  std::vector<TimelineSource> profiles_;  ///< of it
  std::vector<TimelineSource> opened_;
  std::size_t chosen_ = 0;  ///< recorded steps, if there is a run; profiles; opened ones
  bool by_person_ = false;  ///< who chose it
  ReadTimeline shown_;
  std::string problem_;
  std::shared_ptr<TraceProgress> reading_;  ///< null: nothing is
  std::uint64_t steps_revision_ = 0;        ///< of the run, when its steps were built
  std::uint64_t revision_ = 1;              ///< of what is shown
  std::uint64_t source_revision_ = 1;       ///< of what is chosen
  std::uint64_t jobs_begun_ = 0;
};

}  // namespace ringside::session
