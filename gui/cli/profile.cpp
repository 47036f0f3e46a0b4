// `ringside profile RUN`: PyTorch's profiler in all ranks of a run that goes on, at the same steps.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "gui/cli/commands.h"
#include "gui/cli/interrupts.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/model/rank_model.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/find_run.h"
#include "gui/session/asked_file.h"
#include "gui/session/profile_run.h"
#include "gui/session/run/live_run.h"
#include "gui/view/words.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

constexpr double kMostWaitS = 0.25;
/// How long a rank may take to write what it saw.
constexpr std::int64_t kMostWriteNs = 60'000'000'000;

struct ProfileOptions : CommonOptions {
  int steps = 3;
  std::optional<std::string> to;
  bool force = false;
};

/// Withdraws the request, however the wait for it ends.
class Request {
 public:
  explicit Request(const runlog::RunFolder& folder) : folder_(folder) {}
  ~Request() { session::withdraw_profile(folder_); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

 private:
  const runlog::RunFolder& folder_;
};

/// What a rank said instead of a profile; empty: nothing.
std::string refusal(const model::RunModel& model, std::uint64_t seen_before) {
  const auto& notices = model.notices();
  const std::uint64_t first = model.notices_seen() - notices.size();
  for (std::size_t i = 0; i < notices.size(); ++i) {
    const auto& one = notices[i];
    if (first + i < seen_before || one.notice.code != "profile" ||
        one.notice.severity == messages::Severity::kInfo)
      continue;
    return view::rank_name(one.stamp.rank) + ": " + one.notice.text;
  }
  return {};
}

/// Waits while `done` says false; what ends the wait before that is an error.
template <class Done>
Result<void> follow(session::LiveRun& run, const Interrupts& interrupts, const Done& done) {
  while (true) {
    run.update();
    if (interrupts.any()) return failure("interrupted");
    if (run.loaded() && RINGSIDE_TRY(done())) return {};
    if (run.read_to_end()) {
      return bad_request(run.context().unreadable.empty() ? "the run has ended"
                                                          : run.context().unreadable);
    }
    pause_ns(static_cast<std::int64_t>(std::min(kMostWaitS, run.next_update_s()) * 1e9));
  }
}

void tell(const session::KeptProfile& kept, bool json) {
  const auto& trace = kept.trace;
  const std::string file = (trace.folder / trace.files.front().name).string();
  if (json) {
    print(stdout, dump({{"file", file},
                        {"first_step", trace.steps.begin},
                        {"steps", trace.steps.count()},
                        {"events", trace.events},
                        {"size_bytes", trace.size_bytes},
                        {"operations", rows_json(kept.operations)}},
                       2) +
                      "\n");
    return;
  }
  print(stdout, table_text(kept.operations, wants_color(stdout)));
  print(stdout, "Open it in ui.perfetto.dev: " + file + "\n");
}

Result<int> profile(const ProfileOptions& options) {
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  const auto spec = RINGSIDE_TRY(runs::read_spec(found.folder));
  std::filesystem::path to;
  if (options.to) {
    to = RINGSIDE_TRY(runlog::whole_path(*options.to, "--to"));
    RINGSIDE_TRY(session::make_way(to, options.force));
  }
  const Interrupts interrupts;
  session::LiveRun run(found, spec, {0, 0, false}, [] {});
  analysis::StepRange steps;
  const auto begun = follow(run, interrupts, [&]() -> Result<bool> {
    const auto picked = session::steps_to_profile(run.model(), options.steps);
    if (picked) steps = *picked;
    return picked.has_value();
  });
  if (!begun) return not_done(interrupts, begun.error(), "nothing was profiled");
  if (run.over()) return bad_request("the run has ended");
  if (!run.context().here) return bad_request("the run is on another machine; profile it there");
  const std::uint64_t seen = run.model().notices_seen();
  RINGSIDE_TRY(session::ask_profile(found.folder, steps));
  const Request request(found.folder);
  if (!options.json) {
    print(stderr,
          fmt::format("Profiling steps {} to {} of all ranks …\n", steps.begin, steps.end - 1));
  }
  std::vector<Rank> ranks;
  std::int64_t over_ns = 0;
  const auto profiled = follow(run, interrupts, [&]() -> Result<bool> {
    if (const std::string text = refusal(run.model(), seen); !text.empty()) return failure(text);
    ranks = session::profiled_ranks(found.folder, run.model(), steps);
    const bool over = std::ranges::all_of(run.model().ranks(), [&](Rank rank) {
      return run.model().rank(rank)->newest_step >= steps.end - 1;
    });
    const std::int64_t now_ns = mono_now_ns();
    if (!over) over_ns = now_ns;
    if (over && now_ns - over_ns > kMostWriteNs) {
      return failure(
          "the steps are over, and not every rank has written a profile; our trainer and "
          "instrumented scripts do");
    }
    return over && ranks.size() == run.model().ranks().size();
  });
  if (!profiled) return not_done(interrupts, profiled.error(), "nothing was profiled");
  if (to.empty()) {
    to = found.folder.path() / "profiles" /
         fmt::format("steps_{}-{}.json", steps.begin, steps.end - 1);
    RINGSIDE_TRY(session::make_way(to, true));
  }
  tell(RINGSIDE_TRY(session::keep_profile(found.folder, run.model(), steps, ranks, to)),
       options.json);
  return 0;
}

}  // namespace

void add_profile(Command& app) {
  auto options = std::make_shared<ProfileOptions>();
  Command command = app.add_command(
      "profile",
      "Profile a few steps of a run that goes on, in all ranks, with PyTorch's profiler");
  add_run_name(command, *options);
  command.add_option("--steps", options->steps, "How many")
      .type("N")
      .range(1, static_cast<int>(session::kMostProfiledSteps));
  command
      .add_option("--to", options->to,
                  "File for the trace; default: profiles/steps_FIRST-LAST.json in the run's folder")
      .type("FILE");
  command.add_flag("--force", options->force, "Replace that file");
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "The trace has the recorded steps and collectives of all ranks and the operations of each, "
      "on "
      "one\nclock; the table, which operations differ most between ranks. The steps that are "
      "profiled take\nlonger. Nothing is profiled where a program has its own profiler on.");
  command.action([options] { return profile(*options); });
}

}  // namespace ringside::cli
