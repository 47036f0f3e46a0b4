#include "gui/ui/window/manual_text.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

/// A piece of a run without spaces.
struct Atom {
  std::size_t run = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  float width = 0;
  float space = 0;  ///< before the piece; 0: it continues the word of the piece before
};

/// A part of one run of text on one line.
struct Segment {
  std::size_t run = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  int line = 0;
  float x = 0;
  float width = 0;
};

Type type_of(const manual::Run& run, const TextLook& look) {
  if (run.code) return look.code;
  return run.strong ? look.strong : look.words;
}

std::vector<Atom> atoms_of(const manual::Text& text, const TextLook& look) {
  std::vector<Atom> atoms;
  float space = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view all = text[i].text;
    const Type type = type_of(text[i], look);
    for (std::size_t at = 0; at < all.size();) {
      if (all[at] == ' ') {
        space = text_width(type, " ");
        ++at;
        continue;
      }
      const std::size_t end = std::min(all.find(' ', at), all.size());
      atoms.push_back({i, at, end, text_width(type, all.substr(at, end - at)), space});
      space = 0;
      at = end;
    }
  }
  return atoms;
}

/// Breaks pieces of text into lines of a given width.
class Lines {
 public:
  Lines(const manual::Text& text, const TextLook& look, float room)
      : text_(text), look_(look), room_(room) {
    const std::vector<Atom> atoms = atoms_of(text, look);
    for (std::size_t i = 0; i < atoms.size();) {
      std::size_t end = i + 1;
      float width = atoms[i].width;
      while (end < atoms.size() && atoms[end].space <= 0) width += atoms[end++].width;
      if (x_ > 0 && x_ + atoms[i].space + width > room_) next_line();
      if (x_ > 0) x_ += atoms[i].space;
      for (; i < end; ++i) {
        width > room_ ? put_parted(atoms[i]) : put(atoms[i]);
      }
    }
  }

  const std::vector<Segment>& segments() const { return segments_; }
  int count() const { return segments_.empty() ? 0 : line_ + 1; }

 private:
  void next_line() {
    ++line_;
    x_ = 0;
  }

  void put(const Atom& atom) {
    const bool goes_on =
        !segments_.empty() && segments_.back().run == atom.run && segments_.back().line == line_;
    if (goes_on) {
      segments_.back().end = atom.end;
      segments_.back().width = x_ + atom.width - segments_.back().x;
    } else {
      segments_.push_back({atom.run, atom.begin, atom.end, line_, x_, atom.width});
    }
    x_ += atom.width;
  }

  /// Breaks a piece that is longer than a line, such as a path.
  void put_parted(Atom atom) {
    const Type type = type_of(text_[atom.run], look_);
    const std::string_view all = text_[atom.run].text;
    while (atom.begin < atom.end) {
      const std::string_view rest = all.substr(atom.begin, atom.end - atom.begin);
      std::string_view part = fitting_part(type, rest, room_ - x_);
      if (x_ > 0 && x_ + text_width(type, part) > room_) {
        next_line();
        part = fitting_part(type, rest, room_);
      }
      put({atom.run, atom.begin, atom.begin + part.size(), text_width(type, part), 0});
      atom.begin += part.size();
      if (atom.begin < atom.end) next_line();
    }
  }

  const manual::Text& text_;
  const TextLook& look_;
  float room_;
  float x_ = 0;
  int line_ = 0;
  std::vector<Segment> segments_;
};

/// Slants the letters, since there is no italic face.
void draw_leaning(float x, float middle, Type type, ImU32 color, std::string_view text) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const int first = list.VtxBuffer.Size;
  text_at(x, middle, type, color, text);
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& at = list.VtxBuffer[i].pos;
    at.x += (middle - at.y) * 0.2F;
  }
}

void draw_segment(const manual::Run& run, const TextLook& look, std::string_view text,
                  const Rect& area, bool lit) {
  if (!ImGui::IsRectVisible(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()))) return;
  const Type type = type_of(run, look);
  const bool link = !run.link.empty();
  ImU32 color = color_of(run.strong || run.code ? look.strong_color : look.color);
  if (link) color = color_of(lit ? Token::kHigh : Token::kAccent);
  if (run.emphasis) {
    draw_leaning(area.x, area.middle_y(), type, color, text);
  } else {
    text_at(area.x, area.middle_y(), type, color, text);
  }
  if (link) line_h(area.x, area.right(), area.middle_y() + px(7), color);
}

/// Draws the background of code; before any text, since it extends slightly beyond its own text.
void draw_code_ground(const manual::Run& run, const Rect& area) {
  if (!run.code || !run.link.empty()) return;
  fill({area.x - px(2), area.middle_y() - px(8), area.w + px(4), px(16)}, Token::kInput, 3);
}

bool link_area(const manual::Run& run, std::string_view text, const Rect& area, bool& hovered) {
  const Hit hit = hit_area(("Link " + std::string(text)).c_str(), area);
  hovered = hit.hovered;
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!run.link.address.empty()) tooltip("Copy " + run.link.address);
  return hit.clicked;
}

}  // namespace

TextExtent extent_of(const manual::Text& text, const TextLook& look) {
  TextExtent extent;
  float word = 0;
  for (const Atom& atom : atoms_of(text, look)) {
    word = atom.space > 0 ? atom.width : word + atom.width;
    extent.whole += atom.space + atom.width;
    extent.word = std::max(extent.word, word);
  }
  return extent;
}

float set_text(int id, const manual::Text& text, const Rect& column, const TextLook& look,
               const manual::Link** pressed) {
  const Lines lines(text, look, std::max(column.w, px(8)));
  const float height = px(look.line);
  const auto area_of = [&column, height](const Segment& one) {
    return Rect{column.x + one.x, column.y + height * static_cast<float>(one.line), one.width,
                height};
  };
  for (const Segment& one : lines.segments()) draw_code_ground(text[one.run], area_of(one));
  ImGui::PushID(id);
  int number = 0;
  for (const Segment& one : lines.segments()) {
    const manual::Run& run = text[one.run];
    const auto piece = std::string_view(run.text).substr(one.begin, one.end - one.begin);
    const Rect area = area_of(one);
    bool lit = false;
    if (!run.link.empty()) {
      ImGui::PushID(number++);
      if (link_area(run, piece, area, lit) && pressed != nullptr) *pressed = &run.link;
      ImGui::PopID();
    }
    draw_segment(run, look, piece, area, lit);
  }
  ImGui::PopID();
  return column.y + height * static_cast<float>(lines.count());
}

}  // namespace ringside::ui
