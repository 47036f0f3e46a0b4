#include "gui/view/colors.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace ringside::view {
namespace {

constexpr auto kTokens = static_cast<std::size_t>(Token::kCount);

// Colours in the order of Token.
constexpr std::array<Color, kTokens> kColors{{
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

// Okabe-Ito colours, lighter for dark and darker for light, so that every line keeps a contrast of
// 3:1.
constexpr std::array<Color, 8> kRanks{{
    {0xE8A317, 0xC27F00},
    {0x5FBBEF, 0x2A93CF},
    {0x20B58A, 0x00855F},
    {0xEDE04A, 0x9C8B00},
    {0x3B8FDB, 0x0072B2},
    {0xE8702A, 0xC65600},
    {0xD98BB6, 0xB85C90},
    {0xA3A9B2, 0x767C85},
}};

}  // namespace

Color color(Token token) { return kColors[static_cast<std::size_t>(token)]; }

Token token_of(Paint paint) {
  constexpr Token kOfPaints[] = {Token::kDataWait,    Token::kForward,   Token::kBackward,
                                 Token::kWaitSlowest, Token::kAllReduce, Token::kOptimizer,
                                 Token::kOther,       Token::kEvaluation};
  static_assert(std::size(kOfPaints) == static_cast<std::size_t>(Paint::kEvaluation) + 1);
  return kOfPaints[static_cast<std::size_t>(paint)];
}

Color color_of_rank(Rank rank) {
  return kRanks[static_cast<std::size_t>(rank < 0 ? kRankColors - 1 : rank_color_index(rank))];
}

Color color_of_run(int run) {
  constexpr std::array<Token, 4> kSeries{Token::kSeriesA, Token::kSeriesB, Token::kSeriesC,
                                         Token::kSeriesD};
  return color(kSeries[static_cast<std::size_t>(run < 0 ? 0 : run % 4)]);
}

std::string css_color(std::uint32_t rgb) { return fmt::format("#{:06X}", rgb); }
std::string light_css(Token token) { return css_color(color(token).light); }

}  // namespace ringside::view
