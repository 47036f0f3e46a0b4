// `ringside tail RUN`: prints records of the ranks as lines, from the past on.
#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/live_block.h"
#include "gui/cli/print/live_face.h"
#include "gui/cli/print/terminal.h"
#include "gui/model/bounds.h"
#include "gui/model/run_clock.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_figures.h"
#include "gui/runs/run_source.h"
#include "gui/runs/shown_state.h"
#include "gui/runs/stopped_agent.h"
#include "gui/session/run/live_run.h"
#include "gui/session/run/output_lines.h"
#include "gui/view/number_format.h"
#include "gui/view/words.h"
#include "protocol/base/clock.h"
#include "protocol/base/time_span.h"
#include "protocol/messages/records.h"
#include "protocol/messages/run_state.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::cli {
namespace {

constexpr double kDrawS = 0.25;

void sleep_for(double seconds) {
  pause_ns(static_cast<std::int64_t>(std::max(0.0, seconds) * 1e9));
}

/// Follows the run until it has ended or a signal comes; returns the exit code. The last output
/// stays in the terminal.
Result<int> show_live(const CommonOptions& options) {
  if (!is_terminal(stdout))
    return bad_request(
        "--live draws in a terminal, and standard output is none: leave it out, or "
        "`ringside show " +
        options.run + "`");
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  const auto spec = RINGSIDE_TRY(runs::read_spec(found.folder));
  const auto beside = runs::read_baseline(found.folder, spec);
  const RunId other = runs::baseline_id(found.folder, spec);
  const auto listed = runs::find_run(options.runs_folder(), other);
  const view::BaselineContext baseline{beside ? beside->model.get() : nullptr, other,
                                       listed ? listed->number : 0};
  const Interrupts interrupts;
  session::LiveRun run(found, spec, {0, 0, false}, [] {});
  LiveBlock block(stdout, true);
  std::uint64_t drawn = 0;
  while (!interrupts.any()) {
    run.update();
    const bool ended = run.read_to_end();
    if (drawn != run.number_revision() || ended) {
      drawn = run.number_revision();
      const FaceSize size{static_cast<std::size_t>(std::max(20, columns_of(stdout) - 1)),
                          static_cast<std::size_t>(std::max(2, rows_of(stdout) - 1))};
      block.draw(live_face(run.model(), run.context(), baseline, size, wants_color(stdout)));
      if (!output_arrives()) return 1;
    }
    if (ended) break;
    sleep_for(std::min(kDrawS, run.next_update_s()));
  }
  block.leave();
  if (!run.context().unreadable.empty()) return failure(run.context().unreadable);
  return interrupts.any() ? interrupts.exit_code() : 0;
}

// Timeout of waiting for the log, and the interval of reading the ranks' output.
constexpr std::int64_t kTailWaitNs = 200'000'000;
constexpr std::int64_t kDeletedWithinNs = 3'000'000'000;
constexpr std::uint64_t kTailBudgetBytes = std::uint64_t{4} << 20;

struct TailOptions : CommonOptions {
  int lines = 20;
  bool all = false;
  bool no_follow = false;
  bool live = false;
  Rank rank = kNoRank;  ///< if not kNoRank: only this rank
  std::string since;    ///< such as "10m"
};

/// `first`: the displayed number of step 0.
std::string line_of(const messages::StepReport& step, std::int64_t first) {
  std::string line = "step " + view::step_text(step.step, first) + "  loss " +
                     view::loss_long_text(static_cast<double>(step.loss));
  if (step.step_ns >= 0) line += "  " + view::ms_text(static_cast<double>(step.step_ns));
  if (step.exposed_comm_ns >= 0)
    line += "  waiting " + view::ms_text(static_cast<double>(step.exposed_comm_ns));
  return line;
}

std::string line_of(const messages::EpochReport& epoch) {
  const double counted = epoch.counted > 0 ? static_cast<double>(epoch.counted)
                                           : std::numeric_limits<double>::quiet_NaN();
  return "epoch " + std::to_string(epoch.epoch + 1) + " " +
         std::string(messages::name_of(epoch.phase)) + "  loss " +
         view::loss_long_text(epoch.loss_sum / counted) + "  " +
         (epoch.correct < 0 ? std::string()
                            : view::accuracy_text(static_cast<double>(epoch.correct) / counted) +
                                  " of its share  ") +
         view::seconds_text(epoch.seconds);
}

std::string line_of(const messages::RankHello& hello) {
  return "hello  pid " + std::to_string(hello.pid) + "  " + hello.device_name + "  " +
         hello.backend + "  attempt " + std::to_string(hello.attempt);
}

std::string line_of(const messages::RankState& state) {
  std::string line(messages::name_of(state.state));
  if (state.exit_code >= 0) line += "  exit code " + std::to_string(state.exit_code);
  if (state.signal > 0) line += "  signal " + std::to_string(state.signal);
  return state.text.empty() ? line : line + "  " + state.text;
}

std::string line_of(const messages::Notice& notice) {
  return std::string(messages::name_of(notice.severity)) + "  " + notice.text;
}

std::string line_of(const messages::Checkpoint& saved) {
  return "checkpoint  epoch " + std::to_string(saved.epoch + 1) + "  " + saved.path + "  " +
         view::mb_text(static_cast<double>(saved.size_bytes));
}

std::string line_of(const messages::Scalar& scalar, std::int64_t first) {
  return scalar.name + " = " + std::to_string(scalar.value) + "  step " +
         view::value_step_text(scalar.step, scalar.own_step != 0 ? 0 : first);
}

std::string line_of(const messages::RankGoodbye& goodbye) {
  return "goodbye  " + view::count_text(goodbye.produced) + " records, " +
         view::count_text(goodbye.dropped) + " dropped";
}

// Samples, buckets and shards are left out, as there are too many to read.
template <class Body>
std::string line_of(const Body&) {
  return {};
}

// Keeps the last lines until the existing records are read, then prints lines as they come.
class TailPrinter final : public messages::RecordSink {
 public:
  TailPrinter(const TailOptions& options, const runs::RunSource& source, std::int64_t first_step)
      : options_(options), source_(source), first_step_(first_step) {
    if (const auto back_ns = time_span_ns(options.since))
      since_wall_ns_ = SystemClock().wall_ns() - *back_ns;
  }

  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    clock_.note(stamp, record);
    const auto* state = std::get_if<messages::RankState>(&record);
    if (messages::is_of_run(stamp, state)) state_ = *state;
    if (!options_.json) put_output_until(wall_ns_of(stamp));
    if (is_wanted(rank_of(stamp, record), wall_ns_of(stamp)))
      put(options_.json ? dump(record_json(stamp, record)) : readable(stamp, record));
  }

