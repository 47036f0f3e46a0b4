// The Groups tab as data: the mesh inferred from groups, folds, marks, and why there is nothing.
#include "gui/view/live/groups_view.h"

#include <algorithm>

#include "gui/view/live/group_table.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/number_format.h"
#include "tests/gui/view/demo_models.h"
#include "tests/gui/view/groups/made_groups.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using messages::Collective;
using support::MadeGroups;
using support::MadeRun;

namespace {

GroupsView view_of(const MadeRun& run, const GroupsChoice& choice = {}) {
  return build_groups_view(run.model(), support::ended_context(run.model()), choice);
}

std::size_t row_of(const GroupsView& view, const std::string& key) {
  const auto found = std::find_if(view.table.rows.begin(), view.table.rows.end(),
                                  [&](const TableRow& row) { return row.key == key; });
  REQUIRE(found != view.table.rows.end());
  return static_cast<std::size_t>(found - view.table.rows.begin());
}

std::string text(const GroupsView& view, std::size_t row, const char* column) {
  return cell_of(view.table, view.table.rows[row], column).text;
}

MadeRun script_of(Rank ranks) {
  messages::RunSpec spec;
  spec.devices.world_size = ranks;
  spec.program.argv = {"python", "train.py"};
  return MadeRun(spec);
}

}  // namespace

TEST_CASE("without groups the tab says why") {
  const auto words = [](const MadeRun& run, Contact contact) {
    RunContext context = support::ended_context(run.model());
    context.contact = contact;
    const GroupsView view = build_groups_view(run.model(), context, {});
    CHECK(view.table.rows.empty());
    CHECK(view.mesh.cells.empty());
    CHECK(view.verdict.empty());
    return plain(view.empty);
  };
  CHECK(words(MadeRun(1), Contact::kEnded).starts_with("One rank has no other to exchange with."));
  CHECK(words(MadeRun(2), Contact::kEnded).ends_with("with the first gradient buckets."));
  CHECK(
      words(script_of(2), Contact::kLive).starts_with("No rank has reported a process group yet."));
  const std::string ended = words(script_of(2), Contact::kEnded);
  CHECK(ended.starts_with("No rank reported a process group."));
  CHECK(ended.find("--no-instrument") != ended.npos);
}

TEST_CASE("one group is a row of ranks, and its row in the table does not fold") {
  const MadeRun run = support::run_of({.mesh = {{"dp", 2}}, .late = 1});
  const GroupsView view = view_of(run);
  CHECK(view.mesh.across == "dp");
  CHECK(view.mesh.down.empty());
  CHECK(view.mesh.columns.empty());
  REQUIRE(view.mesh.cells.size() == 2);
  CHECK(view.mesh.cells[0].shape == Shape::kNone);
  CHECK(view.mesh.cells[1].tone == Tone::kWarning);
  CHECK(view.mesh.cells[1].shape == Shape::kWarningTriangle);
  CHECK(view.mesh.cells[1].word == "holds up");
  CHECK(view.mesh.cells[1].hint == "Rank 1, holds up: in dp (r0-r1)");
  CHECK(view.folds == std::vector<Fold>{Fold::kNone, Fold::kNone});
  CHECK(text(view, 0, "last") == "Rank 1 in 100 %");
  CHECK(view.tone == Tone::kWarning);
  CHECK(plain(view.verdict) == group_blame_text(run.model()));
  CHECK(plain(view.verdict).starts_with("Rank 1 holds the others up by "));
  CHECK(view.count == "1 group, 2.0 calls a step");
}

TEST_CASE("one rank has its calls and no waits") {
  const GroupsView view = view_of(support::run_of({.mesh = {{"dp", 1}}}));
  CHECK(view.table.rows.size() == 2);
  CHECK(view.mesh.cells.size() == 1);
  CHECK(plain(view.verdict) == "One rank has no other to wait for.");
}

TEST_CASE("a group without a dimension is a mesh if all ranks are in it") {
  MadeGroups made{.mesh = {{"", 2}}};
  CHECK(view_of(support::run_of(made)).mesh.across == "all ranks");
}

