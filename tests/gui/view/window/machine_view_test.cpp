#include "gui/view/window/machine_view.h"

#include "gui/view/number_format.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

MachineFacts box(MachineContact contact) {
  MachineFacts facts;
  facts.name = "ssh://me@box";
  facts.contact = contact;
  return facts;
}

std::vector<std::string> machine_view_titles(const std::vector<PaletteEntry>& entries) {
  std::vector<std::string> all;
  for (const PaletteEntry& entry : entries) all.push_back(entry.title);
  return all;
}

}  // namespace

TEST_CASE("the button names the machine and whatever is unusual about it") {
  const MachineView here = build_machine_view({});
  CHECK(here.word == label::kThisMachineRuns);
  CHECK(here.aside.empty());
  CHECK(here.shape == Shape::kNone);
  const MachineView there = build_machine_view(box(MachineContact::kThere));
  CHECK(there.word == "me@box");
  CHECK(there.aside.empty());
  CHECK(there.shape == Shape::kDot);
  CHECK(there.hint.find("ssh://me@box: connected") != std::string::npos);
  CHECK(build_machine_view(box(MachineContact::kConnecting)).aside == "connecting");
}

TEST_CASE("a lost connection says since when, and a failure says why and how to try again") {
  MachineFacts facts = box(MachineContact::kLost);
  facts.lost_wall_ns = 1'700'000'000'123'000'000;
  const std::string at = wall_clock_text(facts.lost_wall_ns).substr(0, 8);
  CHECK(build_machine_view(facts).aside == "cut since " + at);
  facts.contact = MachineContact::kFailed;
  facts.problem = "ssh://me@box accepts no key of yours";
  const MachineView failed = build_machine_view(facts);
  CHECK(failed.tone == Tone::kError);
  CHECK(failed.hint.find(facts.problem) != std::string::npos);
  CHECK(failed.hint.find("once more") != std::string::npos);
}

TEST_CASE("an empty page of another machine shows the state of the connection") {
  CHECK(elsewhere_text({}, "runs").empty());
  CHECK(elsewhere_text(box(MachineContact::kConnecting), "runs") == "Connecting to ssh://me@box…");
  MachineFacts facts = box(MachineContact::kThere);
  CHECK(elsewhere_text(facts, "studies") == "Reading the studies of ssh://me@box…");
  facts.listed = true;
  CHECK(elsewhere_text(facts, "studies") == "No studies yet on ssh://me@box.");
  facts.contact = MachineContact::kFailed;
  facts.problem = "why";
  CHECK(elsewhere_text(facts, "runs") == "why");
}

TEST_CASE("known machines can be chosen, and any other can be typed") {
  const std::vector<std::string> known{"ssh://box", "ssh://me@far:2222"};
  MachineFacts facts;
  facts.known = known;
  CHECK(machine_view_titles(machine_entries(facts, "")) ==
        std::vector<std::string>{label::kThisMachineRuns, "box", "me@far:2222"});
  const auto found = machine_entries(facts, "far");
  REQUIRE(found.size() == 2);
  CHECK(as<SelectMachine>(found.front().command)->address == "ssh://me@far:2222");
  CHECK(as<SelectMachine>(found.back().command)->address == "ssh://far");
  // Typed text is not changed, and no entry is repeated.
  CHECK(machine_view_titles(machine_entries(facts, " box ")).back() == "box");
  CHECK(as<SelectMachine>(machine_entries(facts, "ssh://a@b").back().command)->address ==
        "ssh://a@b");
  // A machine that only this window knows can be left and tried again.
  facts.name = "ssh://new";
  const auto now = machine_entries(facts, "");
  REQUIRE(now.size() == 4);
  CHECK(now[1].title == "new");
  CHECK(now[1].keys == "shown");
  CHECK(now[0].keys.empty());
}

TEST_CASE("without any known machine the sheet says what to type") {
  CHECK(machines_note({}).find("names no Host yet") != std::string::npos);
  CHECK(machines_note({}).find("[user@]host[:port]") != std::string::npos);
}