  /// Adds output of the ranks by time: each line comes before the first newer record.
  void add_output(const std::vector<session::OutputLine>& lines) {
    output_.insert(output_.end(), lines.begin(), lines.end());
  }
  void put_all_output() { put_output_until(std::numeric_limits<std::int64_t>::max()); }

  const std::optional<messages::RankState>& state() const { return state_; }
  bool has_ended() const { return state_ && messages::is_final(state_->state); }

  /// Called when the existing records are read: prints the kept lines, and from then on at once.
  void go_live() {
    put_all_output();
    for (const auto& line : kept_) print(stdout, line);
    kept_.clear();
    live_ = true;
    (void)output_arrives();
  }

 private:
  bool is_wanted(Rank rank, std::int64_t wall_ns) const {
    return (options_.rank == kNoRank || options_.rank == rank) && wall_ns >= since_wall_ns_;
  }

  static Rank rank_of(const messages::Stamp& stamp, const messages::Record& record) {
    const auto* state = std::get_if<messages::RankState>(&record);
    return state != nullptr && stamp.rank == kNoRank ? state->about : stamp.rank;
  }

  void put(std::string line) {
    if (line.empty()) return;
    line += "\n";
    if (live_ || options_.all || !options_.since.empty()) {
      print(stdout, line);
      return;
    }
    kept_.push_back(std::move(line));
    if (kept_.size() > static_cast<std::size_t>(options_.lines)) kept_.pop_front();
  }

  void put_output_until(std::int64_t wall_ns) {
    for (; !output_.empty() && output_.front().wall_ns <= wall_ns; output_.pop_front()) {
      const session::OutputLine& line = output_.front();
      if (!is_wanted(line.rank, line.wall_ns)) continue;
      const std::string time = line.wall_ns == 0 ? std::string(view::kDash) : moment(line.wall_ns);
      put(time + "  " + view::rank_label(line.rank) +
          (line.is_error_stream ? "  stderr  " : "  stdout  ") + one_line(line.text));
    }
  }

  static std::string moment(std::int64_t wall_ns) {
    return view::moment_text(wall_ns, SystemClock().wall_ns());
  }

  std::int64_t wall_ns_of(const messages::Stamp& stamp) const {
    const auto& identity = source_.identity(stamp.node);
    return model::bounded(identity.wall_ns, model::kMaxWallNs) +
           clock_.on_first_scale(stamp.node, stamp.mono_ns) -
           model::bounded(identity.mono_ns, model::kMaxTimeNs);
  }

  std::string readable(const messages::Stamp& stamp, const messages::Record& record) const {
    const Rank rank = rank_of(stamp, record);
    const std::string what = std::visit(
        [this](const auto& body) {
          if constexpr (requires { line_of(body, first_step_); }) {
            return line_of(body, first_step_);
          } else {
            return line_of(body);
          }
        },
        record);
    if (what.empty()) return {};
    return moment(wall_ns_of(stamp)) + "  " +
           (rank != kNoRank   ? view::rank_label(rank)
            : stamp.node == 0 ? std::string("run")
                              : "node " + std::to_string(stamp.node)) +
           "  " + one_line(what);
  }

