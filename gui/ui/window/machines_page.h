// The Machines page: where the next run has room, the board, and below it what goes on on the
// chosen machine. Main thread, inside a frame; the layout is pure.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/window/machine_board.h"

namespace ringside::ui {

struct MachinesLayout : PageLayout {
  Rect strip;
  Rect board;
  std::vector<Rect> tables;  ///< of the chosen machine

  void each(auto&& visit) {
    visit(strip);
    visit(board);
    for (Rect& area : tables) visit(area);
  }
};

/// `rows`: of the board. `tables`: of the machine, the last of them the longest.
MachinesLayout machines_layout(const FrameLayout& frame, float scale, std::size_t rows,
                               std::size_t tables);

void draw_machines_strip(const view::BoardView& board, const Rect& area,
                         view::CommandQueue& commands);
void draw_board(const view::BoardView& board, const Rect& area, view::CommandQueue& commands);
/// What goes on on the chosen machine, or why that is not known.
void draw_machine_tables(const view::BoardView& board, const MachinesLayout& layout);

}  // namespace ringside::ui
