// A rectangle on the screen and functions that cut pieces off it. Pure; pixels, y downwards.
#pragma once

namespace ringside::ui {

struct Rect {
  float x = 0;
  float y = 0;
  float w = 0;
  float h = 0;

  float right() const { return x + w; }
  float bottom() const { return y + h; }
  float middle_x() const { return x + w * 0.5F; }
  float middle_y() const { return y + h * 0.5F; }
  bool empty() const { return w <= 0 || h <= 0; }
  bool contains(float px, float py) const {
    return px >= x && px < right() && py >= y && py < bottom();
  }
  void move(float dx, float dy) {
    x += dx;
    y += dy;
  }
  Rect inset(float dx, float dy) const { return {x + dx, y + dy, w - 2 * dx, h - 2 * dy}; }

  /// Cuts a piece off and leaves the rest, with `gap` between them.
  Rect take_top(float height, float gap = 0) {
    const Rect piece{x, y, w, height < h ? height : h};
    y += height + gap;
    h = h > height + gap ? h - height - gap : 0;
    return piece;
  }
  Rect take_bottom(float height, float gap = 0) {
    const float taken = height < h ? height : h;
    const Rect piece{x, bottom() - taken, w, taken};
    h = h > height + gap ? h - height - gap : 0;
    return piece;
  }
  Rect take_left(float width, float gap = 0) {
    const Rect piece{x, y, width < w ? width : w, h};
    x += width + gap;
    w = w > width + gap ? w - width - gap : 0;
    return piece;
  }
  Rect take_right(float width, float gap = 0) {
    const float taken = width < w ? width : w;
    const Rect piece{right() - taken, y, taken, h};
    w = w > width + gap ? w - width - gap : 0;
    return piece;
  }
};

}  // namespace ringside::ui
