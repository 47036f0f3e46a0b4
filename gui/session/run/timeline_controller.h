// Controls the Timeline page: chooses the trace, reads it in a job, and rebuilds the timeline of
// the open run's recorded steps as they arrive. A profile of the run is preferred to its recorded
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
  ~TimelineController() { cancel(); }
  TimelineController(const TimelineController&) = delete;
  TimelineController& operator=(const TimelineController&) = delete;

  void apply(const view::TimelineCommand& command);
  /// Shows traces that a person opened.
  void open(const std::vector<std::filesystem::path>& files);
  /// Sets the open run; null: none. Looks for its profiles and shows the newest, unless a person
  /// chose another source and `newest` is false.
  void look(const runlog::RunFolder* run, bool newest = false);
  /// Rebuilds the recorded steps if the run has new ones. True if the screen must be rebuilt.
  bool update(const view::LiveInput& live);
  void fill(const view::LiveInput& live, view::TimelineInput& input) const;
  /// Whether the chosen source has been read.
  bool settled() const { return reading_ == nullptr; }

 private:
  bool shows_steps() const { return has_run_ && chosen_ == 0; }
  const TimelineSource* source() const;
  void choose(std::size_t source);
  void adopt(const std::vector<TimelineSource>& found);
  void read();
  void show(ReadTimeline read);
  void cancel();

  Jobs& jobs_;
  std::string run_;  ///< folder of the open run
  bool has_run_ = false;
  std::vector<TimelineSource> profiles_;  ///< of the open run
  std::vector<TimelineSource> opened_;
  std::size_t chosen_ = 0;  ///< recorded steps, if there is a run; profiles; opened ones
  bool by_person_ = false;  ///< a person chose the source
  ReadTimeline shown_;
  std::string problem_;
  std::shared_ptr<TraceProgress> reading_;  ///< null: no read in progress
  std::uint64_t steps_revision_ = 0;        ///< revision of the run at the last build
  std::uint64_t revision_ = 1;              ///< increases when the shown timeline changes
  std::uint64_t source_revision_ = 1;       ///< increases when another source is chosen
  std::uint64_t jobs_begun_ = 0;
};

}  // namespace ringside::session
