// Finds which parts of the window differ from the frame before, from what is to be drawn: every
// triangle is mixed into a number of each tile that it may touch, so that equal numbers mean equal
// pixels. Knows nothing of panels. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include <imgui.h>

#include "gui/ui/rect.h"

namespace ringside::window {

class ChangedTiles {
 public:
  static constexpr int kTile = 32;  ///< pixels
  static constexpr std::size_t kMostAreas = 4;

  /// Areas in whole pixels from the top left that together hold all that differs from the last
  /// call; none: nothing does. Everything after forget() and when the size is another.
  std::vector<ui::Rect> update(const ImDrawData& data);
  void forget() { shown_.clear(); }

 private:
  void add(const ImDrawList& list, const ImDrawData& data);
  void add_triangles(const ImDrawList& list, const ImDrawCmd& command, const ImVec4& clip);
  /// What is drawn within a box (left, top, right, bottom), as a number.
  void mix(const ImVec4& box, const ImVec4& clip, std::uint64_t hash);
  std::vector<ui::Rect> areas() const;

  int columns_ = 0;
  int rows_ = 0;
  std::vector<std::uint64_t> shown_;  ///< by tile, row by row; empty: not known
  std::vector<std::uint64_t> next_;
};

/// Leaves of `data` what lies within `area`, until the object ends.
class DrawOnly {
 public:
  DrawOnly(ImDrawData& data, const ui::Rect& area);
  ~DrawOnly();
  DrawOnly(const DrawOnly&) = delete;
  DrawOnly& operator=(const DrawOnly&) = delete;

 private:
  ImDrawData& data_;
  std::vector<ImVec4> clips_;  ///< as they were, in order
};

}  // namespace ringside::window
