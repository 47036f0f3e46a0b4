#include "gui/launch/program/program_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "gui/launch/launchers/launchers.h"
#include "protocol/host/files.h"

namespace ringside::launch {

using runlog::ProgramFiles;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 2000;
constexpr std::uintmax_t kMostFileBytes = 16 << 20;  // larger files are compared by size and time
constexpr std::size_t kMostTextBytes = 1 << 20;  // limit for a stored text, and for all together
constexpr std::size_t kMostTextsBytes = 8 << 20;

std::uint64_t fnv(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325ULL) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::string hash_text(std::uint64_t hash) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

/// The content of a file, and the checksum that identifies it.
struct Content {
  std::string mark;
  std::string text;  ///< empty: too large to be read
};

/// Nothing if it cannot be read.
std::optional<Content> content_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) return std::nullopt;
  if (size > kMostFileBytes) {
    const auto time = fs::last_write_time(file, error).time_since_epoch().count();
    return Content{std::to_string(size) + "@" + std::to_string(static_cast<std::int64_t>(time)),
                   {}};
  }
  auto text = read_text(file, kMostFileBytes);
  if (!text) return std::nullopt;
  return Content{hash_text(fnv(*text)), std::move(*text)};
}

// The modules that lines such as "from a.b import c, d" and "import a.b as x, e" name.
std::vector<std::string> imports_in(const std::string& source) {
  std::vector<std::string> modules;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == '(' || c == ')'; }, ' ');
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    if (word == "import") {
      for (bool alias = false; words >> word && word[0] != '#'; alias = word == "as")
        if (!alias && word != "as") modules.push_back(word);
    } else if (word == "from") {
      std::string package;
      if (!(words >> package >> word) || word != "import") continue;
      modules.push_back(package);
      const std::string inside = package.ends_with('.') ? package : package + '.';
      while (words >> word && word[0] != '#') modules.push_back(inside + word);
    }
  }
  return modules;
}

class Files {
 public:
  explicit Files(const fs::path& cwd) : cwd_(cwd) {}

  /// Returns false if the file cannot be read.
  bool add(const fs::path& file) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(file, error);
    if (error || !seen_.insert(whole).second || seen_.size() > kMostFiles) return !error;
    auto content = content_of(whole);
    if (!content) return false;
    const fs::path inside = whole.lexically_proximate(cwd_);
    const std::string shown = (inside.string().starts_with("..") ? whole : inside).string();
    source_.files.parts[shown] = content->mark;
    if (whole.extension() == ".py") {
      for (const std::string& module : imports_in(content->text))
        add_module(module, whole.parent_path());
    }
    keep(shown, std::move(*content));
    return true;
  }

  void look_in(const fs::path& folder) { folders_.push_back(folder); }

  /// Adds for "a.b" the file, the package, and the packages that contain it.
  bool add_module(const std::string& name, const fs::path& beside) {
    std::size_t dots = 0;
    while (dots < name.size() && name[dots] == '.') ++dots;
    fs::path folder = beside;
    for (std::size_t up = 1; up < dots; ++up) folder = folder.parent_path();
    std::string path = name.substr(dots);
    std::replace(path.begin(), path.end(), '.', '/');
    if (dots > 0) return add_module_in(folder, path);
    return std::any_of(folders_.begin(), folders_.end(),
                       [&](const fs::path& root) { return add_module_in(root, path); });
  }

  ProgramSource take() && { return std::move(source_); }

 private:
  void keep(const std::string& name, Content content) {
    const bool unread = content.mark.find('@') != content.mark.npos;
    if (unread || content.text.size() > kMostTextBytes) {
      source_.left_out[name] = "it is larger than 1 MiB";
    } else if (kept_bytes_ + content.text.size() > kMostTextsBytes) {
      source_.left_out[name] = "all files together are larger than 8 MiB";
    } else {
      kept_bytes_ += content.text.size();
      source_.texts[name] = std::move(content.text);
    }
  }

  bool add_module_in(const fs::path& root, const std::string& path) {
    bool found = false;
    std::error_code ignored;
    fs::path folder = root;
    for (const fs::path& name : fs::path(path)) {
      folder /= name;
      for (const fs::path& file :
           {fs::path(folder.string() + ".py"), folder / "__init__.py", folder / "__main__.py"}) {
        if (!fs::is_regular_file(file, ignored)) continue;
        found = true;
        add(file);
      }
    }
    return found;
  }

  fs::path cwd_;
  std::vector<fs::path> folders_;
  std::set<fs::path> seen_;
  ProgramSource source_;
  std::size_t kept_bytes_ = 0;
};

