// Controls the Sampler page: the run it shows, and the choices on it. It shows the open run unless
// another was chosen, which is then read as well. Main thread; its feed has a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gui/model/run_model.h"
#include "gui/session/run/feed.h"
#include "gui/session/runs_controller.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class SamplerController {
 public:
  explicit SamplerController(std::function<void()> wake) : wake_(std::move(wake)) {}

  void apply(const view::SamplerCommand& command, const RunsController& runs);
  /// Takes new records within the time budget of a frame. True if something on the screen has
  /// changed.
  bool update();
  /// Whether records are waiting to be taken.
  bool more() const { return chosen_ && chosen_->feed->more(); }
  void fill(const view::LiveInput& live, view::SamplerInput& input) const;

 private:
  /// A chosen run other than the open one.
  struct Chosen {
    std::string id;
    int number = 0;
    std::string title;
    std::unique_ptr<model::RunModel> model;
    std::unique_ptr<Feed> feed;
  };
  void choose(const std::string& id, const RunsController& runs);

  std::function<void()> wake_;
  std::optional<Chosen> chosen_;
  RetiredFeeds retired_;
  view::SamplerChoice choice_;
  std::uint64_t revision_ = 1;  ///< of the chosen run
};

}  // namespace ringside::session
