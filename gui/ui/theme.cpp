#include "gui/ui/theme.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace ringside::ui {
namespace {

struct Pair {
  std::uint32_t dark;
  std::uint32_t light;
};

constexpr auto kTokens = static_cast<std::size_t>(Token::kCount);

// In the order of Token.
constexpr std::array<Pair, kTokens> kColors{{
    {0x0C0E11, 0xF1F3F5}, {0x13161A, 0xFFFFFF}, {0x1A1E23, 0xF7F8FA}, {0x0F1215, 0xFFFFFF},
    {0x20252B, 0xE9ECF0}, {0x1D2036, 0xE6E7FA}, {0x242930, 0xE1E4E8}, {0x353C46, 0xC3C9D1},
    {0x1C2026, 0xECEEF1}, {0xECEEF1, 0x14171B}, {0xC2C8D0, 0x2F353D}, {0x8C95A1, 0x5A636F},
    {0x626B77, 0x8A93A0}, {0x8C92FF, 0x4A4FC4}, {0x5B61D9, 0x4A4FC4}, {0x1E2038, 0xECEDFB},
    {0xFFFFFF, 0xFFFFFF}, {0x45C486, 0x15764B}, {0x12271F, 0xE3F4EB}, {0xFFB648, 0x8F5600},
    {0x2B2211, 0xFDF1DC}, {0xFF6B6B, 0xBE2B31}, {0x2E1719, 0xFBE7E8}, {0x7FB2E5, 0x1F5FA8},
    {0x152431, 0xE6EFF8}, {0x445474, 0xAFBBD3}, {0x5B6E94, 0x8496BC}, {0x343F56, 0xCBD3E2},
    {0xB98BE8, 0x7E4FC0}, {0xE0697E, 0xC23A52}, {0x43A6B0, 0x1F7F8A}, {0x7C8BA8, 0x65748F},
    {0x8A8072, 0x75695A}, {0x5B6B8C, 0x7486AB}, {0x0C0E11, 0x0C0E11}, {0x9AA0FF, 0x4A4FC4},
    {0xDCC9A3, 0x8A6D2F}, {0x5FC2B4, 0x1B7F73}, {0xE58AA0, 0xB03A5B}, {0x36B3A2, 0x1F8F80},
    {0x3C8496, 0x6BAEBD}, {0x3B566E, 0xA9BDCF}, {0x2A323C, 0xDDE2E8},
}};

// Okabe-Ito, lifted for dark and lowered for light so that every line keeps a contrast of 3:1.
constexpr std::array<Pair, 8> kRanks{{
    {0xE8A317, 0xC27F00},
    {0x5FBBEF, 0x2A93CF},
    {0x20B58A, 0x00855F},
    {0xEDE04A, 0x9C8B00},
    {0x3B8FDB, 0x0072B2},
    {0xE8702A, 0xC65600},
    {0xD98BB6, 0xB85C90},
    {0xA3A9B2, 0x767C85},
}};

Theme current_theme;

constexpr ImU32 pack(std::uint32_t rgb) {
  return IM_COL32((rgb >> 16U) & 255U, (rgb >> 8U) & 255U, rgb & 255U, 255U);
}

const Pair& of_rank(Rank rank) { return kRanks[static_cast<std::size_t>(rank < 0 ? 7 : rank % 8)]; }

void set(ImGuiStyle& style, ImGuiCol which, Token token) {
  style.Colors[which] = ImGui::ColorConvertU32ToFloat4(color_of(token));
}

void set_colors(ImGuiStyle& style) {
  set(style, ImGuiCol_Text, Token::kText);
  set(style, ImGuiCol_TextDisabled, Token::kFaint);
  set(style, ImGuiCol_WindowBg, Token::kPanel);
  set(style, ImGuiCol_PopupBg, Token::kRaised);
  set(style, ImGuiCol_Border, Token::kLine2);
  set(style, ImGuiCol_FrameBg, Token::kInput);
  set(style, ImGuiCol_FrameBgHovered, Token::kInput);
  set(style, ImGuiCol_FrameBgActive, Token::kInput);
  set(style, ImGuiCol_ScrollbarGrab, Token::kLine2);
  set(style, ImGuiCol_ScrollbarGrabHovered, Token::kFaint);
  set(style, ImGuiCol_ScrollbarGrabActive, Token::kDim);
  set(style, ImGuiCol_CheckMark, Token::kAccent);
  set(style, ImGuiCol_Button, Token::kRaised);
  set(style, ImGuiCol_ButtonHovered, Token::kHover);
  set(style, ImGuiCol_ButtonActive, Token::kSelected);
  set(style, ImGuiCol_Header, Token::kSelected);
  set(style, ImGuiCol_HeaderHovered, Token::kHover);
  set(style, ImGuiCol_HeaderActive, Token::kSelected);
  set(style, ImGuiCol_Separator, Token::kLine);
  set(style, ImGuiCol_NavCursor, Token::kAccent);
  set(style, ImGuiCol_TextSelectedBg, Token::kAccentFill);
  style.Colors[ImGuiCol_TextSelectedBg].w = 0.45F;
  style.Colors[ImGuiCol_ChildBg] = ImVec4(0, 0, 0, 0);
  style.Colors[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  style.Colors[ImGuiCol_ModalWindowDimBg] = ImVec4(0, 0, 0, current_theme.light ? 0.25F : 0.45F);
}

}  // namespace

void set_theme(const Theme& theme) {
  current_theme = theme;
  if (!(current_theme.scale >= 0.5F)) current_theme.scale = 0.5F;
  if (current_theme.scale > 4.0F) current_theme.scale = 4.0F;
}

const Theme& theme() { return current_theme; }

float px(float length) { return std::floor(length * current_theme.scale + 0.5F); }

ImU32 color_of(Token token) {
  const Pair& pair = kColors[static_cast<std::size_t>(token)];
  return pack(current_theme.light ? pair.light : pair.dark);
}

ImU32 color_of(Token token, float opacity) {
  const auto alpha = static_cast<ImU32>(opacity * 255.0F + 0.5F);
  return (color_of(token) & ~IM_COL32_A_MASK) | (alpha << IM_COL32_A_SHIFT);
}

ImU32 mixed_over_panel(ImU32 over, float share) {
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(over);
  const ImVec4 b = ImGui::ColorConvertU32ToFloat4(color_of(Token::kPanel));
  const auto mix = [share](float from, float onto) { return from * share + onto * (1.0F - share); };
  return ImGui::ColorConvertFloat4ToU32(ImVec4(mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), 1.0F));
}

