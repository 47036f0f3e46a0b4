// Tests the board of machines: the state of each, and where the next run can start.
#include "gui/view/window/machine_board.h"

#include "tests/support/catch.h"

namespace ringside {
namespace {

using view::BoardMachine;

/// Returns a machine with GPUs, the first `taken` of them in use, and free CPU slots.
BoardMachine board_machine(const char* address, int gpus, int taken, int slots = 8) {
  BoardMachine machine;
  machine.address = address;
  machine.watched = true;
  machine.answered_wall_ns = 1'795'271'067'000'000'000;
  view::MachineUse& use = machine.use.emplace();
  use.host = "h";
  use.cores = 8;
  use.cpu_slots_free = slots;
  for (int i = 0; i < gpus; ++i) {
    use.gpus.emplace_back().gpu = i;
    if (i < taken) use.gpus.back().used_by = "run #12, ada";
  }
  return machine;
}

std::string board_cell(const view::BoardTable& board, std::size_t row, const char* key) {
  return view::cell_of(board.table, board.table.rows[row], key).text;
}

TEST_CASE("a machine that answered shows its GPUs, users, cores and queue on the board") {
  BoardMachine box = board_machine("ssh://box", 4, 2);
  box.use->load = 5.25;
  box.use->runs = {{"run #12", view::kHasDevices, 1, "GPU 0", "a"},
                   {"run #13", view::kHasDevices, 1, "2 CPU slots", "b"},
                   {"run #14", view::kWaitsForDevices, 1, "GPU 0", "c"}};
  box.use->disk_free_bytes = std::int64_t{310} << 30;
  const std::vector<BoardMachine> machines{board_machine("", 0, 0), box};
  const auto board = view::board_table(machines);
  REQUIRE(board.rows.size() == 2);
  CHECK(board_cell(board, 0, "machine") == "This machine");
  CHECK(board_cell(board, 0, "gpus") == "none");
  CHECK(board_cell(board, 0, "queue") == "none");
  CHECK(board_cell(board, 0, "used_by") == "–");
  CHECK(board_cell(board, 0, "disk") == "–");
  CHECK(board_cell(board, 1, "machine") == "box");
  CHECK(board_cell(board, 1, "contact").starts_with("as of "));
  CHECK(board_cell(board, 1, "gpus") == "2 of 4 free");
  CHECK(board_cell(board, 1, "used_by") == "run #12, ada, run #13");
  CHECK(board_cell(board, 1, "cores") == "load 5.3 of 8");
  CHECK(board_cell(board, 1, "disk") == "310.0");
  CHECK(board_cell(board, 1, "queue") == "2 have devices, 1 waits");
}

TEST_CASE("partitions are rows of their own below their machine") {
  BoardMachine login = board_machine("ssh://login", 0, 0);
  login.use->partitions = {{"gpu", 3, 11, 4, 192, 116, 2}, {"cpu", 1, 0, 0, 32, 0, 0}};
  const std::vector<BoardMachine> machines{login};
  const auto board = view::board_table(machines);
  REQUIRE(board.rows.size() == 3);
  CHECK(board.rows[1].address == "ssh://login");
  CHECK(board.rows[1].partition == "gpu");
  CHECK(board_cell(board, 1, "machine") == "login · gpu");
  CHECK(board_cell(board, 1, "contact") == "Slurm, 3 nodes");
  CHECK(board_cell(board, 1, "gpus") == "4 of 11 free");
  CHECK(board_cell(board, 1, "cores") == "116 of 192 free");
  CHECK(board_cell(board, 1, "queue") == "2 jobs wait");
  CHECK(board_cell(board, 2, "gpus") == "none");
  const auto here = view::launch_on(board.rows[1].address, board.rows[1].partition);
  CHECK(here.page == view::Page::kLaunch);
  CHECK(here.partition == "gpu");
}

TEST_CASE("the state of a machine is shown by a word, a shape and a colour") {
  BoardMachine machine;
  machine.address = "ssh://box";
  CHECK(view::contact_view(machine).word == "not asked");
  machine.asking = true;
  CHECK(view::contact_view(machine).word == "asking…");
  machine.problem = "ssh://box does not answer; is it on?";
  CHECK(view::contact_view(machine).word.starts_with("no answer at "));
  CHECK(view::contact_view(machine).tone == view::Tone::kError);
  const std::vector<BoardMachine> failed{machine};
  CHECK(board_cell(view::board_table(failed), 0, "gpus") == "–");
  machine = board_machine("ssh://box", 1, 0);
  CHECK(view::contact_view(machine).tone == view::Tone::kOk);
  machine.problem = "lost contact";
  CHECK(view::contact_view(machine).word.starts_with("silent, as of "));
  CHECK(view::contact_view(machine).tone == view::Tone::kWarning);
  // The last known facts stay, but are dimmed.
  const std::vector<BoardMachine> silent{machine};
  const auto board = view::board_table(silent);
  CHECK(board_cell(board, 0, "gpus") == "1 of 1 free");
  CHECK(view::cell_of(board.table, board.table.rows[0], "gpus").tone == view::Tone::kDim);
}

TEST_CASE("an answer older than two minutes is a warning, and nothing is sent there") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::vector<BoardMachine> machines{board_machine("ssh://box", 4, 0)};
  BoardMachine& box = machines.front();
  CHECK_FALSE(view::is_stale(box, box.answered_wall_ns + 120 * kSecond));
  CHECK(view::is_stale(box, box.answered_wall_ns + 121 * kSecond));
  CHECK_FALSE(view::is_stale(BoardMachine{"ssh://far"}, box.answered_wall_ns));
  CHECK(view::first_free(machines, {"cuda", 2}));
  box.stale = true;
  CHECK_FALSE(view::first_free(machines, {"cuda", 2}));
  CHECK(view::contact_view(box).word.starts_with("as of "));
  CHECK(view::contact_view(box).tone == view::Tone::kWarning);
  const auto board = view::board_table(machines);
  CHECK(view::cell_of(board.table, board.table.rows[0], "gpus").tone == view::Tone::kDim);
}

TEST_CASE("a run is sent to the first machine that answered and has enough free devices") {
  std::vector<BoardMachine> machines{board_machine("", 1, 0), board_machine("ssh://box", 4, 3),
                                     board_machine("ssh://lab", 4, 1)};
  const auto room = [&](const char* kind, std::int64_t ranks) {
    const auto found = view::first_free(machines, {kind, ranks});
    return found ? found->why : std::string();
  };
  CHECK(room("cuda", 1) == "This machine: 1 of 1 GPUs free");
  CHECK(room("cuda", 2) == "lab: 3 of 4 GPUs free");
  CHECK(room("auto", 2) == "lab: 3 of 4 GPUs free");
  CHECK(room("cuda", 4).empty());
  CHECK(room("auto", 4).empty());
  CHECK(room("cpu", 4) == "This machine: 8 of 8 cores free");
  machines[2].problem = "lost contact";
  CHECK(room("cuda", 2).empty());
  machines[1].use.reset();
  machines[0] = board_machine("", 0, 0, 2);
  CHECK(room("auto", 2) == "This machine: 2 of 8 cores free");
  CHECK(room("auto", 3).empty());
  // Cores that another program keeps busy are not free.
  machines[0].use->load = 7.2;
  CHECK(room("auto", 1) == "This machine: 1 of 8 cores free");
  CHECK(room("auto", 2).empty());
}

TEST_CASE("the board shows the use of the selected machine, or why it is not known") {
  std::vector<BoardMachine> machines{board_machine("", 0, 0)};
  view::BoardInput input;
  input.machines = machines;
  CHECK_FALSE(view::build_board(input).hint.empty());
  CHECK(view::plain(view::build_board(input).told) == "Nothing goes on there now.");
  CHECK(view::plain(view::build_board(input).first) ==
        "1 rank fits first on This machine: 8 of 8 cores free");
  machines.push_back(board_machine("ssh://box", 2, 1));
  machines.push_back({"ssh://far"});
  input.machines = machines;
  input.selected = "ssh://box";
  view::BoardView board = view::build_board(input);
  CHECK(board.hint.empty());
  CHECK(board.selected == 1);
  CHECK(board.title.starts_with("h: 8 cores"));
  REQUIRE(board.tables.size() == 1);
  CHECK(board.tables[0].key == "gpus");
  machines[1].use->slurm_problem = "sinfo: no answer";
  CHECK(view::plain(view::build_board(input).told) ==
        "Its Slurm does not answer: sinfo: no answer");
  machines[1].problem = "lost contact with ssh://box";
  machines[1].retry_s = 20;
  CHECK(view::plain(view::build_board(input).told) ==
        "lost contact with ssh://box. Asked again 20 s later.");
  input.selected = "ssh://far";
  board = view::build_board(input);
  CHECK(board.title == "far");
  CHECK(view::plain(board.told) == "Not asked yet: Space asks it");
  input.need = {"cuda", 3};
  CHECK(view::plain(view::build_board(input).first) ==
        "No machine that answers has room for 3 ranks on GPUs now");
  input.machines = {};
  CHECK(view::build_board(input).board.rows.empty());
}

}  // namespace
}  // namespace ringside
