#include "gui/runs/studies/study.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "gui/runs/find_run.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::runs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostStudyBytes = std::size_t{1} << 20;
constexpr int kMostStudies = 100'000;

/// The content of a study's file. The copy in a run folder also says which run of the study the
/// folder holds.
struct StudyFile {
  StudyHead head;
  StudyAsk ask;
  std::vector<StudySetting> settings;
  std::string setting;
  std::int64_t repeat = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    StudyHead::fields(s.head, visit);
    visit("ask", s.ask);
    visit("settings", s.settings);
    visit("setting", s.setting);
    visit("repeat", s.repeat);
  }
};

fs::path study_path(const fs::path& runs_dir, const std::string& name) {
  return studies_dir(runs_dir) / (name + ".toml");
}
fs::path copy_path(const fs::path& run_folder) { return run_folder / "study.toml"; }

std::string name_of_number(int number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 2) digits.insert(0, 1, '0');
  return "S-" + digits;
}

int number_of(std::string_view name) {
  int number = 0;
  if (!name.starts_with("S-")) return 0;
  std::from_chars(name.data() + 2, name.data() + name.size(), number);
  return number;
}

constexpr std::int64_t kMostDevices = 4096;

/// Parses a count of at least 1; returns 0 if the text is not one.
std::int64_t count_in(std::string_view text) {
  const std::int64_t count = whole_number(text).value_or(0);
  return count >= 1 && count <= kMostDevices ? count : 0;
}

struct Devices {
  std::int64_t nodes = 0;
  std::int64_t each = 0;
};

/// Returns the devices after the last dash of a key, "4" or "2x3"; zeros if there are none.
Devices devices_in(std::string_view key) {
  const std::size_t dash = key.rfind('-');
  if (dash == key.npos || dash == 0) return {};
  const std::string_view text = key.substr(dash + 1);
  const std::size_t times = text.find('x');
  if (times == text.npos) return {1, count_in(text)};
  const Devices found{count_in(text.substr(0, times)), count_in(text.substr(times + 1))};
  return found.nodes > 1 && found.nodes * found.each <= kMostDevices ? found : Devices{};
}

/// Whether the id is a plain folder name, so that no path leads out of the runs folder.
bool is_plain_id(const std::string& id) {
  return !id.empty() && id.front() != '.' && id.size() < 200 && id.find('/') == id.npos &&
         printable_line(id) == id;
}

Result<StudyFile> parse_file(std::string_view toml, std::string_view origin) {
  StudyFile file;
  RINGSIDE_TRY(messages::read_toml(toml, origin, file, messages::TomlMode::kLenient));
  if (study_name(file.head.study) != file.head.study)
    return bad_request(std::string(origin) + " names no study such as \"S-07\"");
  std::erase_if(file.settings, [](const StudySetting& one) { return one.devices() < 1; });
  const auto baseline = std::ranges::find_if(
      file.settings, [](const StudySetting& one) { return one.is_baseline(); });
  const bool of_settings =
      !file.settings.empty() &&
      std::ranges::all_of(file.settings, std::mem_fn(&StudySetting::is_combination));
  if (baseline == file.settings.end() && !of_settings)
    return bad_request(std::string(origin) + " has no setting \"baseline-1\"");
  if (!of_settings) std::rotate(file.settings.begin(), baseline, baseline + 1);
  file.head.repeats = std::clamp<std::int64_t>(file.head.repeats, 1, 1000);
  file.ask.trials = std::clamp<std::int64_t>(file.ask.trials, 0, 1000);
  file.head.looks = std::clamp<std::int64_t>(file.head.looks, 0, 1000);
  file.head.least_gain = std::clamp(file.head.least_gain, 0.0, 0.99);
  for (StudySetting& one : file.settings) {
    for (std::string& id : one.runs) {
      if (!is_plain_id(id)) id.clear();
    }
    std::erase_if(one.adopted, [](const std::string& id) { return !is_plain_id(id); });
    std::erase_if(one.left_out, [](const std::string& id) { return !is_plain_id(id); });
    one.runs.resize(std::min<std::size_t>(one.runs.size(), 1000));
  }
  return file;
}

std::optional<StudyFile> copy_in(const fs::path& run_folder) {
  std::error_code ignored;
  const fs::path path = copy_path(run_folder);
  if (!fs::exists(path, ignored)) return std::nullopt;
  const auto text = read_text(path, kMostStudyBytes);
  if (!text) return std::nullopt;
  auto file = parse_file(*text, path.string());
  return file ? std::optional(std::move(*file)) : std::nullopt;
}

/// The copies of study files in a folder's runs: by study, oldest run first.
using Copies = std::map<std::string, std::vector<std::pair<std::string, StudyFile>>>;