ImU32 rank_color(Rank rank) {
  const Pair& pair = of_rank(rank);
  return pack(current_theme.light ? pair.light : pair.dark);
}

ImU32 rank_chip_color(Rank rank) { return pack(of_rank(rank).dark); }

ImU32 run_color(int run) {
  constexpr std::array<Token, 4> kSeries{Token::kSeriesA, Token::kSeriesB, Token::kSeriesC,
                                         Token::kSeriesD};
  return color_of(kSeries[static_cast<std::size_t>(run < 0 ? 0 : run % 4)]);
}

ImU32 amount_color(double share) {
  // Nine of the points of matplotlib's map of that name; in between on a straight line.
  constexpr std::array<std::uint32_t, 9> kPoints{0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C,
                                                 0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725};
  const double at = (share < 0 ? 0 : share > 1 ? 1 : share) * (kPoints.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = low + 1 < kPoints.size() ? low + 1 : low;
  const auto part = static_cast<float>(at - static_cast<double>(low));
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(pack(kPoints[low]));
  const ImVec4 b = ImGui::ColorConvertU32ToFloat4(pack(kPoints[high]));
  const auto mix = [part](float from, float to) { return from + (to - from) * part; };
  return ImGui::ColorConvertFloat4ToU32(ImVec4(mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), 1.0F));
}

void apply_style() {
  ImGuiStyle style;
  style.WindowPadding = ImVec2(12, 8);
  style.FramePadding = ImVec2(8, 5);
  style.ItemSpacing = ImVec2(8, 4);
  style.CellPadding = ImVec2(8, 4);
  style.WindowRounding = style.ChildRounding = style.FrameRounding = style.PopupRounding = 4;
  style.ScrollbarRounding = 4;
  style.GrabRounding = 3;
  style.TabRounding = 0;
  style.WindowBorderSize = style.PopupBorderSize = style.FrameBorderSize = 1;
  style.ChildBorderSize = 0;
  style.ScrollbarSize = 10;
  style.HoverStationaryDelay = 0.0F;
  style.ScaleAllSizes(current_theme.scale);
  style.WindowBorderSize = style.PopupBorderSize = style.FrameBorderSize = 1;
  set_colors(style);
  ImGui::GetStyle() = style;
}

}  // namespace ringside::ui
