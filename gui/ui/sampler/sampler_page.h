// The Sampler page: builds its views when what they show has changed, and draws its panels. Main
// thread, inside a frame; lives as long as the window.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gui/ui/sampler/sampler_panels.h"
#include "gui/view/cached.h"
#include "gui/view/window/screen_input.h"

namespace ringside::ui {

struct SamplerDrawing {
  const view::SamplerInput& input;
  std::span<const view::RunSummary> runs;  ///< runs to choose from
  const std::string& open_run;             ///< empty: none
};

class SamplerPage {
 public:
  /// Builds the views that do not depend on the size of the window.
  void build(const view::SamplerInput& input);
  /// Whether there is an alarm, which needs additional room.
  bool alarmed() const { return view_ != nullptr && view_->alarm.has_value(); }
  void draw(const SamplerDrawing& drawing, const SamplerLayout& layout, SamplerMemory& memory,
            view::CommandQueue& commands);
  /// Number of views built so far, for tests of the cache.
  unsigned long builds() const { return views_.builds() + grids_.builds(); }

 private:
  struct ViewKey {
    std::string id;
    std::uint64_t revision = 0;
    std::int64_t pass = -1;
    bool operator==(const ViewKey&) const = default;
  };
  struct GridKey {
    std::string id;
    std::uint64_t revision = 0;
    view::SamplerChoice choice;
    std::int64_t columns = 0;
    std::int64_t rows = 0;
    bool operator==(const GridKey&) const = default;
  };
  void draw_grid(const view::SamplerInput& input, const Rect& area, SamplerMemory& memory,
                 view::CommandQueue& commands);
  void draw_lower(const SamplerLayout& layout, SamplerMemory& memory, view::CommandQueue& commands);

  view::Cached<ViewKey, view::SamplerView> views_;
  view::Cached<GridKey, view::SamplerGridView> grids_;
  const view::SamplerView* view_ = nullptr;  ///< of this frame; null: no run is shown
  const view::SamplerGridView* grid_ = nullptr;
};

}  // namespace ringside::ui