TEST_CASE("HSDP is a grid of its two dimensions, and groups with one name fold and open") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_2x2(), .late = 2});
  GroupsChoice choice;
  GroupsView view = view_of(run, choice);
  CHECK(view.mesh.across == "dp_shard");
  CHECK(view.mesh.down == "dp_replicate");
  CHECK(view.mesh.columns == std::vector<std::string>{"0", "1"});
  CHECK(view.mesh.rows == std::vector<std::string>{"0", "1"});
  REQUIRE(view.mesh.cells.size() == 4);
  CHECK(view.mesh.cells[1].column == 1);
  CHECK(view.mesh.cells[1].row == 0);
  CHECK(view.mesh.cells[2].column == 0);
  CHECK(view.mesh.cells[2].row == 1);
  CHECK(view.mesh.cells[2].word == "holds up");
  CHECK_FALSE(view.mesh.any_chosen);
  REQUIRE(view.folds == std::vector<Fold>(3, Fold::kClosed));
  const std::size_t gather = row_of(view, "dp_shard/all-gather");
  CHECK(text(view, gather, "ranks") == "2 groups of 2");
  CHECK(text(view, gather, "size_bytes") == "2.000");
  CHECK(text(view, gather, "wait") == "0.1 – 20.0");
  CHECK(text(view, gather, "last") == "Rank 2 in 100 %");
  CHECK(cell_of(view.table, view.table.rows[gather], "last").hint ==
        "In the group of r2-r3, whose ranks wait longest");
  // The link: 2 MB of the other rank in 14 ms if both arrive at 10 ms, or in 24 ms less 20 ms of
  // waiting.
  CHECK(text(view, gather, "link") == "0.06 – 0.14");
  CHECK(cell_of(view.table, view.table.rows[gather], "link").hint ==
        "Slowest in the group of r0-r1");

  press_group_row(choice, view, gather);
  view = view_of(run, choice);
  REQUIRE(view.folds.size() == 5);
  CHECK(view.folds[gather] == Fold::kOpen);
  CHECK(view.folds[gather + 2] == Fold::kInside);
  CHECK(text(view, gather + 1, "ranks") == "r0-r1");
  CHECK(text(view, gather + 2, "ranks") == "r2-r3");

  press_group_row(choice, view, gather + 2);
  view = view_of(run, choice);
  CHECK(view.mesh.any_chosen);
  CHECK_FALSE(view.mesh.cells[1].chosen);
  CHECK(view.mesh.cells[2].chosen);
  CHECK(view.mesh.cells[3].chosen);
  CHECK(view.mesh.cells[2].word == "holds up");  // more important than that it comes last
  press_group_row(choice, view, gather + 2);
  CHECK(choice.chosen.empty());
  press_group_row(choice, view, gather);
  CHECK(choice == GroupsChoice{});
}

TEST_CASE(
    "the step breakdown has a lane for each dimension of the mesh, on the scale of its bars") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_2x2(), .late = 2});
  const StepBarsView view = build_step_bars(run.model(), support::ended_context(run.model()));
  REQUIRE(view.lanes.size() == 2);
  CHECK(view.lanes[0].text == "dp_replicate: 1 call, wait 0.0, transfer 4.0 ms");
  REQUIRE(view.lanes[0].parts.size() == 1);  // no rank waits there
  CHECK(view.lanes[0].parts[0].paint == Paint::kAllReduce);
  CHECK(view.lanes[0].parts[0].begin == Approx(0.30));
  CHECK(view.lanes[0].parts[0].end == Approx(0.34));
  // One of the two groups waits 20 ms for its second rank: 5 ms for each of the four ranks. Both
  // calls end at 44 ms, so that the second has no transfer after the first.
  CHECK(view.lanes[1].text == "dp_shard: 2 calls, wait 5.0, transfer 23.9 ms");
  REQUIRE(view.lanes[1].parts.size() == 2);
  CHECK(view.lanes[1].parts[0].paint == Paint::kWaitSlowest);
  CHECK(view.lanes[1].parts[0].begin == Approx(0.10).margin(0.002));
  CHECK(view.lanes[1].hint.find("mean of 2 groups") != std::string::npos);
  const auto word_of_paint = [&](Paint paint) {
    const auto entry = std::find_if(view.legend.begin(), view.legend.end(),
                                    [paint](const LegendEntry& one) { return one.paint == paint; });
    return entry == view.legend.end() ? "" : entry->word;
  };
  CHECK(word_of_paint(Paint::kWaitSlowest) == "Wait for slowest");
  CHECK(word_of_paint(Paint::kAllReduce) == "Transfer");  // the bars have no such part
}