// Adds installed packages, whose names include their versions.
void add_packages(const fs::path& folder, std::set<std::string>& found) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.ends_with(".dist-info") || name.ends_with(".egg-info")) found.insert(name);
  }
}

std::string word_in(const fs::path& file) {
  const auto text = read_text(file, 256);
  std::istringstream words(text ? *text : std::string());
  std::string word;
  words >> word;
  return word;
}

/// The Python that a pyenv shim starts, chosen as pyenv does: PYENV_VERSION, the nearest
/// .python-version, its global version.
fs::path behind_shim(const fs::path& python, const messages::ProgramSpec& program,
                     const fs::path& cwd) {
  if (python.parent_path().filename() != "shims") return python;
  const fs::path root = python.parent_path().parent_path();
  const char* own = std::getenv("PYENV_VERSION");
  std::string version = own == nullptr ? "" : own;
  for (const std::string& entry : program.environment) {
    if (entry.starts_with("PYENV_VERSION=")) version = entry.substr(14);
  }
  for (fs::path at = cwd; version.empty() && at.has_relative_path(); at = at.parent_path())
    version = word_in(at / ".python-version");
  if (version.empty()) version = word_in(root / "version");
  return root / "versions" / version / "bin" / python.filename();
}

/// Packages of the Python at that path; empty: unknown, as behind a shim.
std::set<std::string> packages_of(const fs::path& python) {
  std::set<std::string> found;
  std::error_code error;
  const fs::path whole = fs::canonical(python, error);
  for (const fs::path& program : {python, whole}) {
    const fs::path prefix = program.parent_path().parent_path();
    for (const fs::path& lib : {prefix / "lib", prefix / "local/lib"}) {
      for (fs::directory_iterator it(lib, error), end; !error && it != end; it.increment(error)) {
        if (!it->path().filename().string().starts_with("python3")) continue;
        found.insert(whole.string());  // a Python without packages is known, too
        add_packages(it->path() / "site-packages", found);
        add_packages(it->path() / "dist-packages", found);
      }
    }
  }
  return found;
}

bool is_settings_file(const fs::path& file) {
  static constexpr std::array<std::string_view, 8> kEnds = {".py",   ".sh",   ".yaml", ".yml",
                                                            ".json", ".toml", ".cfg",  ".ini"};
  const std::string end = file.extension().string();
  return std::find(kEnds.begin(), kEnds.end(), end) != kEnds.end();
}

void add_arguments(const std::vector<std::string>& argv, const fs::path& cwd, Files& files) {
  std::error_code ignored;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const fs::path file = cwd / argv[i].substr(argv[i].find('=') + 1);  // npos + 1 is 0
    if (is_settings_file(file) && fs::is_regular_file(file, ignored)) files.add(file);
  }
}

}  // namespace

fs::path located_program(const messages::ProgramSpec& program, const std::string& name) {
  const fs::path cwd = program.cwd;
  if (name.find('/') != name.npos) return cwd / name;
  const char* own = std::getenv("PATH");
  std::string path = own == nullptr ? "/usr/local/bin:/usr/bin:/bin" : own;
  for (const std::string& entry : program.environment) {
    if (entry.starts_with("PATH=")) path = entry.substr(5);
  }
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t colon = std::min(path.find(':', begin), path.size());
    const fs::path file = cwd / path.substr(begin, colon - begin) / name;
    std::error_code ignored;
    if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, ignored)) return file;
    begin = colon + 1;
  }
  return {};
}

