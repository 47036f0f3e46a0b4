// When a message closes by itself, and when it stays.
#include "gui/session/message_line.h"

#include "gui/view/window/sheet_labels.h"
#include "tests/support/catch.h"

using namespace ringside;
using session::MessageLine;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

view::Message message(view::Tone tone, const std::string& text) {
  view::Message made;
  made.number = 1;
  made.tone = tone;
  made.text = text;
  return made;
}

}  // namespace

TEST_CASE("a success closes by itself, once, and wakes the window only for that") {
  MessageLine line;
  CHECK(line.left_s(0) > 1e9);
  line.show(message(view::Tone::kOk, "Saved."), 100 * kSecond);
  CHECK(line.left_s(100 * kSecond) == Approx(6));
  CHECK_FALSE(line.update(-1, 105 * kSecond));
  CHECK(line.update(-1, 106 * kSecond));
  CHECK(line.shown().text.empty());
  CHECK_FALSE(line.update(-1, 1000 * kSecond));
  CHECK(line.left_s(1000 * kSecond) > 1e9);
}

TEST_CASE(
    "a message with Undo stays longer, and one about an error or unfinished work until it is "
    "closed") {
  MessageLine line;
  auto undo = message(view::Tone::kInfo, "Run #3 was moved.");
  undo.action = view::label::kUndo;
  undo.command = view::UndoTrash{};
  line.show(undo, 0);
  CHECK_FALSE(line.update(-1, 9 * kSecond));
  CHECK(line.update(-1, 10 * kSecond));
  auto not_undone = undo;
  not_undone.tone = view::Tone::kError;
  auto going = message(view::Tone::kOk, "Exporting");
  going.share = 0.5;
  auto offer = message(view::Tone::kOk, "This run is outside the list.");
  offer.action = view::label::kImport;
  offer.command = view::ImportRun{"/x"};
  for (const auto& stays :
       {message(view::Tone::kError, "It failed."), message(view::Tone::kWarning, "Careful."),
        message(view::Tone::kInfo, "Copying"), not_undone, going, offer}) {
    CAPTURE(stays.text);
    line.show(stays, 0);
    CHECK_FALSE(line.update(-1, 1000 * kSecond));
    CHECK(line.left_s(0) > 1e9);
  }
}

TEST_CASE("a message stays under the mouse, and its time restarts when the mouse leaves") {
  MessageLine line;
  line.show(message(view::Tone::kOk, "Saved."), 0);
  line.hold(true, 5 * kSecond);
  CHECK_FALSE(line.update(-1, 60 * kSecond));
  CHECK(line.left_s(60 * kSecond) > 1e9);
  line.hold(false, 60 * kSecond);
  line.hold(false, 65 * kSecond);  // repeated in every frame
  CHECK(line.left_s(65 * kSecond) == Approx(1));
  CHECK(line.update(-1, 66 * kSecond));
}

TEST_CASE("unfinished work keeps its message, and its progress never decreases") {
  MessageLine line;
  auto going = message(view::Tone::kInfo, "Exporting");
  going.share = 0;
  line.show(going);
  CHECK(line.update(0.5));
  CHECK_FALSE(line.update(0.25));
  CHECK(line.shown().share == 0.5);
  line.clear();
  CHECK(line.shown().text == "Exporting");
  line.add("More.");
  CHECK(line.shown().text == "Exporting More.");
  line.notify(Result<void>{}, "Done.");
  CHECK(line.shown().tone == view::Tone::kOk);
  CHECK(line.shown().number == 2);
  line.clear();
  CHECK(line.shown().text.empty());
}
