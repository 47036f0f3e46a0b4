#include "gui/window/changed_tiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

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

struct Box {
  float left, top, right, bottom;

  bool empty() const { return left >= right || top >= bottom; }
};

Box box_of(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c) {
  return {std::min({a.pos.x, b.pos.x, c.pos.x}), std::min({a.pos.y, b.pos.y, c.pos.y}),
          std::max({a.pos.x, b.pos.x, c.pos.x}), std::max({a.pos.y, b.pos.y, c.pos.y})};
}

// The pixels that are touched, and the rim that rounding may add. What is no number is cut off.
Box within(const Box& box, const ImVec4& clip) {
  return {std::max(clip.x, std::floor(box.left) - 1), std::max(clip.y, std::floor(box.top) - 1),
          std::min(clip.z, std::ceil(box.right) + 1), std::min(clip.w, std::ceil(box.bottom) + 1)};
}

bool cut(const Box& box, const ImVec4& clip) {
  return box.left < clip.x || box.top < clip.y || box.right > clip.z || box.bottom > clip.w;
}

bool touch(const ui::Rect& a, const ui::Rect& b) {
  return a.x <= b.right() && b.x <= a.right() && a.y <= b.bottom() && b.y <= a.bottom();
}

ui::Rect both(const ui::Rect& a, const ui::Rect& b) {
  const float x = std::min(a.x, b.x);
  const float y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

// Puts `area` to the others; those that touch become one.
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

void ChangedTiles::add(const ImDrawList& list, const ImDrawData& data) {
  for (const ImDrawCmd& command : list.CmdBuffer) {
    const ImVec4 clip(
        command.ClipRect.x - data.DisplayPos.x, command.ClipRect.y - data.DisplayPos.y,
        command.ClipRect.z - data.DisplayPos.x, command.ClipRect.w - data.DisplayPos.y);
    const std::uint64_t start = mixed(kStart, static_cast<std::uint64_t>(command.GetTexID()));
    const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
    const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
      const ImDrawVert& a = vertices[index[i]];
      const ImDrawVert& b = vertices[index[i + 1]];
      const ImDrawVert& c = vertices[index[i + 2]];
      const Box box = box_of(a, b, c);
      const Box seen = within(box, clip);
      if (seen.empty()) continue;
      std::uint64_t hash = mixed_bytes(mixed_bytes(mixed_bytes(start, a), b), c);
      if (cut(box, clip)) hash = mixed_bytes(hash, clip);
      const int last_column = std::min(columns_ - 1, static_cast<int>(seen.right) / kTile);
      const int last_row = std::min(rows_ - 1, static_cast<int>(seen.bottom) / kTile);
      for (int y = std::max(0, static_cast<int>(seen.top) / kTile); y <= last_row; ++y) {
        for (int x = std::max(0, static_cast<int>(seen.left) / kTile); x <= last_column; ++x) {
          std::uint64_t& tile = next_[static_cast<std::size_t>(y * columns_ + x)];
          tile = mixed(tile, hash);
        }
      }
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
  // Many small ones: each costs a pass over all that is drawn.
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
  for (ui::Rect& area : changed) {  // the last tiles reach beyond the window
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