TEST_CASE("in a chosen group the rank that comes last is marked with how often") {
  const MadeRun run = support::run_of({.mesh = {{"dp", 3}}});
  const GroupsView closed = view_of(run);
  // The first third of the steps is warm-up.
  CHECK(plain(closed.verdict) == "In 40 steps no rank holds the others up.");
  CHECK(closed.shape == Shape::kTick);
  GroupsChoice choice;
  press_group_row(choice, closed, 0);
  const GroupsView view = view_of(run, choice);
  const auto marked = std::count_if(view.mesh.cells.begin(), view.mesh.cells.end(),
                                    [](const MeshCell& cell) { return !cell.word.empty(); });
  CHECK(marked == 1);
  CHECK(view.mesh.cells[0].word == "last 35 %");
  CHECK(view.mesh.cells[0].shape == Shape::kTriangleRight);
  CHECK(view.mesh.cells[0].tone == Tone::kHigh);
}

TEST_CASE("64 ranks in 16 groups are three rows, one of which opens into eight") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_8x8(), .steps = 30, .late = 37});
  GroupsChoice choice;
  const GroupsView closed = view_of(run, choice);
  CHECK(closed.table.rows.size() == 3);
  CHECK(closed.whole.rows.size() == 24);
  CHECK(closed.count == "16 groups, 24.0 calls a step");
  CHECK(closed.mesh.columns.size() == 8);
  CHECK(closed.mesh.rows.size() == 8);
  CHECK(closed.mesh.cells[37].row == 4);
  CHECK(closed.mesh.cells[37].column == 5);
  CHECK(closed.mesh.cells[37].word == "holds up");
  const std::size_t reduce = row_of(closed, "dp_replicate/all-reduce");
  CHECK(text(closed, reduce, "ranks") == "8 groups of 8");
  press_group_row(choice, closed, reduce);
  const GroupsView open = view_of(run, choice);
  CHECK(open.table.rows.size() == 11);
  CHECK(text(open, reduce + 1, "ranks") == "r0, r8, r16, r24, r32, r40, r48, r56");
}

TEST_CASE(
    "meshes of three dimensions, with a joint group or many columns, and groups without a mesh are "
    "laid out") {
  SECTION("the last dimension is across, and the others are down") {
    const MadeRun run = support::run_of({.mesh = {{"pp", 2}, {"dp", 2}, {"tp", 2}}, .steps = 2});
    const auto view = view_of(run);
    CHECK(view.count.ends_with(" a step, data-parallel 2 × model-parallel 4"));
    const auto& mesh = view.mesh;
    CHECK(mesh.across == "tp");
    CHECK(mesh.down == "pp × dp");
    CHECK(mesh.rows == std::vector<std::string>{"0,0", "0,1", "1,0", "1,1"});
    CHECK(mesh.cells[6].row == 3);
  }
  SECTION("two dimensions that also form one group are separate") {
    MadeRun run = support::run_of({.mesh = {{"dp", 2}, {"cp", 2}, {"tp", 2}}, .steps = 2});
    for (Rank rank = 0; rank < 8; ++rank) {
      std::vector<std::int32_t> ranks;
      for (Rank one = rank % 2; one < 8; one += 2) ranks.push_back(one);
      run.say(rank, 300,
              messages::GroupReport{7, "flat", "dp_cp", "mesh_dp_cp", "gloo", std::move(ranks)});
    }
    CHECK(view_of(run).mesh.down == "dp × cp");
  }
  SECTION("a grid of many columns and few rows is transposed") {
    const auto mesh =
        view_of(support::run_of({.mesh = {{"rep", 2}, {"shard", 32}}, .steps = 2})).mesh;
    CHECK(mesh.across == "rep");
    CHECK(mesh.down == "shard");
    CHECK(mesh.cells[33].row == 1);
    CHECK(mesh.cells[33].column == 1);
  }
  SECTION("a group that is not part of a mesh") {
    MadeRun run = script_of(4);
    for (const Rank rank : {0, 1, 2})
      run.say(rank, 0, messages::GroupReport{0, "odd", "", "", "gloo", {0, 1, 2}});
    const auto mesh = view_of(run).mesh;
    CHECK(mesh.across.empty());
    CHECK(mesh.cells.size() == 4);
    CHECK(mesh.cells[3].hint == "Rank 3");
  }
}

