// Maps the vocabulary of the views to the theme: tones and paints to colours, shapes to icons,
// sentences to text. Main thread, inside a frame.
#pragma once

#include "gui/ui/fonts.h"
#include "gui/ui/icons.h"
#include "gui/ui/theme.h"
#include "gui/view/state_view.h"
#include "gui/view/words.h"

namespace ringside::ui {

Token token_of(view::Tone tone);
/// Background of a strip or pill in that tone.
Token tint_of(view::Tone tone);
ImU32 paint_color(view::Paint paint);
Icon icon_of(view::Shape shape);

struct SentenceStyle {
  Type words = Type::kBody;
  Type strong = Type::kPanel;
  Type number = Type::kNumber;
  Type strong_number = Type::kNumberBold;
  Token color = Token::kText;
  Token strong_color = Token::kHigh;
};
inline constexpr SentenceStyle kSmallSentence{Type::kSmall,      Type::kSmallBold, Type::kNumber,
                                              Type::kNumberBold, Token::kText,     Token::kHigh};
inline constexpr SentenceStyle kLabelSentence{Type::kLabel, Type::kLabel, Type::kAxis,
                                              Type::kAxis,  Token::kDim,  Token::kHigh};
inline constexpr SentenceStyle kDimSentence{Type::kSmall,      Type::kSmallBold, Type::kNumber,
                                            Type::kNumberBold, Token::kDim,      Token::kHigh};

float sentence_width(const view::Sentence& sentence, const SentenceStyle& style);
/// Draws a sentence on one line, cut at `right` with "…", with the full text as a tooltip. Returns
/// the x of its right end.
float sentence_at(float x, float middle_y, float right, const view::Sentence& sentence,
                  const SentenceStyle& style);
float sentence_right(float right, float middle_y, const view::Sentence& sentence,
                     const SentenceStyle& style);
float sentence_centered(float middle_x, float middle_y, const view::Sentence& sentence,
                        const SentenceStyle& style);
/// Draws a sentence broken between words into lines of height `line`, beginning at `top`. Returns
/// the y below the last line.
float sentence_wrapped(float x, float top, float right, float line, const view::Sentence& sentence,
                       const SentenceStyle& style);

float state_word(float x, float middle_y, const view::StateView& state);

}  // namespace ringside::ui