Copies copies_in(const fs::path& runs_dir) {
  Copies copies;
  const auto listed = list_runs(runs_dir);
  if (!listed) return copies;
  for (const ListedRun& run : *listed) {
    if (auto copy = copy_in(run.folder.path()))
      copies[copy->head.study].emplace_back(run.folder.id(), std::move(*copy));
  }
  return copies;
}

void put(StudySetting& setting, std::int64_t repeat, const std::string& id) {
  const auto place = static_cast<std::size_t>(repeat - 1);
  if (setting.runs.size() <= place) setting.runs.resize(place + 1);
  std::string& there = setting.runs[place];
  if (there == id) return;
  if (!there.empty()) setting.left_out.push_back(there);
  there = id;
}

/// Rebuilds a study: settings from the newest copy, and for each place in it the newest run.
Study made_again(const std::vector<std::pair<std::string, StudyFile>>& copies) {
  Study study;
  study.head = copies.back().second.head;
  study.ask = copies.back().second.ask;
  study.settings = copies.back().second.settings;
  for (StudySetting& one : study.settings) {
    for (std::string& id : one.runs) {
      const bool adopted = std::ranges::find(one.adopted, id) != one.adopted.end();
      if (!adopted) id.clear();
    }
    one.left_out.clear();
  }
  for (const auto& [id, copy] : copies) {
    StudySetting* setting = study.find(copy.setting);
    if (setting != nullptr && copy.repeat >= 1 && copy.repeat <= 1000)
      put(*setting, copy.repeat, id);
  }
  return study;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().stem().string();
    if (it->path().extension() == ".toml" && study_name(name) == name) names.insert(name);
  }
  return names;
}

/// The copies of studies in run folders, without studies that were deleted.
Copies kept_copies_in(const fs::path& runs_dir) {
  Copies copies = copies_in(runs_dir);
  for (const std::string& name : names_in(deleted_studies_dir(runs_dir))) copies.erase(name);
  return copies;
}

Result<Study> read_file(const fs::path& runs_dir, const std::string& name) {
  const fs::path path = study_path(runs_dir, name);
  const auto text = RINGSIDE_TRY(read_text(path, kMostStudyBytes));
  auto file = RINGSIDE_TRY(parse_file(text, path.string()));
  if (file.head.study != name) return bad_request(path.string() + " is of another study");
  return Study{std::move(file.head), std::move(file.settings), {}, std::move(file.ask)};
}

Study problem_only(const std::string& name, std::string why) {
  Study study;
  study.head.study = name;
  study.problem = std::move(why);
  return study;
}

/// The study of a name, from its file, its copies or both.
Study study_of_name(const fs::path& runs_dir, const std::string& name, const Copies& copies) {
  auto study = read_file(runs_dir, name);
  if (study) return std::move(*study);
  const auto found = copies.find(name);
  if (found == copies.end()) return problem_only(name, study.error().message);
  Study again = made_again(found->second);
  again.problem = "made again from its runs: " + study.error().message;
  return again;
}

}  // namespace

fs::path studies_dir(const fs::path& runs_dir) { return runs_dir / "studies"; }
fs::path deleted_studies_dir(const fs::path& runs_dir) {
  return studies_dir(runs_dir) / ".deleted";
}

std::string StudySetting::series() const { return key.substr(0, key.rfind('-')); }

std::int64_t StudySetting::devices() const {
  const Devices found = devices_in(key);
  return found.nodes * found.each;
}

std::int64_t StudySetting::nodes() const {
  return std::max<std::int64_t>(1, devices_in(key).nodes);
}

