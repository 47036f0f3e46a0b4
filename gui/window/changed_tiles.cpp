#include "gui/window/changed_tiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "gui/ui/ground.h"

namespace ringside::window {
namespace {

constexpr std::uint64_t kStart = 0xCBF29CE484222325ULL;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29U);
}

template <class T>
std::uint64_t mixed_bytes(std::uint64_t hash, const T& value) {
  static_assert(sizeof(T) % 4 == 0);
  std::array<std::uint32_t, sizeof(T) / 4> words{};
  std::memcpy(words.data(), &value, sizeof value);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2)
    hash = mixed(hash, words[i] | std::uint64_t{words[i + 1]} << 32U);
  return words.size() % 2 == 1 ? mixed(hash, words.back()) : hash;
}

// Edges: left, top, right, bottom.
using Box = ImVec4;

Box box_of(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c) {
  return {std::min({a.pos.x, b.pos.x, c.pos.x}), std::min({a.pos.y, b.pos.y, c.pos.y}),
          std::max({a.pos.x, b.pos.x, c.pos.x}), std::max({a.pos.y, b.pos.y, c.pos.y})};
}

// The affected pixels with a margin for rounding. Values that are not numbers are clamped.
Box within(const Box& box, const Box& clip) {
  return {std::max(clip.x, std::floor(box.x) - 1), std::max(clip.y, std::floor(box.y) - 1),
          std::min(clip.z, std::ceil(box.z) + 1), std::min(clip.w, std::ceil(box.w) + 1)};
}

bool cut(const Box& box, const Box& clip) {
  return box.x < clip.x || box.y < clip.y || box.z > clip.z || box.w > clip.w;
}

bool touch(const ui::Rect& a, const ui::Rect& b) {
  return a.x <= b.right() && b.x <= a.right() && a.y <= b.bottom() && b.y <= a.bottom();
}

ui::Rect both(const ui::Rect& a, const ui::Rect& b) {
  const float x = std::min(a.x, b.x);
  const float y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

// Adds `area` to the others; areas that touch are merged.
void put(std::vector<ui::Rect>& areas, ui::Rect area) {
  for (std::size_t i = 0; i < areas.size();) {
    if (!touch(areas[i], area)) {
      ++i;
      continue;
    }
    area = both(areas[i], area);
    areas.erase(areas.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  areas.push_back(area);
}

}  // namespace

void ChangedTiles::mix(const ImVec4& box, const ImVec4& clip, std::uint64_t hash) {
  const Box seen = within(box, clip);
  if (seen.x >= seen.z || seen.y >= seen.w) return;
  if (cut(box, clip)) hash = mixed_bytes(hash, clip);
  const int last_column = std::min(columns_ - 1, static_cast<int>(seen.z) / kTile);
  const int last_row = std::min(rows_ - 1, static_cast<int>(seen.w) / kTile);
  for (int y = std::max(0, static_cast<int>(seen.y) / kTile); y <= last_row; ++y) {
    for (int x = std::max(0, static_cast<int>(seen.x) / kTile); x <= last_column; ++x) {
      std::uint64_t& tile = next_[static_cast<std::size_t>(y * columns_ + x)];
      tile = mixed(tile, hash);
    }
  }
}

void ChangedTiles::add_triangles(const ImDrawList& list, const ImDrawCmd& command,
                                 const ImVec4& clip) {
  const std::uint64_t start = mixed(kStart, static_cast<std::uint64_t>(command.GetTexID()));
  const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
    const ImDrawVert& a = vertices[index[i]];
    const ImDrawVert& b = vertices[index[i + 1]];
    const ImDrawVert& c = vertices[index[i + 2]];
    mix(box_of(a, b, c), clip, mixed_bytes(mixed_bytes(mixed_bytes(start, a), b), c));
  }
}

void ChangedTiles::add(const ImDrawList& list, const ImDrawData& data) {
  for (const ImDrawCmd& command : list.CmdBuffer) {
    const ImVec4 clip(
        command.ClipRect.x - data.DisplayPos.x, command.ClipRect.y - data.DisplayPos.y,
        command.ClipRect.z - data.DisplayPos.x, command.ClipRect.w - data.DisplayPos.y);
    if (const ui::Ground* ground = ui::ground_of(command)) {
      const ui::Rect& area = ground->area;
      mix({area.x, area.y, area.right(), area.bottom()}, clip, mixed_bytes(kStart, *ground));
    } else {
      add_triangles(list, command, clip);
    }
  }
}

std::vector<ui::Rect> ChangedTiles::areas() const {
  std::vector<ui::Rect> found;
  for (int y = 0; y < rows_; ++y) {
    for (int x = 0; x < columns_; ++x) {
      const auto tile = static_cast<std::size_t>(y * columns_ + x);
      if (!shown_.empty() && shown_[tile] == next_[tile]) continue;
      put(found, {static_cast<float>(x * kTile), static_cast<float>(y * kTile), kTile, kTile});
    }
  }
  // Merges areas if there are many small ones, since each costs a pass over all that is drawn.
  while (found.size() > kMostAreas) {
    const ui::Rect last = found.back();
    found.pop_back();
    found.front() = both(found.front(), last);
  }
  return found;
}

std::vector<ui::Rect> ChangedTiles::update(const ImDrawData& data) {
  const int columns = (static_cast<int>(data.DisplaySize.x) + kTile - 1) / kTile;
  const int rows = (static_cast<int>(data.DisplaySize.y) + kTile - 1) / kTile;
  if (columns != columns_ || rows != rows_) forget();
  columns_ = columns;
  rows_ = rows;
  next_.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), kStart);
  for (const ImDrawList* list : data.CmdLists) add(*list, data);
  std::vector<ui::Rect> changed = areas();
  for (ui::Rect& area : changed) {  // tiles at the edge extend beyond the window
    area.w = std::min(area.w, data.DisplaySize.x - area.x);
    area.h = std::min(area.h, data.DisplaySize.y - area.y);
  }
  shown_.swap(next_);
  return changed;
}

DrawOnly::DrawOnly(ImDrawData& data, const ui::Rect& area) : data_(data) {
  const ImVec2 origin = data.DisplayPos;
  for (ImDrawList* list : data.CmdLists) {
    for (ImDrawCmd& command : list->CmdBuffer) {
      clips_.push_back(command.ClipRect);
      ImVec4& clip = command.ClipRect;
      clip = ImVec4(std::max(clip.x, area.x + origin.x), std::max(clip.y, area.y + origin.y),
                    std::min(clip.z, area.right() + origin.x),
                    std::min(clip.w, area.bottom() + origin.y));
    }
  }
}

DrawOnly::~DrawOnly() {
  std::size_t at = 0;
  for (ImDrawList* list : data_.CmdLists) {
    for (ImDrawCmd& command : list->CmdBuffer) command.ClipRect = clips_[at++];
  }
}

}  // namespace ringside::window
