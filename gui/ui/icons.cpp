#include "gui/ui/icons.h"

#include <cmath>
#include <initializer_list>

#include "gui/ui/theme.h"

namespace ringside::ui {
namespace {

/// One icon being drawn: unit coordinates -1 .. 1 around a centre.
struct Pen {
  ImDrawList& list;
  ImVec2 center;
  float half = 0;
  ImU32 color = 0;
  float weight = 1;

  ImVec2 at(float x, float y) const { return {center.x + x * half, center.y + y * half}; }
  void line(float x0, float y0, float x1, float y1) const {
    list.AddLine(at(x0, y0), at(x1, y1), color, weight);
  }
  void triangle(float x0, float y0, float x1, float y1, float x2, float y2) const {
    list.AddTriangleFilled(at(x0, y0), at(x1, y1), at(x2, y2), color);
  }
  void ring(float x, float y, float radius) const {
    list.AddCircle(at(x, y), half * radius, color, 0, weight);
  }
  void dot(float x, float y, float radius) const {
    list.AddCircleFilled(at(x, y), half * radius, color);
  }
  void path(std::initializer_list<ImVec2> points, bool closed = false) const {
    for (const ImVec2& point : points) list.PathLineTo(at(point.x, point.y));
    list.PathStroke(color, weight, closed ? ImDrawFlags_Closed : ImDrawFlags_None);
  }
  void block(float x0, float y0, float x1, float y1) const {
    list.AddRectFilled(at(x0, y0), at(x1, y1), color);
  }
};

void draw_warning(const Pen& pen) {
  pen.triangle(0, -0.85F, 0.95F, 0.8F, -0.95F, 0.8F);
  const Pen hole{pen.list, pen.center, pen.half, color_of(Token::kPanel), pen.weight};
  hole.block(-0.11F, -0.3F, 0.11F, 0.28F);
  hole.block(-0.11F, 0.42F, 0.11F, 0.62F);
}

void draw_cells(const Pen& pen) {
  for (const float y : {-0.85F, -0.2F, 0.45F}) {
    for (const float x : {-0.85F, -0.2F, 0.45F}) pen.block(x, y, x + 0.4F, y + 0.4F);
  }
}

void draw_star(const Pen& pen, bool filled) {
  for (int i = 0; i < 10; ++i) {
    const float angle = 0.628319F * static_cast<float>(i) - 1.570796F;
    const float far = i % 2 == 0 ? 1.0F : 0.42F;
    pen.list.PathLineTo(pen.at(far * std::cos(angle), far * std::sin(angle)));
  }
  if (filled) {
    pen.list.PathFillConcave(pen.color);
  } else {
    pen.list.PathStroke(pen.color, pen.weight, ImDrawFlags_Closed);
  }
}

void draw_repeat(const Pen& pen) {
  constexpr float kFrom = -0.9F;
  constexpr float kTo = 3.9F;
  pen.list.PathArcTo(pen.center, pen.half * 0.7F, kFrom, kTo);
  pen.list.PathStroke(pen.color, pen.weight);
  pen.triangle(-0.95F, -0.75F, -0.15F, -0.75F, -0.55F, -0.05F);
}

void draw_status(Icon icon, const Pen& pen) {
  if (icon == Icon::kPlay) pen.triangle(-0.6F, -0.75F, 0.8F, 0, -0.6F, 0.75F);
  if (icon == Icon::kStop) pen.block(-0.62F, -0.62F, 0.62F, 0.62F);
  if (icon == Icon::kTick) pen.path({{-0.75F, 0.05F}, {-0.2F, 0.55F}, {0.8F, -0.55F}});
  if (icon == Icon::kCross) {
    pen.line(-0.6F, -0.6F, 0.6F, 0.6F);
    pen.line(-0.6F, 0.6F, 0.6F, -0.6F);
  }
  if (icon == Icon::kRing) pen.ring(0, 0, 0.72F);
  if (icon == Icon::kStruckRing) {
    pen.ring(0, 0, 0.72F);
    pen.line(-0.5F, 0.5F, 0.5F, -0.5F);
  }
  if (icon == Icon::kDiamond) pen.path({{0, -0.85F}, {0.85F, 0}, {0, 0.85F}, {-0.85F, 0}}, true);
  if (icon == Icon::kWarning) draw_warning(pen);
  if (icon == Icon::kHexagon) pen.list.AddNgonFilled(pen.center, pen.half * 0.9F, pen.color, 6);
  if (icon == Icon::kDot) pen.dot(0, 0, 0.6F);
  if (icon == Icon::kCells) draw_cells(pen);
  if (icon == Icon::kRepeat) draw_repeat(pen);
}

void draw_gear(const Pen& pen) {
  pen.ring(0, 0, 0.42F);
  for (int i = 0; i < 8; ++i) {
    const float angle = static_cast<float>(i) * 0.7853982F;
    const float c = std::cos(angle);
    const float s = std::sin(angle);
    pen.line(c * 0.62F, s * 0.62F, c * 0.92F, s * 0.92F);
  }
}

void draw_list_icon(const Pen& pen) {
  for (const float y : {-0.6F, 0.0F, 0.6F}) {
    pen.block(-0.85F, y - 0.13F, -0.58F, y + 0.13F);
    pen.line(-0.3F, y, 0.85F, y);
  }
}

void draw_tool(Icon icon, const Pen& pen) {
  if (icon == Icon::kDownload) {
    pen.line(0, -0.85F, 0, 0.3F);
    pen.path({{-0.45F, -0.1F}, {0, 0.35F}, {0.45F, -0.1F}});
    pen.path({{-0.8F, 0.4F}, {-0.8F, 0.8F}, {0.8F, 0.8F}, {0.8F, 0.4F}});
  }
  if (icon == Icon::kList) draw_list_icon(pen);
  if (icon == Icon::kSearch) {
    pen.ring(-0.15F, -0.15F, 0.55F);
    pen.line(0.27F, 0.27F, 0.8F, 0.8F);
  }
  if (icon == Icon::kPulse)
    pen.path({{-0.95F, 0.05F},
              {-0.5F, 0.05F},
              {-0.2F, -0.75F},
              {0.2F, 0.75F},
              {0.5F, 0.05F},
              {0.95F, 0.05F}});
  if (icon == Icon::kGear) draw_gear(pen);
  if (icon == Icon::kHelp) {
    pen.ring(0, 0, 0.85F);
    pen.path({{-0.3F, -0.2F}, {-0.15F, -0.42F}, {0.18F, -0.42F}, {0.28F, -0.15F}, {0, 0.12F}});
    pen.block(-0.08F, 0.32F, 0.1F, 0.5F);
  }
  if (icon == Icon::kChevronDown) pen.path({{-0.5F, -0.25F}, {0, 0.3F}, {0.5F, -0.25F}});
  if (icon == Icon::kChevronUp) pen.path({{-0.5F, 0.25F}, {0, -0.3F}, {0.5F, 0.25F}});
  if (icon == Icon::kChevronRight) pen.path({{-0.25F, -0.5F}, {0.3F, 0}, {-0.25F, 0.5F}});
  if (icon == Icon::kCopy) {
    pen.path({{-0.25F, -0.3F}, {0.8F, -0.3F}, {0.8F, 0.8F}, {-0.25F, 0.8F}}, true);
    pen.path({{-0.5F, 0.35F}, {-0.75F, 0.35F}, {-0.75F, -0.75F}, {0.35F, -0.75F}});
  }
  if (icon == Icon::kPlayOutline) pen.path({{-0.65F, -0.85F}, {0.85F, 0}, {-0.65F, 0.85F}}, true);
  if (icon == Icon::kSun) {
    pen.dot(0, 0, 0.42F);
    draw_gear(pen);
  }
  if (icon == Icon::kFolder)
    pen.path({{-0.85F, 0.7F},
              {-0.85F, -0.65F},
              {-0.25F, -0.65F},
              {0, -0.35F},
              {0.85F, -0.35F},
              {0.85F, 0.7F}},
             true);
  if (icon == Icon::kPin) {
    pen.block(-0.4F, -0.85F, 0.4F, 0.05F);
    pen.line(-0.7F, 0.1F, 0.7F, 0.1F);
    pen.line(0, 0.1F, 0, 0.9F);
  }
  if (icon == Icon::kStar || icon == Icon::kStarOutline) draw_star(pen, icon == Icon::kStar);
  if (icon == Icon::kMachine) {
    pen.path({{-0.9F, -0.75F}, {0.9F, -0.75F}, {0.9F, 0.4F}, {-0.9F, 0.4F}}, true);
    pen.line(-0.45F, 0.8F, 0.45F, 0.8F);
  }
  if (icon == Icon::kSpans) {
    pen.block(-0.95F, -0.85F, 0.3F, -0.35F);
    pen.block(-0.4F, -0.2F, 0.95F, 0.3F);
    pen.block(-0.7F, 0.45F, 0.1F, 0.95F);
  }
  if (icon == Icon::kScaling) {
    pen.path({{-0.95F, -0.9F}, {-0.95F, 0.9F}, {0.95F, 0.9F}});
    pen.path({{-0.5F, 0.4F}, {0.05F, -0.1F}, {0.75F, -0.7F}});
    for (const ImVec2 dot : {ImVec2(-0.5F, 0.4F), ImVec2(0.05F, -0.1F), ImVec2(0.75F, -0.7F)})
      pen.dot(dot.x, dot.y, 0.22F);
  }
}

}  // namespace

void draw_icon(Icon icon, ImVec2 center, float size, Ink color) {
  const float weight = std::fmax(1.0F, 1.5F * theme().scale);
  const Pen pen{*ImGui::GetWindowDrawList(), center, size * 0.5F, color, weight};
  draw_status(icon, pen);
  draw_tool(icon, pen);
}

void draw_mark(ImVec2 center, float size) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float half = std::floor(size * 0.5F);
  const float post = std::floor(size * 0.24F);
  const ImU32 rope = color_of(Token::kDim);
  const ImVec2 top_left(center.x - half, center.y - half);
  const ImVec2 bottom_right(center.x + half, center.y + half);
  const float inset = std::floor(post * 0.5F);
  list.AddRect(ImVec2(top_left.x + inset, top_left.y + inset),
               ImVec2(bottom_right.x - inset, bottom_right.y - inset), rope, 0.0F, px(1.5F));
  const float third = std::floor(size / 3.0F);
  for (const float y : {top_left.y + third, bottom_right.y - third}) {
    list.AddLineH(top_left.x + post, bottom_right.x - post, y, rope);
  }
  const auto corner = [&](float x, float y, Rank rank) {
    list.AddRectFilled(ImVec2(x, y), ImVec2(x + post, y + post), rank_chip_color(rank));
  };
  corner(top_left.x, top_left.y, 0);
  corner(bottom_right.x - post, top_left.y, 1);
  corner(top_left.x, bottom_right.y - post, 2);
  corner(bottom_right.x - post, bottom_right.y - post, 3);
}

}  // namespace ringside::ui
