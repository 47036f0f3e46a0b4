// The panels of the Sampler page: their layout, and one free function each that draws it: a const
// view in, commands out. Main thread, inside a frame; layout functions are pure.
#pragma once

#include <cstdint>

#include "gui/ui/layout.h"
#include "gui/ui/rect.h"
#include "gui/ui/sampler/sampler_memory.h"
#include "gui/view/command.h"
#include "gui/view/sampler/sampler_view.h"

namespace ringside::ui {

struct SamplerLayout : PageLayout {
  Rect strip;
  Rect alarm;  ///< empty: there is none
  Rect grid;
  Rect checks;
  Rect first;       ///< empty if it is a tab
  Rect validation;  ///< or the panel of tabs
  Rect moved;       ///< empty if it is a tab
  Rect shards;      ///< empty if it is a tab
  bool tabs = false;

  void each(auto&& visit) {
    for (Rect* area : {&strip, &alarm, &grid, &checks, &first, &validation, &moved, &shards})
      visit(*area);
  }
};
SamplerLayout sampler_layout(const FrameLayout& frame, float scale, bool alarm,
                             const Arrangement& arrangement = {});

/// Share of a rank's colour in a cell; the rest is the panel's colour.
inline constexpr float kCellShare = 0.74F;

/// Position of the grid's cells in its panel, and how many there is room for.
struct GridPlace {
  Rect overview;  ///< the whole data set
  Rect cells;
  float cell_w = 10;
  float cell_h = 14;
  std::int64_t columns = 1;
  std::int64_t rows = 1;
};
/// `cells`: per row of the whole data set; `rows`: of the whole run.
GridPlace grid_place(const Rect& panel, float scale, std::int64_t cells, std::int64_t rows);

void draw_owner_grid(const view::SamplerGridView& grid, const GridPlace& place, const Rect& area,
                     SamplerMemory& memory, view::CommandQueue& commands);
void draw_sample_checks(const view::SamplerView& view, const Rect& area);
void draw_sampler_alarm(const view::SamplerAlarm& alarm, const std::string& run, const Rect& area,
                        view::CommandQueue& commands);

// The contents of panels that can also be tabs; `header` is the free part of the panel's header.
void draw_first_samples(const view::FirstSamplesView& view, const Rect& header, const Rect& body,
                        view::CommandQueue& commands);
void draw_validation(const view::ValidationView& view, const Rect& body);
void draw_moved(const view::MovedView& view, const Rect& header, const Rect& body);
void draw_shards(const view::SamplerView& view, const view::SamplerGridView& grid,
                 const Rect& body);

}  // namespace ringside::ui
