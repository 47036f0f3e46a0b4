#include "gui/cli/machines/on_machine.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "gui/cli/machines/srun_tasks.h"
#include "gui/cli/print/terminal.h"
#include "gui/remote/connection.h"
#include "gui/remote/format.h"
#include "gui/remote/machines.h"
#include "gui/remote/mirror.h"
#include "gui/session/machines/machine_query.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"
#include "protocol/host/files.h"

namespace ringside::cli {
namespace {

/// Makes the output of a command on another machine, which may send anything, safe for this
/// terminal: lines of text and tabs, no control sequences, limited length.
class SanitizedOutput {
 public:
  /// `most_bytes`: limit, beyond which text is discarded. `tells_repeats`: of a line that repeats,
  /// prints only the first few, then how often it came.
  explicit SanitizedOutput(std::size_t most_bytes, bool tells_repeats = false)
      : most_bytes_(most_bytes), tells_repeats_(tells_repeats) {}

  /// Returns the text that is complete so far.
  std::string take(std::string_view bytes);
  /// Returns the rest, when no more bytes follow.
  std::string finish();
  /// Whether text was discarded because of the limit.
  bool full() const { return full_; }

 private:
  void add_line(std::string& into, std::string_view line);
  std::string told_repeats();

  std::size_t most_bytes_;
  bool tells_repeats_;
  std::string begun_;  ///< the incomplete last line
  std::string last_line_;
  std::size_t repeats_ = 0;  ///< of `last_line_`, consecutively
  std::size_t given_bytes_ = 0;
  bool full_ = false;
};

// Longer lines are printed in parts.
constexpr std::size_t kMostLineBytes = std::size_t{64} << 10;
constexpr std::size_t kMostRepeats = 3;

/// Keeps tabs, which separate the columns of tables.
std::string line_with_tabs(std::string_view line) {
  std::string text;
  for (;;) {
    const std::size_t tab = line.find('\t');
    text += printable_line(line.substr(0, tab));
    if (tab == line.npos) return text;
    text += '\t';
    line.remove_prefix(tab + 1);
  }
}

std::string SanitizedOutput::told_repeats() {
  const std::size_t more = repeats_ - std::min(repeats_, kMostRepeats);
  repeats_ = 0;
  return more == 0 ? "" : "(the same line " + std::to_string(more) + " times more)\n";
}

void SanitizedOutput::add_line(std::string& into, std::string_view line) {
  if (tells_repeats_) {
    if (repeats_ == 0 || line != last_line_) {
      into += told_repeats();
      last_line_ = line;
    }
    if (++repeats_ > kMostRepeats) return;
  }
  into += line_with_tabs(line) + "\n";
}

std::string SanitizedOutput::take(std::string_view bytes) {
  std::string text;
  if (full_) return text;
  begun_ += bytes;
  std::size_t at = 0;
  for (std::size_t end = 0; (end = begun_.find('\n', at)) != begun_.npos; at = end + 1)
    add_line(text, std::string_view(begun_).substr(at, end - at));
  begun_.erase(0, at);
  if (begun_.size() > kMostLineBytes) {
    // A character of several bytes is not split.
    std::size_t whole = kMostLineBytes;
    while (whole > kMostLineBytes - 4 &&
           (static_cast<unsigned char>(begun_[whole]) & 0xC0U) == 0x80)
      --whole;
    text += line_with_tabs(std::string_view(begun_).substr(0, whole));
    begun_.erase(0, whole);
  }
  given_bytes_ += bytes.size();
  full_ = given_bytes_ > most_bytes_;
  return text;
}

std::string SanitizedOutput::finish() {
  std::string text = told_repeats();
  text += line_with_tabs(begun_);
  begun_.clear();
  return text;
}

constexpr std::string_view kInput = "/dev/stdin";
// How long a command on the other machine may take to report its result after it was asked to end.
constexpr std::int64_t kLeaveThereNs = 2'000'000'000;
// Time for a command that stops a run: a little longer than its ranks have for a checkpoint by
// default.
constexpr std::int64_t kStopThereNs = 45'000'000'000;
constexpr std::int64_t kLongestLookNs = 600'000'000'000;
constexpr std::size_t kMostOutputBytes = std::size_t{64} << 20;
constexpr std::size_t kMostErrorBytes = std::size_t{4} << 20;

/// Position of the `--` before another command line.
std::vector<std::string>::iterator dashes_of(std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), "--");
}