std::vector<std::pair<std::string, std::string>> StudySetting::values() const {
  std::vector<std::pair<std::string, std::string>> all;
  const auto words = split_words(series());
  for (const std::string& word : words ? *words : std::vector<std::string>()) {
    const std::size_t equals = word.find('=');
    if (equals != word.npos) all.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return all;
}

std::string setting_key(std::string_view series, std::int64_t devices) {
  return std::string(series) + "-" + std::to_string(devices);
}

const StudySetting* Study::find(std::string_view key) const {
  const auto found =
      std::ranges::find_if(settings, [&](const StudySetting& one) { return one.key == key; });
  return found == settings.end() ? nullptr : &*found;
}

StudySetting* Study::find(std::string_view key) {
  return const_cast<StudySetting*>(std::as_const(*this).find(key));
}

std::size_t Study::runs() const {
  std::size_t count = 0;
  for (const StudySetting& one : settings) {
    count += static_cast<std::size_t>(
        std::ranges::count_if(one.runs, [](const auto& id) { return !id.empty(); }));
  }
  return count;
}

std::size_t Study::planned() const {
  const auto trials = static_cast<std::size_t>(std::max<std::int64_t>(0, ask.trials));
  return std::max(settings.size(), trials) *
         static_cast<std::size_t>(std::max<std::int64_t>(0, head.repeats));
}

std::string Study::baseline_run() const {
  if (settings.empty()) return {};
  for (const std::string& id : settings.front().runs) {
    if (!id.empty()) return id;
  }
  return {};
}

std::string study_name(std::string_view text) {
  if (text.empty() || (text.front() != 'S' && text.front() != 's')) return {};
  text.remove_prefix(1);
  if (text.starts_with('-')) text.remove_prefix(1);
  const int number = whole_number<int>(text).value_or(0);
  return number > 0 && number <= kMostStudies ? name_of_number(number) : std::string();
}

std::string study_text(const Study& study, std::string_view setting, std::int64_t repeat) {
  std::string text = messages::write_toml(study.head);
  if (!setting.empty()) {
    text += "setting = " + messages::toml_text(std::string(setting)) +
            "\nrepeat = " + messages::toml_text(repeat) + "\n";
  }
  if (!study.ask.library.empty()) text += "\n[ask]\n" + messages::write_toml(study.ask);
  for (const StudySetting& one : study.settings)
    text += "\n[[settings]]\n" + messages::write_toml(one);
  return text;
}

Result<Study> parse_study(std::string_view toml, std::string_view origin) {
  auto file = RINGSIDE_TRY(parse_file(toml, origin));
  return Study{std::move(file.head), std::move(file.settings), {}, std::move(file.ask)};
}

Result<Study> read_study(const fs::path& runs_dir, std::string_view text) {
  const std::string name = study_name(text);
  if (!name.empty()) {
    if (auto study = read_file(runs_dir, name)) return study;
  }
  const Copies copies = kept_copies_in(runs_dir);
  std::set<std::string> known = names_in(studies_dir(runs_dir));
  for (const auto& [one, files] : copies) known.insert(one);
  if (!known.contains(name) && names_in(deleted_studies_dir(runs_dir)).contains(name))
    return bad_request("study " + name + " was deleted; `ringside delete " + name +
                       " --restore` takes it back");
  if (!known.contains(name)) {
    std::string there;
    for (const std::string& one : known) add_listed(there, one);
    return bad_request("there is no study \"" + std::string(text) + "\" in " + runs_dir.string() +
                       (there.empty() ? "; `ringside sweep` makes one" : "; there is " + there));
  }
  Study study = study_of_name(runs_dir, name, copies);
  if (study.settings.empty()) return bad_request(study.problem);
  return study;
}

std::vector<Study> list_studies(const fs::path& runs_dir) {
  const Copies copies = kept_copies_in(runs_dir);
  std::set<std::string> names = names_in(studies_dir(runs_dir));
  for (const auto& [name, files] : copies) names.insert(name);
  std::vector<Study> studies;
  for (const std::string& name : names) studies.push_back(study_of_name(runs_dir, name, copies));
  std::ranges::sort(studies, [](const Study& a, const Study& b) {
    return number_of(a.head.study) > number_of(b.head.study);
  });
  return studies;
}

Result<std::string> new_study(const fs::path& runs_dir) {
  std::error_code error;
  fs::create_directories(studies_dir(runs_dir), error);
  if (error)
    return failure("cannot make the folder " + studies_dir(runs_dir).string() + ": " +
                   error.message());
  fs::permissions(studies_dir(runs_dir), fs::perms::owner_all, error);
  int newest = 0;
  for (const fs::path& folder : {studies_dir(runs_dir), deleted_studies_dir(runs_dir)}) {
    for (const std::string& name : names_in(folder)) newest = std::max(newest, number_of(name));
  }
  for (const auto& [name, files] : copies_in(runs_dir)) newest = std::max(newest, number_of(name));
  // Creating the file claims the name, as another program may try the same one.
  for (int number = newest + 1; number < newest + 100; ++number) {
    const std::string name = name_of_number(number);
    const auto file = open_file(study_path(runs_dir, name), OpenMode::kCreateNew);
    if (file) return name;
    if (!fs::exists(study_path(runs_dir, name), error)) return pass(file);
  }
  return failure("no free name for a study in " + studies_dir(runs_dir).string());
}

Result<void> write_study(const fs::path& runs_dir, const Study& study,
                         const std::vector<runlog::RunFolder>& made) {
  for (const runlog::RunFolder& folder : made) {
    for (const StudySetting& one : study.settings) {
      const auto place = std::ranges::find(one.runs, folder.id());
      if (place == one.runs.end()) continue;
      const std::string text = study_text(study, one.key, place - one.runs.begin() + 1);
      if (auto written = write_text_atomically(copy_path(folder.path()), text); !written)
        return written;
    }
  }
  std::error_code error;
  fs::create_directories(studies_dir(runs_dir), error);
  return write_text_atomically(study_path(runs_dir, study.head.study), study_text(study));
}

void remove_study(const fs::path& runs_dir, const std::string& name) {
  std::error_code ignored;
  fs::remove(study_path(runs_dir, name), ignored);
}

std::string study_of(const runlog::RunFolder& folder) {
  const auto copy = copy_in(folder.path());
  return copy ? copy->head.study : std::string();
}

}  // namespace ringside::runs