TEST_CASE("collectives of a rank whose records were lost are not made up") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_2x2(), .silent = 3});
  const GroupsView view = view_of(run);
  CHECK(view.mesh.cells.size() == 4);
  CHECK(view.folds == std::vector<Fold>(3, Fold::kNone));  // one group of each is complete
  for (std::size_t row = 0; row < 3; ++row)
    CHECK(text(view, row, "ranks").find("r3") == std::string::npos);
  const MadeRun pair = support::run_of({.mesh = {{"dp", 2}}, .silent = 1});
  const GroupsView none = view_of(pair);
  CHECK(none.table.rows.empty());
  CHECK(none.mesh.cells.size() == 2);
  CHECK(plain(none.empty) == "No collective has been reported by all ranks of its group yet.");
}

TEST_CASE("on a GPU calls and bytes are known, and arrivals are not") {
  const GroupsView view = view_of(support::run_of({.mesh = {{"dp", 2}}, .on_device = true}));
  CHECK(plain(view.verdict).starts_with("When a rank comes to a collective is not known on GPUs"));
  CHECK(text(view, 0, "size_bytes") == "1.000");
  CHECK(text(view, 0, "wait") == kDash);
  GroupsChoice choice;
  press_group_row(choice, view, 0);
  const MeshView mesh =
      view_of(support::run_of({.mesh = {{"dp", 2}}, .on_device = true}), choice).mesh;
  CHECK(mesh.cells[0].chosen);
  CHECK(mesh.cells[0].word.empty());
}

TEST_CASE("after few steps no rank is blamed, and the tab says when one can be") {
  const GroupsView view = view_of(support::run_of({.mesh = {{"dp", 2}}, .steps = 8, .late = 1}));
  CHECK(plain(view.verdict)
            .starts_with("Which rank holds the others up is shown from 21 steps on; "));
  CHECK(view.mesh.cells[1].word.empty());
}

TEST_CASE("a rank with another collective than most of its group is marked as an error") {
  MadeRun run = support::run_of({.mesh = {{"dp", 3}}, .steps = 2});
  for (const Rank rank : {0, 1, 2}) {
    messages::CollectiveReport body;
    body.step = 2;
    body.number = 4;
    body.operation =
        static_cast<std::uint8_t>(rank == 1 ? Collective::kAllGather : Collective::kBroadcast);
    body.entered_ns = body.issued_ns = MadeRun::kStart + MadeRun::ns(300);
    run.say(rank, 301, body);
  }
  const GroupsView view = view_of(run);
  CHECK(view.tone == Tone::kError);
  CHECK(plain(view.verdict) ==
        "Rank 1 entered all-gather 4 of dp where the others entered broadcast 4.");
  CHECK(view.mesh.cells[1].word == "differs");
  CHECK(view.mesh.cells[1].tone == Tone::kError);
  CHECK(view.mesh.cells[0].word.empty());
}