  const TailOptions& options_;
  const runs::RunSource& source_;
  std::int64_t first_step_;
  std::int64_t since_wall_ns_ = std::numeric_limits<std::int64_t>::min();
  model::RunClock clock_;
  std::deque<std::string> kept_;
  std::deque<session::OutputLine> output_;  // not printed yet
  bool live_ = false;
  std::optional<messages::RankState> state_;
};

Result<int> tail(const TailOptions& options, const Interrupts* interrupts = nullptr) {
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  runs::RunSource source(found.folder);
  const auto spec = runs::read_spec(found.folder);
  TailPrinter printer(options, source, spec ? messages::first_step_number(*spec) : 1);
  // Existing records are those in the file now.
  const std::uint64_t past_bytes = found.folder.log_bytes();
  bool past = past_bytes > 0;
  session::OutputLines output(found.folder);
  if (!options.json) printer.add_output(output.take(false));
  std::int64_t looked_ns = mono_now_ns();
  if (!past) printer.go_live();
  bool lost = false;
  bool lived = runs::may_grow(found.folder);
  std::int64_t cut_ns = 0;
  for (;;) {
    const auto progress = RINGSIDE_TRY(source.poll(printer, kTailBudgetBytes, kTailWaitNs));
    lived = lived || progress.on_socket;
    if (!progress.ended) cut_ns = 0;
    const bool look = !options.json && !past && mono_now_ns() - looked_ns >= kTailWaitNs;
    if (look) printer.add_output(output.take(false));
    if (look) looked_ns = mono_now_ns();
    if (!past) printer.put_all_output();
    if (past &&
        (progress.ended || progress.log.consumed_bytes + progress.log.tail_bytes >= past_bytes)) {
      past = false;
      printer.go_live();
    }
    if (!output_arrives()) return 1;
    if (interrupts != nullptr && interrupts->any()) return interrupts->exit_code();
    if (progress.lost_contact)
      return failure("lost contact with run " + found.folder.id() +
                     ": its agent is on another machine, and nothing has come from it for a "
                     "while");
    if (!progress.ended && (past || !options.no_follow)) {
      if (runs::is_unheard(progress) == lost) continue;
      lost = !lost;
      const std::string why = runs::why_unheard(runs::stopped_agent(found.folder));
      print(stderr, lost ? "Lost contact: " + why + ".\n" : "In contact with its agent again.\n");
      continue;
    }
    std::error_code error;
    const bool there = std::filesystem::exists(found.folder.path(), error) || error;
    // Deleting a folder takes time, and the agent's file may go first; a copy goes when the other
    // machine is asked again.
    const bool cut_short = there && lived && progress.ended && !printer.has_ended();
    if (cut_short && cut_ns == 0) cut_ns = mono_now_ns();
    if (cut_short && mono_now_ns() - cut_ns < kDeletedWithinNs) {
      pause_ns(kTailWaitNs);
      continue;
    }
    if (!options.json) printer.add_output(output.take(true));
    printer.put_all_output();
    if (!there)
      return failure("run " + found.folder.id() + " was deleted: its folder " +
                     found.folder.path().string() + " is gone");
    if (cut_short)
      return failure(
          "run " + found.folder.id() + " was interrupted: " +
          runs::shown_state({printer.state(), runs::agent_presence(found.folder)}).detail);
    return output_arrives() ? 0 : 1;
  }
}

/// Follows a copy that grows like the run on the other machine.
Result<int> tail_there(const TailOptions& options) {
  const Interrupts interrupts;
  const auto copied = copy_run(options, interrupts, true);
  if (!copied) return not_done(interrupts, copied.error(), "no copy was made");
  TailOptions here = options;
  here.run = copied->folder.string();
  here.runs_dir = copied->folder.parent_path().string();
  return here.live ? show_live(here) : tail(here, &interrupts);
}

}  // namespace

void add_tail(Command& app) {
  auto options = std::make_shared<TailOptions>();
  Command command = app.add_command(
      "tail", "Follow the records of a run and what its ranks print, a line each, until it ends");
  add_run_name(command, *options);
  command.add_option("-n,--lines N", options->lines, "Past lines to start with (default 20)")
      .range(0, 1'000'000);
  command.add_flag("--all", options->all, "Start with the first record");
  command.add_option("--rank INT", options->rank, "Of this rank only");
  command
      .add_option("--since TIME", options->since,
                  "All lines of the time before now: 90s, 10m, 2h, 1d")
      .valid([](const std::string& text) {
        return time_span_ns(text) ? std::string() : "write 90s, 10m, 2h or 1d, not " + text;
      });
  command.add_flag("--no-follow", options->no_follow, "Stop at the newest record");
  command
      .add_flag("--live", options->live,
                "In place of lines: loss curve, speedup, ranks and what is wrong, drawn over "
                "themselves in the terminal")
      .excludes(command.option("--rank"));
  add_json(command, *options, "One JSON object per record, all kinds of records");
  add_runs_dir(command, *options);
  add_on(command, *options, "Of another machine; a cut connection is tried again");
  command.action([options] {
    if (!options->on.empty()) return tail_there(*options);
    return options->live ? show_live(*options) : tail(*options);
  });
}

}  // namespace ringside::cli
