#include "gui/ui/theme.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace ringside::ui {
namespace {

Theme current_theme;

constexpr ImU32 pack(std::uint32_t rgb) {
  return IM_COL32((rgb >> 16U) & 255U, (rgb >> 8U) & 255U, rgb & 255U, 255U);
}

ImU32 pack(const view::Color& color) {
  return pack(current_theme.light ? color.light : color.dark);
}

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
  style.Colors[ImGuiCol_ModalWindowDimBg] = ImVec4(0, 0, 0, 0);
}

}  // namespace

void set_theme(const Theme& theme) {
  current_theme = theme;
  if (!(current_theme.scale >= 0.5F)) current_theme.scale = 0.5F;
  if (current_theme.scale > 4.0F) current_theme.scale = 4.0F;
}

const Theme& theme() { return current_theme; }

float px(float length) { return std::floor(length * current_theme.scale + 0.5F); }

ImU32 color_of(Token token) { return pack(view::color(token)); }

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

ImU32 rank_color(Rank rank) { return pack(view::color_of_rank(rank)); }
ImU32 rank_chip_color(Rank rank) { return pack(view::color_of_rank(rank).dark); }
ImU32 run_color(int run) { return pack(view::color_of_run(run)); }

ImU32 amount_color(double share) {
  // Nine points of matplotlib's viridis colour map, interpolated linearly.
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
