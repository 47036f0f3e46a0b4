#include "gui/ui/chart/line_image.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr int kStrip = 32;         // columns
constexpr int kMostStrips = 256;   // 8,192 columns: every OpenGL 3.3 supports this width
constexpr int kMostHeight = 8192;  // rows, for the same reason

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29U);
}

/// Part of a bar within one strip; x from the strip's left edge, y from the image's upper edge.
struct Piece {
  std::int16_t left, right, top, bottom;
  ImU32 color;
};

struct Strip {
  std::uint64_t holds = 0;  ///< hash of what was drawn; 0: nothing
  int top = 0;              ///< rows outside of these are from earlier contents
  int bottom = 0;
};

class Pictures {
 public:
  ~Pictures() {
    if (texture_) ImGui::UnregisterUserTexture(texture_.get());
    if (old_) ImGui::UnregisterUserTexture(old_.get());
  }
  bool draw(const std::vector<Bar>& bars, const Rect& area);

 private:
  void start_frame();
  void make(int strips, int height);
  void sort_into_strips(const std::vector<Bar>& bars, const Rect& area, int count);
  void update(int index, const std::vector<Piece>& pieces);
  void show(ImDrawList& list, int index, float x, float y) const;

  std::unique_ptr<ImTextureData> texture_;
  std::unique_ptr<ImTextureData> old_;  ///< kept until the display has released it
  std::vector<Strip> strips_;
  std::vector<std::vector<Piece>> pieces_;
  int frame_ = -1;
  int used_ = 0;           ///< strips handed out in this frame
  int wanted_ = 0;         ///< strips asked for in this frame
  int wanted_height_ = 0;  ///< height of the highest image so far
};

void Pictures::make(int strips, int height) {
  if (texture_) {
    texture_->WantDestroyNextFrame = true;
    old_ = std::move(texture_);
  }
  texture_ = std::make_unique<ImTextureData>();
  texture_->Create(ImTextureFormat_RGBA32, strips * kStrip, height);
  texture_->UseColors = true;
  ImGui::RegisterUserTexture(texture_.get());
  strips_.assign(static_cast<std::size_t>(strips), Strip{});
}

// Enlarges the texture at the beginning of a frame if the last frame did not fit.
void Pictures::start_frame() {
  if (frame_ == ImGui::GetFrameCount()) return;
  frame_ = ImGui::GetFrameCount();
  if (old_ && old_->Status == ImTextureStatus_Destroyed) {
    ImGui::UnregisterUserTexture(old_.get());
    old_.reset();
  }
  const int strips = std::min(wanted_, kMostStrips);
  const int height = std::min(wanted_height_, kMostHeight);
  const bool fits =
      texture_ && strips <= static_cast<int>(strips_.size()) && height <= texture_->Height;
  if (!fits && !old_ && strips > 0)
    make(std::max(strips, static_cast<int>(strips_.size())), height);
  used_ = 0;
  wanted_ = 0;
}

void Pictures::sort_into_strips(const std::vector<Bar>& bars, const Rect& area, int count) {
  pieces_.resize(std::max(pieces_.size(), static_cast<std::size_t>(count)));
  for (std::vector<Piece>& pieces : pieces_) pieces.clear();
  const auto x = static_cast<int>(area.x);
  const auto y = static_cast<int>(area.y);
  const auto width = static_cast<int>(area.w);
  const auto height = static_cast<int>(area.h);
  for (const Bar& bar : bars) {
    const int left = std::max(0, bar.left - x);
    const int right = std::min(width, bar.right - x);
    const int top = std::max(0, bar.top - y);
    const int bottom = std::min(height, bar.bottom - y);
    if (left >= right || top >= bottom) continue;
    for (int strip = left / kStrip; strip * kStrip < right; ++strip) {
      const int begin = strip * kStrip;
      pieces_[static_cast<std::size_t>(strip)].push_back(
          {static_cast<std::int16_t>(std::max(left - begin, 0)),
           static_cast<std::int16_t>(std::min(right - begin, kStrip)),
           static_cast<std::int16_t>(top), static_cast<std::int16_t>(bottom), bar.color});
    }
  }
}

std::uint64_t number_of(const std::vector<Piece>& pieces) {
  std::uint64_t hash = pieces.size() + 1;
  for (const Piece& piece : pieces) {
    std::uint64_t place = 0;
    std::memcpy(&place, &piece, sizeof place);
    hash = mixed(mixed(hash, place), piece.color);
  }
  return hash;
}

