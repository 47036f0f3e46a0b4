// The small pieces that every panel consists of: hit areas, chips, pills, switches, bars, buttons,
// fields and the frame of a panel. Each draws at a given place and returns what the person did with
// it. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gui/ui/fonts.h"
#include "gui/ui/icons.h"
#include "gui/ui/rect.h"
#include "gui/ui/theme.h"
#include "gui/ui/tips.h"

namespace ringside::ui {

struct Hit {
  bool clicked = false;
  bool double_clicked = false;
  bool hovered = false;
  bool held = false;
};

/// An invisible control that the mouse and the keyboard reach. `id` is also its name in the list of
/// items.
Hit hit_area(const char* id, const Rect& area);

/// Disables texture smoothing for everything drawn while it lives: exact for images, and with a
/// software renderer a third cheaper for plain rectangles, which look the same.
class UnsmoothedTextures {
 public:
  UnsmoothedTextures();
  ~UnsmoothedTextures();
  UnsmoothedTextures(const UnsmoothedTextures&) = delete;
  UnsmoothedTextures& operator=(const UnsmoothedTextures&) = delete;
};

void fill(const Rect& area, Ink color, float radius = 0);
void outline(const Rect& area, Ink color, float radius = 0);
void line_h(float x0, float x1, float y, Ink color);
void line_v(float x, float y0, float y1, Ink color);
/// Draws a line of dashes of `on` pixels with gaps of `off`.
void dashed(ImVec2 from, ImVec2 to, Ink color, float on, float off, float weight = 1.0F);

/// A filled, bordered panel with a 28 px header for title and subtitle; a child window for its
/// content. `header` is the area right of the title for the panel's own controls, which get at
/// least `controls` pixels: the subtitle is left out first, then the title is cut.
class PanelFrame {
 public:
  PanelFrame(const char* id, const Rect& area, std::string_view title,
             std::string_view subtitle = {}, float controls = 0);
  PanelFrame(const char* id, const Rect& area);
  ~PanelFrame();
  PanelFrame(const PanelFrame&) = delete;
  PanelFrame& operator=(const PanelFrame&) = delete;

  Rect header;  ///< free part of the header
  Rect body;    ///< below the header, unpadded
};

/// A child window without decoration, for parts that scroll.
class ScrollArea {
 public:
  ScrollArea(const char* id, const Rect& area);
  ~ScrollArea();
  ScrollArea(const ScrollArea&) = delete;
  ScrollArea& operator=(const ScrollArea&) = delete;

  Rect content;  ///< its top left moves with scrolling; `h` is the height of the visible part
  /// Reports where the content ends.
  void reach(float bottom) const;
};

/// A scroll area without a bar, scrolled by the wheel alone.
class HiddenScroll {
 public:
  HiddenScroll(const char* id, const Rect& area);
  ~HiddenScroll();
  HiddenScroll(const HiddenScroll&) = delete;
  HiddenScroll& operator=(const HiddenScroll&) = delete;

  float top = 0;  ///< of the scrolled content
  void reach(float bottom) const;
};

/// A block of 24 x 16 pixels with "r2"; wider from rank 100 on. Returns its right edge.
float rank_chip(float x, float middle_y, Rank rank, bool faded = false);
Hit rank_chip_button(const char* id, float x, float middle_y, Rank rank, bool faded);
float rank_chip_width(Rank rank);

/// Shape and word in one colour. Returns the right edge.
float shape_word(float x, float middle_y, Icon shape, Ink color, std::string_view word,
                 Type type = Type::kSmall);
/// Shape and word in a bordered pill, 22 px high. Returns the right edge.
float pill(float x, float middle_y, Icon shape, Token color, Token tint, std::string_view word);
float tag(float x, float middle_y, std::string_view word);
float tag_width(std::string_view word);

/// A bar filled to `share`, 0 .. 1.
void small_bar(const Rect& area, double share, Ink color);

enum class ButtonKind { kNormal, kPrimary, kDanger, kLink, kPlain };
struct ButtonStyle {
  ButtonKind kind = ButtonKind::kNormal;
  Icon icon = Icon::kNone;
  bool enabled = true;
};
/// `id` = "Word" or "Word##more"; the text before ## is drawn.
bool button(const char* id, const Rect& area, const ButtonStyle& style = {});
float button_width(std::string_view word, bool icon = false);
/// The link right of a table's title, which ends at `x`; it copies the table for a spreadsheet.
bool copy_link(const char* id, float x, float middle_y);

/// A switch with several labels, one of them on; returns the index that is now on.
int segmented(const char* id, float x, float middle_y, std::span<const char* const> words, int on,
              float height = 20);
/// A segmented switch that also reports a press on the label that is already on: the pressed index.
std::optional<int> pressed_segment(const char* id, float x, float middle_y,
                                   std::span<const char* const> words, int on, float height = 20);
float segmented_width(std::span<const char* const> words);

bool tick_box(const char* id, float x, float middle_y, bool& on, std::string_view word,
              bool enabled = true);
bool radio(const char* id, float x, float middle_y, bool on, std::string_view word);

/// A text field 24 px high; `suffix` is drawn dim at its right end. True if the text has changed.
bool text_field(const char* id, const Rect& area, std::string& text, Type type,
                std::string_view suffix = {}, const char* hint = nullptr);
/// A text field for secrets: its characters are masked.
bool secret_field(const char* id, const Rect& area, std::string& text, Type type);
/// A text field in which Tab puts the completed text. `replaced`: the text was not changed by
/// typing, so it is put into the field when that is edited, with the cursor at its end; then false.
void path_field(const char* id, const Rect& area, std::string& text, const std::string& completed,
                bool& replaced);

/// The list of a popup that was opened with ImGui::OpenPopup(id): the pressed index, or -1.
int popup_list(const char* id, std::span<const std::string> words, std::string_view on = {});

/// A popup list below `pressed`, or above it if there is more room; it does not cover the button.
int list_beside(const char* id, const Rect& pressed, std::span<const std::string> words,
                std::string_view on = {});

/// A button that opens a list of these labels, if a switch has no room; returns the index that is
/// now on.
int drop_list(const char* id, const Rect& area, std::span<const char* const> words, int on);

}  // namespace ringside::ui
