// `ringside watch PATH`: follows files that another tool writes as runs of the list, until it is
// stopped. This process takes the role of the runs' agent.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/watch.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/watched_files.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_figures.h"
#include "gui/watch/log_server.h"
#include "gui/watch/watcher.h"
#include "protocol/base/shell_word.h"
#include "protocol/messages/asker.h"

namespace ringside::cli {
namespace {

using messages::State;

constexpr std::int64_t kLookNs = 200'000'000;

struct WatchPathOptions : CommonOptions {
  std::string path;
  std::string name;
  std::string step;
  bool detach = false;
};

/// Prints each run once when it appears, and each kind of left-out data when it first occurs.
class Announcer {
 public:
  explicit Announcer(const WatchPathOptions& options) : options_(options) {}
  void tell(const watch::Watcher& watcher) {
    for (const auto& folder : watcher.folders()) {
      if (!told_.insert(folder.id()).second) continue;
      const auto listed = runs::find_run(options_.runs_folder(), folder.id());
      const std::string number = listed ? "#" + std::to_string(listed->number) + "  " : "";
      print(stderr, "Following " + one_line(options_.path) + " as run " + number + folder.id() +
                        ". Ctrl-C ends the recording, not the program.\n");
    }
    for (const std::string& line : watch::notice_lines(watcher.left_out())) {
      // The count is ignored, so that a growing number is not printed again.
      const std::string kind = line.substr(0, line.find("; "));
      if (kinds_.insert(kind).second) print(stderr, one_line(line) + "\n");
    }
  }

 private:
  const WatchPathOptions& options_;
  std::set<RunId> told_;
  std::set<std::string> kinds_;
};

/// The maximum number of followed runs: each keeps two files and a channel open.
std::size_t most_runs() {
  constexpr rlim_t kOthers = 100;
  constexpr rlim_t kEach = 4;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  (void)::getrlimit(RLIMIT_NOFILE, &limit);
  return std::max<rlim_t>(1, (std::max(limit.rlim_cur, kOthers) - kOthers) / kEach);
}

/// Follows until every run has ended or this program must exit.
Result<void> follow(watch::Watcher& watcher, watch::LogServer& server, Announcer& announcer,
                    const Interrupts& interrupts) {
  while (!watcher.over() && !interrupts.any()) {
    const auto more = RINGSIDE_TRY(watcher.poll());
    if (const auto updated = server.update(watcher.recorded()); !updated) return updated;
    announcer.tell(watcher);
    for (const RunId& id : server.serve(more ? 0 : kLookNs)) {
      if (const auto stopped =
              watcher.stop(id, State::kStopped, std::string("asked by ") + messages::kAsker);
          !stopped)
        return stopped;
    }
  }
  return watcher.stop_all(State::kStopped, "asked here");
}

Result<int> follow_to_end(watch::Watcher& watcher, const WatchPathOptions& options,
                          const Interrupts& interrupts) {
  auto server = watch::LogServer::open();
  if (!server) {
    watcher.discard();
    return pass(server);
  }
  watcher.on_end([&](watch::RunRecorder& recorder) { server->finish(recorder); });
  Announcer announcer(options);
  announcer.tell(watcher);
  if (watcher.folders().empty())
    print(stderr, one_line(options.path) + " holds no values yet; waiting for them.\n");
  const auto followed = follow(watcher, *server, announcer, interrupts);
  if (!followed) (void)watcher.stop_all(State::kFailed, followed.error().message);
  const auto summaries = summaries_of(watcher.folders(), options.runs_folder());
  const auto left_out = watcher.left_out();
  if (!summaries.empty()) {
    print(stderr, left_out_text(left_out));
    print_result(summaries, options.json, left_out);
  }
  if (!followed) return pass(followed);
  if (interrupts.any()) return interrupts.exit_code();
  const bool failed = std::any_of(summaries.begin(), summaries.end(),
                                  [](const auto& run) { return run.state.word == "failed"; });
  return failed ? 1 : 0;
}

/// Forks; returns true in the new process, which has no terminal. Must run before any thread
/// exists.
Result<bool> go_on_in_background() {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return failure(std::string("cannot start a process: ") + std::strerror(errno));
  if (child > 0) return false;
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {0, 1, 2}) ::dup2(nothing, standard);
  return true;
}

Result<int> detach(watch::Watcher& watcher, const WatchPathOptions& options,
                   const Interrupts& interrupts) {
  if (watcher.folders().empty())
    return bad_request(one_line(options.path) +
                       " holds no values yet; without --detach they are waited for");
  const auto summaries = summaries_of(watcher.folders(), options.runs_folder());
  const auto background = go_on_in_background();
  if (!background) {
    watcher.discard();
    return pass(background);
  }
  if (*background) return follow_to_end(watcher, options, interrupts);
  if (options.json) {
    print(stdout, dump(result_json(summaries)) + "\n");
    return 0;
  }
  for (const auto& run : summaries)
    print(stdout, runs::label_of(run) + "  " + run.folder.id() + "  " + one_line(run.name) + "\n");
  const std::string typed = summaries.back().folder.id() + where_found(options.runs_folder());
  print(stdout, "Followed in the background. Watch: ringside tail " + typed +
                    "   Stop: ringside stop " + typed + "\n");
  return 0;
}

Result<int> watch_path(const WatchPathOptions& options) {
  const auto path = RINGSIDE_TRY(runlog::whole_path(options.path, "PATH"));
  if (runs::holds_run(path))
    return bad_request(path.string() + " is a run of Ringside: ringside tail " +
                       shell_word(path.string()));
  const Interrupts interrupts;
  watch::Watcher watcher(
      {path, options.runs_folder(), options.name, true, options.step, most_runs()});
  // Reports unreadable files before a run is created.
  if (const auto more = watcher.poll(); !more) {
    watcher.discard();
    return pass(more);
  }
  return options.detach ? detach(watcher, options, interrupts)
                        : follow_to_end(watcher, options, interrupts);
}

}  // namespace

void add_watch(Command& app) {
  auto options = std::make_shared<WatchPathOptions>();
  Command command = app.add_command(
      "watch",
      "Follow what another tool writes, as a run of the list: event files of TensorBoard, an "
      "offline folder of W&B, a CSV table with a column of steps");
  command.add_option("PATH", options->path, "A file, or a folder that holds such files").required();
  command.add_option("--name TEXT", options->name, "Name to show, where PATH is one run");
  add_step_column(command, options->step);
  command.add_flag("--detach", options->detach, "Return at once; follow it in the background");
  add_json(command, *options, "Last line on standard output is one JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "Each folder with such files is a run; in it rank_0, rank_1 and so on are its ranks, and "
      "train, validation and the like are parts of it. Scalars only; PATH is read, never written.\n"
      "Ctrl-C or `ringside stop` ends the following, not the program.");
  command.action([options] { return watch_path(*options); });
}

}  // namespace ringside::cli