/// Decides how long to wait for the other machine.
class RemoteWait {
 public:
  RemoteWait(const Interrupts& interrupts, CommandKind errand)
      : interrupts_(interrupts), errand_(errand) {}
  /// Called when the command was sent: from now on signals are passed on, and its end is waited
  /// for.
  void sent() { sent_ns_ = mono_now_ns(); }
  /// Gives up waiting for the reason `why`.
  void refuse(const Error& why) {
    if (!refused_) refused_ = why;
  }
  const std::optional<Error>& refused() const { return refused_; }
  bool over() {
    const std::int64_t now_ns = mono_now_ns();
    if (refused_ || sent_ns_ == 0) return refused_ || interrupts_.any();
    const bool late = (errand_ == CommandKind::kLook && now_ns - sent_ns_ > kLongestLookNs) ||
                      (errand_ == CommandKind::kGlance && now_ns - sent_ns_ > session::kMostLookNs);
    if (late) refuse({ErrorKind::kFailure, "it did not come to an end"});
    if (!interrupts_.any()) return refused_.has_value();
    const bool at_once =
        errand_ != CommandKind::kStay || interrupts_.leaving() || interrupts_.count() > 1;
    if (told_ns_ == 0) told_ns_ = now_ns;
    if (at_once && told_again_ns_ == 0) told_again_ns_ = now_ns;
    return now_ns - told_ns_ > kStopThereNs || (at_once && now_ns - told_again_ns_ > kLeaveThereNs);
  }

 private:
  const Interrupts& interrupts_;
  CommandKind errand_;
  std::int64_t sent_ns_ = 0;
  std::int64_t told_ns_ = 0;        // time of the first signal
  std::int64_t told_again_ns_ = 0;  // time of the request to end at once
  std::optional<Error> refused_;
};

Result<std::unique_ptr<remote::Connection>> connect(const CommonOptions& options,
                                                    remote::Abandoned abandoned) {
  const auto address = RINGSIDE_TRY(remote::parse_address(options.on));
  // SIGPIPE is ignored, so that a closed output ends this program and ssh regularly.
  std::signal(SIGPIPE, SIG_IGN);
  auto opened = remote::Connection::open(address, std::move(abandoned));
  if (opened) remote::remember_machine(address);
  return opened;
}

/// Reads a settings file, which is sent to the machine; a preset is that machine's own.
Result<std::string> read_input(const std::string& file) {
  const bool is_file = file.find('/') != file.npos || file.ends_with(".toml");
  if (!is_file) return std::string();
  auto text = read_text(file, remote::kMostInputBytes);
  if (!text) return bad_request(text.error().message);
  if (!is_utf8(*text)) return bad_request(one_line(file) + " is not valid UTF-8");
  return text;
}

Error told(const CommonOptions& options, const Error& error, bool lost) {
  if (!lost) return error;
  return {error.kind, error.message +
                          "; runs that were started there go on. Look: ringside list --on " +
                          options.on};
}

/// Prints changes of the connection, each once. Called from the follower's thread.
class ContactPrinter {
 public:
  explicit ContactPrinter(std::string machine) : machine_(std::move(machine)) {}
  void tell(const remote::FollowState& state) {
    if (state.contact == told_) return;
    const bool back = told_ == remote::Contact::kLost && state.contact == remote::Contact::kThere;
    told_ = state.contact;
    if (back) print(stderr, "In contact with " + machine_ + " again.\n");
    if (state.contact == remote::Contact::kLost)
      print(stderr, "Lost contact with " + machine_ + "; trying again in " +
                        std::to_string(state.retry_s) + " s.\n");
  }

 private:
  std::string machine_;
  remote::Contact told_ = remote::Contact::kConnecting;
};

}  // namespace

Option add_on(Command& command, CommonOptions& options, const std::string& help) {
  return command.add_option("--on ssh://[USER@]HOST[:PORT]", options.on, help)
      .valid([](const std::string& text) {
        const auto address = remote::parse_address(text);
        return address ? std::string() : address.error().message;
      });
}

std::vector<std::string> without_on(std::vector<std::string> words) {
  for (auto word = words.begin(); word != dashes_of(words);) {
    if (*word == "--on" && word + 1 != words.end()) {
      word = words.erase(word, word + 2);
    } else if (word->starts_with("--on=")) {
      word = words.erase(word);
    } else {
      ++word;
    }
  }
  return words;
}

