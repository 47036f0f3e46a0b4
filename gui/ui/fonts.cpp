#include "gui/ui/fonts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "gui/ui/font_file.h"
#include "gui/ui/item_watch.h"
#include "gui/ui/theme.h"
#include "gui/ui/tips.h"

namespace ringside::ui {
namespace {

enum Face { kInter, kInterBold, kMono, kMonoBold, kFaces };

// Dear ImGui's size is ascent + descent; these are the factors from one em.
constexpr float kInterPerEm = 1.21F;
constexpr float kMonoPerEm = 1.32F;
constexpr float kCapHeight = 0.727F;  // of an em, for both typefaces

struct Style {
  Face face;
  float em;
};

constexpr std::array<Style, 13> kStyles{{
    {kInterBold, 46},
    {kMonoBold, 16},
    {kInterBold, 15},
    {kInterBold, 14},
    {kInterBold, 13},
    {kInter, 12},
    {kInter, 13},
    {kInter, 12},
    {kInterBold, 12},
    {kMono, 12},
    {kMonoBold, 12},
    {kInter, 11},
    {kMono, 11},
}};

std::array<ImFont*, kFaces> faces{};

const Style& style_of(Type type) { return kStyles[static_cast<std::size_t>(type)]; }

float cap_middle(ImFont* font, float size, float em) {
  // Distance from the top of the text box to the middle of its capitals.
  return font->GetFontBaked(size)->Ascent - em * kCapHeight * 0.5F;
}

}  // namespace

std::vector<std::string> load_fonts() {
  struct FontRequest {
    const char* family;
    bool semi_bold;
  };
  constexpr std::array<FontRequest, kFaces> kWishes{
      {{"Inter", false}, {"Inter", true}, {"JetBrains Mono", false}, {"JetBrains Mono", true}}};
  std::vector<std::string> replaced;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  for (std::size_t i = 0; i < kWishes.size(); ++i) {
    const FontFile found = find_font(kWishes[i].family, kWishes[i].semi_bold);
    ImFontConfig config;
    config.Flags |= ImFontFlags_NoLoadError;
    faces[i] =
        found.path.empty() ? nullptr : atlas.AddFontFromFileTTF(found.path.c_str(), 0.0F, &config);
    if (faces[i] == nullptr) faces[i] = atlas.AddFontDefaultVector();
    if (!found.exact) {
      replaced.push_back(fmt::format("The font {}{} is not installed; a substitute is used.",
                                     kWishes[i].family, kWishes[i].semi_bold ? " SemiBold" : ""));
    }
  }
  return replaced;
}

ImFont* font_of(Type type) { return faces[static_cast<std::size_t>(style_of(type).face)]; }

float font_size(Type type) {
  const Style& style = style_of(type);
  return style.em * theme().scale * (style.face >= kMono ? kMonoPerEm : kInterPerEm);
}

float text_width(Type type, std::string_view text) {
  if (text.empty()) return 0;
  return font_of(type)
      ->CalcTextSizeA(font_size(type), FLT_MAX, 0.0F, text.data(), text.data() + text.size())
      .x;
}

float text_at(float x, float middle_y, Type type, Ink color, std::string_view text) {
  if (text.empty()) return x;
  ImFont* const font = font_of(type);
  const float size = font_size(type);
  const float top = middle_y - cap_middle(font, size, style_of(type).em * theme().scale);
  ImGui::GetWindowDrawList()->AddText(font, size, ImVec2(std::round(x), std::round(top)), color,
                                      text.data(), text.data() + text.size());
  const float width = text_width(type, text);
  const float capitals = style_of(type).em * theme().scale * kCapHeight;
  note_text(text, {x, middle_y - capitals * 0.5F, width, capitals});
  return x + width;
}

float text_right(float right, float middle_y, Type type, Ink color, std::string_view text) {
  const float x = right - text_width(type, text);
  text_at(x, middle_y, type, color, text);
  return x;
}

float text_centered(float middle_x, float middle_y, Type type, Ink color, std::string_view text) {
  return text_at(middle_x - text_width(type, text) * 0.5F, middle_y, type, color, text);
}

std::string fitted(Type type, std::string_view text, float width) {
  if (text_width(type, text) <= width) return std::string(text);
  const float room = width - text_width(type, "…");
  if (room < 0) return {};
  const char* end = text.data();
  if (room > 0) {
    font_of(type)->CalcTextSizeA(font_size(type), room, 0.0F, text.data(),
                                 text.data() + text.size(), &end);
  }
  return std::string(text.data(), end) + "…";
}

std::string_view fitting_part(Type type, std::string_view text, float width) {
  if (text_width(type, text) <= width) return text;
  const char* end = text.data();
  if (width > 0) {
    font_of(type)->CalcTextSizeA(font_size(type), width, 0.0F, text.data(),
                                 text.data() + text.size(), &end);
  }
  auto length = std::max<std::size_t>(1, static_cast<std::size_t>(end - text.data()));
  // Does not cut within a multi-byte character.
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
    ++length;
  return text.substr(0, length);
}

float text_fitted(float x, float middle_y, float width, Type type, Ink color,
                  std::string_view text) {
  if (text_width(type, text) <= width) return text_at(x, middle_y, type, color, text);
  const float end = text_at(x, middle_y, type, color, fitted(type, text, width));
  const float line = font_size(type);
  note_cut({x, middle_y - line * 0.5F, end - x, line}, text);
  return end;
}

}  // namespace ringside::ui
