// An active run as lines for a terminal: loss, speedup, ranks and verdict, from the views that the
// window shows. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "gui/view/run_context.h"

namespace ringside::cli {

struct FaceSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// At most `size.rows` lines; if these are few, the curve is left out first, then ranks.
std::string live_face(const model::RunModel& model, const view::RunContext& context,
                      const view::BaselineContext& baseline, FaceSize size, bool color);

}  // namespace ringside::cli
