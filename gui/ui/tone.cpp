#include "gui/ui/tone.h"

#include <string_view>

#include "gui/ui/tips.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

struct Set {
  Type type;
  ImU32 color;
};

Set set_of(view::Style piece, const SentenceStyle& style) {
  switch (piece) {
    case view::Style::kWords:
      break;
    case view::Style::kStrong:
      return {style.strong, color_of(style.strong_color)};
    case view::Style::kNumber:
      return {style.number, color_of(style.color)};
    case view::Style::kStrongNumber:
      return {style.strong_number, color_of(style.strong_color)};
    case view::Style::kDim:
      return {style.words, color_of(Token::kDim)};
  }
  return {style.words, color_of(style.color)};
}

/// End of the first word of `text`, with the following spaces.
std::size_t word_end(std::string_view text) {
  std::size_t end = text.find(' ');
  if (end == std::string_view::npos) return text.size();
  while (end < text.size() && text[end] == ' ') ++end;
  return end;
}

}  // namespace

Token token_of(view::Tone tone) {
  constexpr Token kTokens[] = {Token::kText,    Token::kHigh,   Token::kDim,
                               Token::kFaint,   Token::kAccent, Token::kOk,
                               Token::kWarning, Token::kError,  Token::kInfo};
  static_assert(std::size(kTokens) == static_cast<std::size_t>(view::Tone::kInfo) + 1);
  return kTokens[static_cast<std::size_t>(tone)];
}

Token tint_of(view::Tone tone) {
  switch (tone) {
    case view::Tone::kOk:
      return Token::kOkTint;
    case view::Tone::kWarning:
      return Token::kWarningTint;
    case view::Tone::kError:
      return Token::kErrorTint;
    case view::Tone::kInfo:
      return Token::kInfoTint;
    case view::Tone::kAccent:
      return Token::kAccentTint;
    default:
      return Token::kRaised;
  }
}

ImU32 paint_color(view::Paint paint) { return color_of(view::token_of(paint)); }

Icon icon_of(view::Shape shape) {
  constexpr Icon kIcons[] = {Icon::kNone,    Icon::kRing,       Icon::kPlay, Icon::kWarning,
                             Icon::kHexagon, Icon::kTick,       Icon::kStop, Icon::kCross,
                             Icon::kDiamond, Icon::kStruckRing, Icon::kDot};
  static_assert(std::size(kIcons) == static_cast<std::size_t>(view::Shape::kDot) + 1);
  return kIcons[static_cast<std::size_t>(shape)];
}

float sentence_width(const view::Sentence& sentence, const SentenceStyle& style) {
  float width = 0;
  for (const view::Piece& piece : sentence)
    width += text_width(set_of(piece.style, style).type, piece.text);
  return width;
}

float sentence_at(float x, float middle_y, float right, const view::Sentence& sentence,
                  const SentenceStyle& style) {
  const float begin = x;
  for (const view::Piece& piece : sentence) {
    const Set set = set_of(piece.style, style);
    const bool whole = x + text_width(set.type, piece.text) <= right;
    if (x < right) x = text_fitted(x, middle_y, right - x, set.type, set.color, piece.text);
    if (whole) continue;
    const float line = font_size(style.words);
    note_cut({begin, middle_y - line * 0.5F, x - begin, line}, view::plain(sentence));
    return x;
  }
  return x;
}

float sentence_right(float right, float middle_y, const view::Sentence& sentence,
                     const SentenceStyle& style) {
  const float x = right - sentence_width(sentence, style);
  sentence_at(x, middle_y, right + 1, sentence, style);
  return x;
}

float sentence_centered(float middle_x, float middle_y, const view::Sentence& sentence,
                        const SentenceStyle& style) {
  const float width = sentence_width(sentence, style);
  return sentence_at(middle_x - width * 0.5F, middle_y, middle_x + width, sentence, style);
}

float sentence_wrapped(float x, float top, float right, float line, const view::Sentence& sentence,
                       const SentenceStyle& style) {
  float at = x;
  float middle = top + line * 0.5F;
  for (const view::Piece& piece : sentence) {
    const Set set = set_of(piece.style, style);
    std::string_view rest = piece.text;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, word_end(rest));
      std::string_view bare = word.substr(0, word.find_last_not_of(' ') + 1);
      if (at > x && at + text_width(set.type, bare) > right) {
        at = x;
        middle += line;
      }
      // A path may be longer than a line.
      bare = fitting_part(set.type, bare, right - at);
      text_at(at, middle, set.type, set.color, bare);
      const bool whole = bare.size() == word.size() || word[bare.size()] == ' ';
      const std::string_view taken = whole ? word : bare;
      at += text_width(set.type, taken);
      rest.remove_prefix(taken.size());
    }
  }
  return middle + line * 0.5F;
}

float state_word(float x, float middle_y, const view::StateView& state) {
  return shape_word(x, middle_y, icon_of(state.shape), token_of(state.tone), state.word);
}

}  // namespace ringside::ui