bool is_python_program(const fs::path& program) {
  return program.filename().string().starts_with("python");
}

std::string script_in(const std::vector<std::string>& argv) {
  const std::size_t at = behind_python_options(argv, 0);
  return at < argv.size() && !argv[at].starts_with('-') ? argv[at] : std::string();
}

ProgramSource program_source(const messages::ProgramSpec& program) {
  std::error_code ignored;
  const auto unknown = [](std::string why) { return ProgramSource{{std::move(why), {}}}; };
  const fs::path cwd = program.cwd.empty() ? fs::current_path(ignored) : fs::path(program.cwd);
  const auto& argv = program.argv;
  const fs::path file = located_program(program, argv.front());
  if (file.empty()) return unknown("there is no program " + argv.front());
  Files files(cwd);
  if (!is_python_program(file)) {
    if (const std::string name = file.filename().string(); starts_another(name))
      return unknown("what " + name + " starts is not followed");
    if (!files.add(file)) return unknown(file.string() + " cannot be read");
    add_arguments(argv, cwd, files);
    return std::move(files).take();
  }
  const std::string script = script_in(argv);
  const auto module = std::find(argv.begin(), argv.end(), "-m");
  files.look_in(script.empty() ? cwd : fs::path(cwd / script).parent_path());
  const bool known = !script.empty() ? files.add(cwd / script)
                                     : module != argv.end() && module + 1 != argv.end() &&
                                           files.add_module(*(module + 1), cwd);
  if (!known) return unknown("its script is not found");
  add_arguments(argv, cwd, files);
  ProgramSource found = std::move(files).take();
  found.python = file;
  found.packages = packages_of(behind_shim(file, program, cwd));
  if (found.packages.empty()) return unknown("the packages of " + file.string() + " are not found");
  std::uint64_t hash = fnv("");
  for (const std::string& one : found.packages) hash = fnv(one + "\n", hash);
  found.files.parts[messages::kPackagesPart] = hash_text(hash);
  return found;
}

ProgramFiles program_files(const messages::ProgramSpec& program) {
  return program_source(program).files;
}

std::string other_files(const ProgramFiles& then, const ProgramFiles& now) {
  for (const ProgramFiles* one : {&then, &now}) {
    if (!one->unknown.empty())
      return "it is not known whether its program is the same: " + one->unknown;
  }
  const auto other = messages::difference(then.parts, now.parts);
  if (!other) return {};
  using Kind = messages::PartDifference::Kind;
  if (other->kind == Kind::kSecondAlone) return other->name + " is new since";
  if (other->name == messages::kPackagesPart)
    return "the packages of its Python have changed since";
  return other->name +
         (other->kind == Kind::kFirstAlone ? " is gone or not used any more" : " was edited since");
}

std::string edited_since(const runlog::RunFolder& run, const messages::ProgramSpec& program) {
  if (program.argv.empty()) return {};
  const ProgramFiles then = runlog::noted_program_files(run);
  if (!then.unknown.empty()) return {};
  const ProgramFiles now = program_files(program);
  return now.unknown.empty() ? other_files(then, now) : std::string();
}

std::string ProgramsToday::changed_since(const runlog::RunFolder& run,
                                         const messages::ProgramSpec& program) {
  if (program.argv.empty()) return {};
  const ProgramFiles then = runlog::noted_program_files(run);
  // If nothing was recorded, today's program is not examined, which would read all its modules and
  // packages.
  if (!then.unknown.empty()) return other_files(then, {});
  const auto [place, is_new] = seen_.try_emplace({program.cwd, program.argv, program.environment});
  if (is_new) place->second = program_files(program);
  return other_files(then, place->second);
}

std::string changed_since(const runlog::RunFolder& run, const messages::ProgramSpec& program) {
  return ProgramsToday().changed_since(run, program);
}

}  // namespace ringside::launch
