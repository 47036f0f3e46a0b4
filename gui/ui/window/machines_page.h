// The Machines page: the proposed place of the next run, the board, and below it the processes and
// jobs of the chosen machine. Main thread, inside a frame; the layout is pure.
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
  std::vector<Rect> tables;  ///< areas of the chosen machine's tables

  void each(auto&& visit) {
    visit(strip);
    visit(board);
    for (Rect& area : tables) visit(area);
  }
};

/// `rows`: rows of the board. `tables`: rows of each table of the machine; the last is the longest.
MachinesLayout machines_layout(const FrameLayout& frame, float scale, std::size_t rows,
                               std::size_t tables);

void draw_machines_strip(const view::BoardView& board, const Rect& area,
                         view::CommandQueue& commands);
void draw_board(const view::BoardView& board, const Rect& area, view::CommandQueue& commands);
/// Draws the tables of the chosen machine, or why they are unknown.
void draw_machine_tables(const view::BoardView& board, const MachinesLayout& layout);

}  // namespace ringside::ui