std::vector<std::string> with_input(std::vector<std::string> words, const std::string& file) {
  const auto end = dashes_of(words);
  auto found = std::find(words.begin(), end, file);
  // A word after an option is more likely to be the option's value.
  for (auto word = found; word != end; ++word) {
    const bool behind_option = word != words.begin() && (word - 1)->starts_with("-");
    if (*word != file || behind_option) continue;
    found = word;
    break;
  }
  if (found != end) {
    *found = kInput;
    return words;
  }
  for (auto word = words.begin(); word != end; ++word) {
    if (word->starts_with("--") && word->ends_with("=" + file))
      word->replace(word->size() - file.size(), file.size(), kInput);
  }
  return words;
}

Result<int> run_remotely(const CommonOptions& options, const std::vector<std::string>& typed,
                         CommandKind errand, const std::string& file) {
  RINGSIDE_TRY(refuse_tasks("call ringside --on without srun"));
  auto input = RINGSIDE_TRY(read_input(file));
  std::vector<std::string> words = without_on(typed);
  if (!input.empty()) words = with_input(std::move(words), file);
  return send_there(options, std::move(words), std::move(input), errand);
}

Result<int> send_there(const CommonOptions& options, std::vector<std::string> words,
                       std::string input, CommandKind errand) {
  const Interrupts interrupts;
  RemoteWait hand(interrupts, errand);
  const auto there = connect(options, [&hand] { return hand.over(); });
  if (!there) return not_done(interrupts, there.error(), "nothing was asked of " + options.on);
  remote::Connection::Command command;
  command.what = remote::RemoteCommandLine{std::move(words), std::move(input)};
  SanitizedOutput output(kMostOutputBytes);
  SanitizedOutput errors(kMostErrorBytes, true);
  command.output = [&](std::string_view text) {
    print(stdout, output.take(text));
    if (errand == CommandKind::kStay) return;
    if (output.full()) hand.refuse({ErrorKind::kFailure, "it prints without end"});
    if (!output_arrives()) hand.refuse({ErrorKind::kFailure, "its output is no longer read"});
  };
  command.errors = [&](std::string_view text) { print(stderr, errors.take(text)); };
  int passed_on = 0;
  bool left = false;
  command.signal = [&] {
    if (interrupts.leaving() && !std::exchange(left, true)) return interrupts.last_signal();
    if (passed_on >= interrupts.count()) return 0;
    ++passed_on;
    return interrupts.last_signal();
  };
  hand.sent();
  const auto code = (*there)->run(command);
  print(stdout, output.finish());
  print(stderr, errors.finish());
  if (code) return *code;
  const std::string left_there = options.on + " was left without its answer";
  if (interrupts.any()) {
    return gave_up(interrupts,
                   left_there + "; runs there go on. Look: ringside list --on " + options.on);
  }
  if (!hand.refused()) return tl::unexpected(told(options, code.error(), (*there)->lost()));
  // end_of_output() prints the reason if nothing reads the output.
  if (!output_arrives()) return 1;
  return failure(left_there + ": " + hand.refused()->message);
}

Result<CopiedRun> copy_run(const CommonOptions& options, const Interrupts& interrupts,
                           bool follow) {
  const auto address = RINGSIDE_TRY(remote::parse_address(options.on));
  const auto folder = RINGSIDE_TRY(remote::mirror_folder(address, options.runs_dir));
  auto there = connect(options, [interrupts] { return interrupts.any(); });
  if (!there) return pass(there);
  CopiedRun copied;
  {
    // The mirror releases its locks before the follower takes them.
    remote::Mirror mirror(folder, address, options.runs_dir);
    const auto copy = RINGSIDE_TRY(mirror.bring_whole(**there, options.run, follow));
    copied.folder = copy.path();
  }
  if (!follow) return copied;
  auto teller = std::make_shared<ContactPrinter>(options.on);
  copied.follower = std::make_unique<remote::Follower>(
      remote::Follower::Options{address, options.runs_dir, folder, false}, std::move(*there),
      [teller](const remote::FollowState& state) { teller->tell(state); });
  copied.follower->watch(copied.folder.filename().string());
  return copied;
}

}  // namespace ringside::cli