void Pictures::update(int index, const std::vector<Piece>& pieces) {
  Strip& strip = strips_[static_cast<std::size_t>(index)];
  const std::uint64_t number = number_of(pieces);
  if (strip.holds == number) return;
  strip = {number, texture_->Height, 0};
  for (const Piece& piece : pieces) {
    strip.top = std::min<int>(strip.top, piece.top);
    strip.bottom = std::max<int>(strip.bottom, piece.bottom);
  }
  if (strip.top >= strip.bottom) return;
  const auto width = static_cast<std::size_t>(texture_->Width);
  auto* const origin = static_cast<ImU32*>(texture_->GetPixelsAt(index * kStrip, 0));
  for (int y = strip.top; y < strip.bottom; ++y)
    std::fill_n(origin + static_cast<std::size_t>(y) * width, kStrip, 0U);
  for (const Piece& piece : pieces) {
    for (int x = piece.left; x < piece.right; ++x) {
      ImU32* at = origin + static_cast<std::size_t>(piece.top) * width + x;
      for (int y = piece.top; y < piece.bottom; ++y, at += width) *at = piece.color;
    }
  }
  ImTextureDataQueueUpload(texture_.get(), index * kStrip, strip.top, kStrip,
                           strip.bottom - strip.top);
}

// Draws the strip as two triangles, and two of zero area that encode its content for code that
// compares frames by their triangles. Always two, since the software renderer (llvmpipe) takes
// triangles in pairs and is faster for a pair that is a rectangle.
void Pictures::show(ImDrawList& list, int index, float x, float y) const {
  const Strip& strip = strips_[static_cast<std::size_t>(index)];
  if (strip.top >= strip.bottom) return;
  const auto top = static_cast<float>(strip.top);
  const auto bottom = static_cast<float>(strip.bottom);
  const auto left = static_cast<float>(index * kStrip);
  const ImVec2 from(x, y + top);
  const ImVec2 to(x + kStrip, y + bottom);
  const auto width = static_cast<float>(texture_->Width);
  const auto height = static_cast<float>(texture_->Height);
  list.PrimReserve(12, 10);
  list.PrimRectUV(from, to, ImVec2(left / width, top / height),
                  ImVec2((left + kStrip) / width, bottom / height), IM_COL32_WHITE);
  const auto number = static_cast<ImU32>(strip.holds);
  const ImVec2 rest(static_cast<float>(strip.holds >> 48U),
                    static_cast<float>(strip.holds >> 32U & 0xFFFFU));
  for (int i = 0; i < 2; ++i) {
    list.PrimVtx(from, rest, number);
    list.PrimVtx(to, rest, number);
    list.PrimVtx(from, rest, number);
  }
}

bool Pictures::draw(const std::vector<Bar>& bars, const Rect& area) {
  start_frame();
  const int count = (static_cast<int>(area.w) + kStrip - 1) / kStrip;
  wanted_ += count;
  wanted_height_ = std::max(wanted_height_, static_cast<int>(area.h));
  if (!texture_ || used_ + count > static_cast<int>(strips_.size()) ||
      static_cast<int>(area.h) > texture_->Height)
    return false;
  sort_into_strips(bars, area, count);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const UnsmoothedTextures exact;
  list.PushTexture(texture_->GetTexRef());
  for (int i = 0; i < count; ++i) {
    update(used_ + i, pieces_[static_cast<std::size_t>(i)]);
    show(list, used_ + i, area.x + static_cast<float>(i * kStrip), area.y);
  }
  list.PopTexture();
  used_ += count;
  return true;
}

std::unique_ptr<Pictures> kept;

Pictures& pictures() {
  if (kept) return *kept;
  kept = std::make_unique<Pictures>();
  ImGuiContextHook end;
  end.Type = ImGuiContextHookType_Shutdown;
  end.Callback = [](ImGuiContext*, ImGuiContextHook*) { kept.reset(); };
  ImGui::AddContextHook(ImGui::GetCurrentContext(), &end);
  return *kept;
}

}  // namespace

bool draw_bars_as_picture(const std::vector<Bar>& bars, const Rect& area) {
  return pictures().draw(bars, area);
}

}  // namespace ringside::ui
