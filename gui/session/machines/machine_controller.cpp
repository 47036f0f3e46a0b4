#include "gui/session/machines/machine_controller.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "gui/remote/connection.h"
#include "gui/remote/machines.h"
#include "gui/remote/mirror.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/host/user_folders.h"

namespace ringside::session {
namespace {

using Json = nlohmann::json;

// Limit for the output of a command, far above what any command prints.
constexpr std::size_t kMostToldBytes = std::size_t{4} << 20;
constexpr std::int64_t kLeftNs = 10'000'000'000;

/// Turns "ringside: ..." from the remote program into a sentence to show.
std::string sentence_of(const std::string& errors) {
  constexpr std::string_view kName = "ringside: ";
  const std::string line = printable_line(last_line(errors));
  return line.starts_with(kName) ? line.substr(kName.size()) : line;
}

remote::Abandoned patience_of(const OtherMachine& machine) {
  return [deadline = machine.deadline] { return deadline->over(); };
}

view::MachineContact contact_of(remote::Contact contact) {
  if (contact == remote::Contact::kConnecting) return view::MachineContact::kConnecting;
  if (contact == remote::Contact::kThere) return view::MachineContact::kThere;
  return contact == remote::Contact::kLost ? view::MachineContact::kLost
                                           : view::MachineContact::kFailed;
}

}  // namespace

void RequestDeadline::leave() { until_ns_ = mono_now_ns() + kLeftNs; }
bool RequestDeadline::over() const { return mono_now_ns() > until_ns_; }

Result<OtherMachine> other_machine(const std::string& address, const std::string& runs_dir) {
  auto parsed = RINGSIDE_TRY(remote::parse_address(address));
  auto folder = RINGSIDE_TRY(remote::mirror_folder(parsed, runs_dir));
  return OtherMachine{std::move(parsed), runs_dir, std::move(folder)};
}

tl::unexpected<Error> not_understood(const OtherMachine& machine) {
  return failure(remote::text_of(machine.address) + " answers in a form that is not known here");
}

Result<std::unique_ptr<remote::Connection>> connect_to(const OtherMachine& machine) {
  return remote::Connection::open(machine.address, patience_of(machine));
}

Result<std::string> ask_machine(const OtherMachine& machine, const remote::RemoteAction& act) {
  auto there = RINGSIDE_TRY(connect_to(machine));
  return ask_machine(*there, machine, act);
}

Result<std::string> ask_machine(remote::Connection& there, const OtherMachine& machine,
                                remote::RemoteAction act) {
  std::visit([&machine](auto& one) { one.runs_dir = machine.runs_dir; }, act);
  std::string output;
  std::string errors;
  remote::Connection::Command command;
  command.what = act;
  const auto keep = [&there](std::string_view text, std::string& into) {
    into += text.substr(0, kMostToldBytes - into.size());
    if (into.size() == kMostToldBytes) there.abandon();
  };
  command.output = [&](std::string_view text) { keep(text, output); };
  command.errors = [&](std::string_view text) { keep(text, errors); };
  auto answer = there.run(command);
  if (!answer && answer.error().message == remote::not_known(remote::kRemoteActions[act.index()])) {
    // An older remote ringside accepts commands only, so the action is sent as a command.
    command.what = remote::command_of(act);
    answer = there.run(command);
  }
  const auto code = RINGSIDE_TRY(answer);
  // A doctor that found a problem exits with 1, which is still an answer.
  if (code == 0 || (code == 1 && !output.empty())) return output;
  std::string said = sentence_of(errors);
  if (said.empty()) said = "it failed there with exit code " + std::to_string(code);
  constexpr int kWrongRequest = 2;
  return code == kWrongRequest ? bad_request(said) : failure(said);
}

Result<SeenMachine> read_remote_machine(const OtherMachine& machine) {
  const auto told = RINGSIDE_TRY(ask_machine(machine, remote::RemoteExamine{}));
  const Json json = Json::parse(told, nullptr, false);
  SeenMachine there;
  launch::Machine& found = there.machine;
  try {
    there.has_slurm = json.value("slurm", false);
    for (const Json& device : json.at("devices")) {
      launch::Gpu gpu;
      gpu.index = device.at("index").get<int>();
      gpu.uuid = device.at("uuid").get<std::string>();
      gpu.name = device.at("name").get<std::string>();
      gpu.memory_total_bytes = device.at("memory_total_bytes").get<std::int64_t>();
      found.gpus.push_back(std::move(gpu));
    }
    found.cores = json.at("cores").get<int>();
    found.cpu_name = json.at("cpu").get<std::string>();
    found.driver = json.at("driver").get<std::string>();
    found.driver_problem = json.at("driver_problem").get<std::string>();
  } catch (const Json::exception&) {
    return not_understood(machine);
  }
  return there;
}

Result<runlog::RunFolder> copy_of(const OtherMachine& machine, const std::string& run) {
  auto there = RINGSIDE_TRY(connect_to(machine));
  remote::Mirror mirror(machine.folder, machine.address, machine.runs_dir);
  return mirror.bring_whole(*there, run, true);
}

MachineController::MachineController(std::optional<OtherMachine> machine, Jobs& jobs,
                                     MessageLine& line, const std::function<void()>& wake)
    : machine_(std::move(machine)), jobs_(jobs), line_(line) {
  for (const remote::Address& address : remote::known_machines())
    others_.push_back(remote::text_of(address));
  if (!machine_) return;
  follower_ = std::make_unique<remote::Follower>(
      remote::Follower::Options{machine_->address, machine_->runs_dir, machine_->folder, true},
      nullptr, [wake](const remote::FollowState&) { wake(); });
}

MachineController::~MachineController() {
  if (machine_) machine_->deadline->leave();
}

view::MachineFacts MachineController::facts() const {
  view::MachineFacts facts;
  facts.name = name();
  facts.contact = contact_of(told_);
  facts.listed = listed_;
  facts.problem = problem_;
  facts.lost_wall_ns = lost_wall_ns_;
  facts.known = others_;
  return facts;
}

std::filesystem::path MachineController::exports_dir() const {
  const auto data = user_folder("XDG_DATA_HOME", ".local/share");
  if (!machine_ || !data) return {};
  return *data / "ringside" / "exports" / machine_->folder.filename();
}

bool MachineController::holds(const runlog::RunFolder& folder) const {
  std::error_code ignored;
  return machine_ &&
         std::filesystem::equivalent(folder.path().parent_path(), machine_->folder, ignored);
}

void MachineController::watch(const RunId& id) {
  if (follower_ != nullptr) follower_->watch(id);
}

void MachineController::command(const RemoteCommand& command) {
  start(command, [this](const Error& error) { line_.notify(view::Tone::kError, error.message); });
}

bool MachineController::start(const RemoteCommand& command, Failed failed) {
  const bool begun = jobs_.start(
      command.job,
      [this, machine = *machine_, command, failed = std::move(failed)]() -> Jobs::Completion {
        const auto told = ask_machine(machine, command.act);
        return [this, told, command, failed] {
          if (told) return tell_done(command);
          failed(told.error());
        };
      },
      JobKind::kFar);
  if (begun && !command.doing.empty())
    line_.notify(view::Tone::kInfo, command.doing + " on " + name() + "…");
  if (!begun) line_.notify(view::Tone::kInfo, name() + " has been asked for that already.");
  return begun;
}

void MachineController::tell_done(const RemoteCommand& command) {
  if (command.done.empty()) return;
  view::Message message;
  message.tone = view::Tone::kOk;
  message.text = command.done + " on " + name() + ".";
  if (command.undo) {
    undone_by_.push_back({"undo " + command.job, *command.undo, {}, command.undone});
    message.action = view::label::kUndo;
    message.command = view::UndoTrash{};
  }
  line_.show(std::move(message));
}

void MachineController::undo() {
  if (undone_by_.empty()) return;
  const RemoteCommand last = undone_by_.back();
  const bool begun = start(last, [this, last](const Error& error) { keep_undo(last, error); });
  if (begun) undone_by_.pop_back();
}

/// Keeps what could not be undone for another try. One that the machine refused, such as a deletion
/// that was already undone there, goes to the end so that it does not block the others.
void MachineController::keep_undo(const RemoteCommand& undo, const Error& error) {
  const bool refused = error.kind == ErrorKind::kRequest && !undone_by_.empty();
  undone_by_.insert(refused ? undone_by_.begin() : undone_by_.end(), undo);
  view::Message message;
  message.tone = view::Tone::kError;
  message.text = "Not undone: " + error.message;
  if (!refused) {
    message.action = view::label::kUndo;
    message.command = view::UndoTrash{};
  }
  line_.show(std::move(message));
}

bool MachineController::update() {
  if (follower_ == nullptr) return false;
  const remote::FollowState state = follower_->state();
  const bool listed = std::exchange(listed_, state.listed) != state.listed;
  new_copies_ = std::exchange(brought_, state.brought) != state.brought || new_copies_;
  if (state.contact == told_ && state.sentence == problem_) return listed;
  const bool back = told_ == remote::Contact::kLost && state.contact == remote::Contact::kThere;
  returned_ = back || returned_;
  if (state.contact == remote::Contact::kThere && told_ != state.contact)
    remote::remember_machine(machine_->address);
  if (state.contact == remote::Contact::kLost && told_ != state.contact)
    lost_wall_ns_ = SystemClock().wall_ns();
  told_ = state.contact;
  problem_ = state.sentence;
  switch (state.contact) {
    case remote::Contact::kConnecting:
      break;
    case remote::Contact::kThere:
      if (back) line_.notify(view::Tone::kOk, "In contact with " + name() + " again.");
      if (!problem_.empty()) line_.notify(view::Tone::kError, problem_);
      break;
    case remote::Contact::kLost:
      line_.notify(
          view::Tone::kWarning,
          "Lost contact with " + name() + "; its runs go on there. Trying again until it answers.");
      break;
    case remote::Contact::kFailed:
      line_.notify(view::Tone::kError, problem_);
      break;
  }
  return true;
}

}  // namespace ringside::session
