// Finds which parts of the window differ from the previous frame, before it is drawn: every
// triangle is hashed into each tile that it may touch, so that equal hashes mean equal pixels.
// Independent of panels. One thread.
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

  /// Returns areas in whole pixels from the top left that contain all differences from the last
  /// call; none: nothing differs. Returns everything after forget() or a change of size.
  std::vector<ui::Rect> update(const ImDrawData& data);
  void forget() { shown_.clear(); }

 private:
  void add(const ImDrawList& list, const ImDrawData& data);
  void add_triangles(const ImDrawList& list, const ImDrawCmd& command, const ImVec4& clip);
  /// Hashes what is drawn within a box (left, top, right, bottom) into its tiles.
  void mix(const ImVec4& box, const ImVec4& clip, std::uint64_t hash);
  std::vector<ui::Rect> areas() const;

  int columns_ = 0;
  int rows_ = 0;
  std::vector<std::uint64_t> shown_;  ///< per tile, in rows; empty: not known
  std::vector<std::uint64_t> next_;
};

/// Clips `data` to `area` until the object is destroyed.
class DrawOnly {
 public:
  DrawOnly(ImDrawData& data, const ui::Rect& area);
  ~DrawOnly();
  DrawOnly(const DrawOnly&) = delete;
  DrawOnly& operator=(const DrawOnly&) = delete;

 private:
  ImDrawData& data_;
  std::vector<ImVec4> clips_;  ///< the original clips, in order
};

}  // namespace ringside::window
