#include "gui/session/machines/machine_controller.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "gui/remote/connection.h"
#include "gui/remote/machines.h"
#include "gui/remote/mirror.h"
#include "protocol/base/printable.h"

namespace ringside::session {
namespace {

using Json = nlohmann::json;

// Of a command; no honest one says so much.
constexpr std::size_t kMostToldBytes = std::size_t{4} << 20;

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t begin = text.rfind('\n');
  return begin == text.npos ? text : text.substr(begin + 1);
}

/// "ringside: ..." of the program there, as a sentence of ours.
std::string sentence_of(const std::string& errors) {
  constexpr std::string_view kName = "ringside: ";
  const std::string line = printable_line(last_line(errors));
  return line.starts_with(kName) ? line.substr(kName.size()) : line;
}

tl::unexpected<Error> not_understood(const OtherMachine& machine) {
  return failure(remote::text_of(machine.address) + " answers in a form that is not known here");
}

}  // namespace

Result<OtherMachine> other_machine(const std::string& address, const std::string& runs_dir) {
  auto parsed = remote::parse_address(address);
  if (!parsed) return pass(parsed);
  auto folder = remote::mirror_folder(*parsed, runs_dir);
  if (!folder) return pass(folder);
  return OtherMachine{std::move(*parsed), runs_dir, std::move(*folder)};
}

Result<std::string> ask_machine(const OtherMachine& machine, std::vector<std::string> words,
                                const std::string& input) {
  auto there = remote::Connection::open(machine.address);
  if (!there) return pass(there);
  if (!machine.runs_dir.empty()) words.insert(words.end(), {"--runs-dir", machine.runs_dir});
  std::string output;
  std::string errors;
  remote::Connection::Command command;
  command.words = std::move(words);
  command.input = input;
  const auto keep = [&there](std::string_view text, std::string& into) {
    into += text.substr(0, kMostToldBytes - into.size());
    if (into.size() == kMostToldBytes) (*there)->abandon();
  };
  command.output = [&](std::string_view text) { keep(text, output); };
  command.errors = [&](std::string_view text) { keep(text, errors); };
  const auto code = (*there)->run(command);
  if (!code) return pass(code);
  // A doctor that found something wrong has answered all the same.
  if (*code == 0 || (*code == 1 && !output.empty())) return output;
  const std::string said = sentence_of(errors);
  return failure(said.empty() ? "it failed there with exit code " + std::to_string(*code) : said);
}

Result<launch::Machine> read_machine_there(const OtherMachine& machine) {
  const auto told = ask_machine(machine, {"doctor", "--json"});
  if (!told) return pass(told);
  const Json json = Json::parse(*told, nullptr, false);
  launch::Machine found;
  try {
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
  return found;
}

Result<runlog::RunFolder> copy_of(const OtherMachine& machine, const std::string& run) {
  auto there = remote::Connection::open(machine.address);
  if (!there) return pass(there);
  remote::Mirror mirror(machine.folder, machine.address, machine.runs_dir);
  return mirror.bring_whole(**there, run, true);
}

Result<launch::Experiment> start_there(const OtherMachine& machine, const std::string& spec_toml) {
  const auto told = ask_machine(machine, {"run", "/dev/stdin", "--detach", "--json"}, spec_toml);
  if (!told) return pass(told);
  const Json json = Json::parse(last_line(*told), nullptr, false);
  auto there = remote::Connection::open(machine.address);
  if (!there) return pass(there);
  remote::Mirror mirror(machine.folder, machine.address, machine.runs_dir);
  launch::Experiment experiment;
  try {
    for (const Json& run : json.at("runs")) {
      const RunId id = run.at("id").get<std::string>();
      if (auto head = mirror.bring_head(**there, id); !head) return pass(head);
      experiment.folders.push_back(mirror.run(id));
    }
  } catch (const Json::exception&) {
    return not_understood(machine);
  }
  return experiment;
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
  contact_ = "connecting";
}

std::string MachineController::list_text() const {
  if (!machine_) return {};
  switch (told_) {
    case remote::Contact::kConnecting:
      return "Connecting to " + name() + "…";
    case remote::Contact::kThere:
      return listed_ ? "No runs yet on " + name() + "." : "Reading the runs of " + name() + "…";
    case remote::Contact::kLost:
      return "Lost contact with " + name() + "; trying again.";
    case remote::Contact::kFailed:
      break;
  }
  return problem_;
}

bool MachineController::holds(const runlog::RunFolder& folder) const {
  std::error_code ignored;
  return machine_ &&
         std::filesystem::equivalent(folder.path().parent_path(), machine_->folder, ignored);
}

void MachineController::watch(const RunId& id) {
  if (follower_ != nullptr) follower_->watch(id);
}

void MachineController::command(const std::string& job, std::vector<std::string> words,
                                const std::string& done) {
  jobs_.start(job,
              [this, machine = *machine_, words = std::move(words), done]() -> Jobs::Completion {
                const auto told = ask_machine(machine, words);
                return [this, told, done] {
                  if (!told) line_.notify(view::Tone::kError, told.error().message);
                  if (told && !done.empty()) line_.notify(view::Tone::kOk, done);
                };
              });
}

bool MachineController::update() {
  if (follower_ == nullptr) return false;
  const remote::FollowState state = follower_->state();
  const bool listed = std::exchange(listed_, state.listed) != state.listed;
  new_copies_ = std::exchange(brought_, state.brought) != state.brought || new_copies_;
  if (state.contact == told_ && state.sentence == problem_) return listed;
  const bool back = told_ == remote::Contact::kLost && state.contact == remote::Contact::kThere;
  if (state.contact == remote::Contact::kThere && told_ != state.contact)
    remote::remember_machine(machine_->address);
  told_ = state.contact;
  problem_ = state.sentence;
  switch (state.contact) {
    case remote::Contact::kConnecting:
      contact_ = "connecting";
      break;
    case remote::Contact::kThere:
      contact_.clear();
      if (back) line_.notify(view::Tone::kOk, "In contact with " + name() + " again.");
      if (!problem_.empty()) line_.notify(view::Tone::kError, problem_);
      break;
    case remote::Contact::kLost:
      contact_ = "lost contact, trying again";
      line_.notify(view::Tone::kWarning, "Lost contact with " + name() +
                                             "; its runs go on there. Trying again in " +
                                             std::to_string(state.retry_s) + " s.");
      break;
    case remote::Contact::kFailed:
      contact_ = "not connected";
      line_.notify(view::Tone::kError, problem_);
      break;
  }
  return true;
}

}  // namespace ringside::session
