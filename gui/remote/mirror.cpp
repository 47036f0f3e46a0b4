#include "gui/remote/mirror.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "gui/place/run_place.h"
#include "gui/remote/format.h"
#include "gui/remote/mirrored_path.h"
#include "gui/runs/run_id.h"
#include "gui/runs/shown_state.h"
#include "gui/runs/studies/study.h"
#include "protocol/base/printable.h"
#include "protocol/host/descriptor.h"
#include "protocol/host/files.h"
#include "protocol/host/platform.h"
#include "protocol/host/user_folders.h"
#include "protocol/runlog/copy_mark.h"
#include "protocol/runlog/crc32c.h"

namespace ringside::remote {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kMostWholeBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostNameBytes = 200;

tl::unexpected<Error> failed(const char* what, const fs::path& path) {
  return failure("cannot " + std::string(what) + " " + path.string() + ": " + std::strerror(errno));
}

Result<void> make_private(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {};
  if (path.has_relative_path() && path.parent_path() != path) {
    if (auto made = make_private(path.parent_path()); !made) return made;
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("make", path);
  return {};
}

/// The id may come from the other machine, so it is truncated and control characters are replaced.
tl::unexpected<Error> no_run_id(const RunId& id) {
  return bad_request("\"" + printable_line(id.substr(0, kMostNameBytes)) +
                     "\" is not the id of a run");
}

/// The text as one folder name, with special characters as %XX.
std::string escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@:-";
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != kPlain.npos) {
      name += c;
    } else {
      name += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return name;
}

timespec time_of(std::int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

struct Here {
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;
  bool there = false;
};

Here stamp_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return {};
  return {static_cast<std::uint64_t>(status.st_size), written_wall_ns(status), true};
}

Here stamp_of(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file.get() < 0 ? Here{} : stamp_of(file.get());
}

/// Writes all bytes at this offset; errno has the reason if it fails.
bool write_at(int fd, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    offset += static_cast<std::uint64_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// The node in a name such as "node_3.log".
std::optional<Node> node_of(std::string_view path) {
  constexpr std::string_view kHead = "node_";
  if (!path.starts_with(kHead)) return std::nullopt;
  Node node = 0;
  const auto read = std::from_chars(path.data() + kHead.size(), path.data() + path.size(), node);
  const bool fits = read.ec == std::errc() && node >= 0 &&
                    path.substr(static_cast<std::size_t>(read.ptr - path.data())) == ".log";
  return fits ? std::optional(node) : std::nullopt;
}

/// The nodes of a live run: the first one, and those with logs.
std::set<Node> nodes_of(const Json& files) {
  std::set<Node> nodes{0};
  for (const Json& row : files) {
    if (const auto node = node_of(row.at("path").get<std::string>())) nodes.insert(*node);
  }
  return nodes;
}

/// Removes marks of an older version from a copy: one agent.json per node of a live run.
void remove_old_marks(const runlog::RunFolder& here) {
  std::error_code ignored;
  fs::remove(here.agent_path(), ignored);
  for (const Node node : here.logged_nodes()) fs::remove(here.agent_path(node), ignored);
}

/// Adds the checksum that the remote end compares with its own bytes before the offset.
void add_check(ReadFile& question, int fd, std::uint64_t offset) {
  std::array<std::byte, kCheckBytes> block{};
  const std::size_t bytes = std::min<std::uint64_t>(block.size(), offset);
  const ssize_t got = ::pread(fd, block.data(), bytes, static_cast<off_t>(offset - bytes));
  if (got != static_cast<ssize_t>(bytes)) return;
  question.check_bytes = bytes;
  question.check = runlog::crc32c(std::span(block).first(bytes));
}

}  // namespace

struct Mirror::File {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;
};

Result<fs::path> mirror_folder(const Address& address, const std::string& runs_dir) {
  const auto cache = RINGSIDE_TRY(user_folder("XDG_CACHE_HOME", ".cache"));
  std::string name = escaped(text_of(address).substr(std::string_view("ssh://").size()));
  if (!runs_dir.empty()) name += "%20" + escaped(runs_dir);
  if (name.size() > kMostNameBytes)
    return bad_request("the name of this machine and its runs folder is too long");
  return cache / "ringside" / "machines" / name;
}

Mirror::Mirror(fs::path folder, const Address& address, std::string runs_dir)
    : folder_(std::move(folder)), where_(text_of(address)), runs_dir_(std::move(runs_dir)) {}

/// Locks the copy, so that one program at a time writes it; others read it.
bool Mirror::keep(const RunId& id) {
  if (writers_.count(id) > 0) return true;
  const fs::path path = folder_ / (".writer-" + id);
  auto lock = FileLock::try_take(path);
  if (!lock) return true;  // where locks do not work, writing fails too or only this program writes
  if (!*lock) return false;
  writers_.emplace(id, std::move(**lock));
  return true;
}

/// Marks the folder as a copy before its first file; whether the run is live is known later.
Result<void> Mirror::mark_first(const runlog::RunFolder& here) const {
  return runlog::copy_mark(here) ? Result<void>() : runlog::mark_copy(here, {where_, {}});
}

Result<RunId> Mirror::find(Connection& there, const std::string& run) const {
  const auto answer = RINGSIDE_TRY(there.ask(FindRun{runs_dir_, run}));
  try {
    const RunId id = answer.at("id").get<std::string>();
    if (!runs::is_run_id(id))
      return failure(where_ + " names the run in a form that is not known here");
    RINGSIDE_TRY(take_numbers({{id, answer.at("number").get<int>()}}, false));
    return id;
  } catch (const Json::exception&) {
    return failure(where_ + " names the run in a form that is not known here");
  }
}

Result<void> Mirror::take_numbers(const runs::RunNumbers& numbers, bool all) const {
  if (auto made = make_private(folder_); !made) return made;
  return runs::keep_copied_numbers(folder_, numbers, all);
}

Result<Mirror::Copied> Mirror::bring(Connection& there, const RunId& id, std::uint64_t most_bytes) {
  if (!runs::is_run_id(id)) return no_run_id(id);
  const runlog::RunFolder here = run(id);
  RINGSIDE_TRY(make_private(here.path()));
  // Marked before it has files, since the local Slurm may have a job of the same number.
  RINGSIDE_TRY(mark_first(here));
  Copied copied;
  const bool was_live = runs::agent_presence(here) == runs::AgentPresence::kElsewhere;
  if (!keep(id)) {
    copied.whole = false;
    copied.kept = copied.changed = true;
    copied.live = was_live;
    return copied;
  }
  const auto answer = RINGSIDE_TRY(there.ask(ListFiles{runs_dir_, id}));
  try {
    const Json& files = answer.at("files");
    copied.live = answer.at("live").get<bool>();
    // A run is marked as ended once its last byte has been copied.
    if (copied.live) {
      RINGSIDE_TRY(runlog::mark_copy(here, {where_, nodes_of(files)}));
    }
    for (const Json& row : files) {
      const File file{row.at("path").get<std::string>(), row.at("size").get<std::uint64_t>(),
                      row.at("changed_ns").get<std::int64_t>()};
      // A hostile list of files may name other files.
      if (growth_of(file.path) == Growth::kNever) continue;
      const Here now = stamp_of(here.path() / file.path);
      if (file.size > most_bytes && !now.there) {
        copied.whole = false;
        continue;
      }
      const auto bytes = RINGSIDE_TRY(bring_file(there, id, file));
      copied.bytes += bytes;
    }
  } catch (const Json::exception&) {
    return failure(where_ + " lists the files of run " + id + " in a form that is not known here");
  }
  copied.changed = copied.bytes > 0 || copied.live != was_live;
  if (!copied.live) {
    RINGSIDE_TRY(runlog::mark_copy(here, {where_, {}}));
  }
  remove_old_marks(here);
  return copied;
}

bool Mirror::has_all(Connection& there, const RunId& id) const {
  const auto answer = there.ask(ListFiles{runs_dir_, id});
  if (!answer) return false;
  try {
    const Json& files = answer->at("files");
    return std::all_of(files.begin(), files.end(), [&](const Json& row) {
      const auto path = row.at("path").get<std::string>();
      if (growth_of(path) == Growth::kNever) return true;
      const Here now = stamp_of(run(id).path() / path);
      return now.there && now.size == row.at("size").get<std::uint64_t>() &&
             now.changed_ns == row.at("changed_ns").get<std::int64_t>();
    });
  } catch (const Json::exception&) {
    return false;
  }
}

Result<runlog::RunFolder> Mirror::bring_whole(Connection& there, const std::string& run,
                                              bool follows) {
  const auto id = RINGSIDE_TRY(find(there, run));
  const auto brought = RINGSIDE_TRY(bring(there, id));
  runlog::RunFolder copy = this->run(id);
  std::error_code ignored;
  const bool grows = follows && fs::exists(copy.log_path(0), ignored);
  const bool brought_by_other = brought.kept && has_all(there, id);
  if (!brought.whole && !grows && !brought_by_other)
    return failure("the copy of run " + id +
                   " is being brought by another ringside here (a window on " + where_ +
                   ", `tail --on`); close it, or use the run there");
  return copy;
}

Result<bool> Mirror::bring_head(Connection& there, const RunId& id) {
  if (!runs::is_run_id(id)) return no_run_id(id);
  const runlog::RunFolder here = run(id);
  std::error_code ignored;
  if (fs::exists(here.spec_path(), ignored)) return false;
  RINGSIDE_TRY(make_private(here.path()));
  RINGSIDE_TRY(mark_first(here));
  std::string text;
  const ReadFile asked{runs_dir_, id, "spec.toml", 0, kMostReadBytes};
  RINGSIDE_TRY(there.ask(asked, [&](std::string_view bytes) {
    text += bytes.substr(0, kMostReadBytes - text.size());
  }));
  const auto written = write_text_atomically(here.spec_path(), text);
  return written ? Result<bool>(true) : pass(written);
}

void Mirror::forget(const RunId& id) {
  if (!runs::is_run_id(id) || !keep(id)) return;
  std::error_code ignored;
  fs::remove_all(run(id).path(), ignored);
}

/// Makes the folder hold exactly these files of studies. Only changed files are replaced, as two
/// windows may keep the same folder.
Result<void> Mirror::keep_studies(const fs::path& folder,
                                  const std::map<std::string, std::string>& texts) const {
  std::error_code error;
  if (texts.empty() && !fs::exists(folder, error)) return {};
  if (auto made = make_private(folder); !made) return made;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().stem().string();
    const bool is_study = it->path().extension() == ".toml" && runs::study_name(name) == name;
    std::error_code ignored;
    if (is_study && texts.count(name) == 0) fs::remove(it->path(), ignored);
  }
  for (const auto& [name, text] : texts) {
    const fs::path path = folder / (name + ".toml");
    const auto here = read_text(path, kMostWholeBytes);
    if (here && *here == text) continue;
    if (auto written = write_text_atomically(path, text); !written) return written;
  }
  return {};
}

Result<bool> Mirror::bring_queue(Connection& there) {
  const auto answer = there.ask(AskQueue{runs_dir_});
  const bool older = !answer && !there.lost() && answer.error().kind == ErrorKind::kRequest;
  if (!answer && !older) return pass(answer);
  RINGSIDE_TRY(make_private(folder_));
  try {
    return place::keep_copied_queue(folder_, older ? "" : answer->at("text").get<std::string>());
  } catch (const Json::exception&) {
    return failure(where_ + " reports on Slurm in a form that is not known here");
  }
}

Result<void> Mirror::bring_studies(Connection& there) {
  const auto answer = there.ask(ListStudies{runs_dir_});
  if (!answer) {
    const bool older = !there.lost() && answer.error().kind == ErrorKind::kRequest;
    return older ? Result<void>() : Result<void>(pass(answer));
  }
  const fs::path folders[] = {runs::studies_dir(folder_), runs::deleted_studies_dir(folder_)};
  const char* const kinds[] = {"studies", "deleted"};
  try {
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
      std::map<std::string, std::string> texts;
      for (const Json& row : answer->at(kinds[i])) {
        const std::string name = row.at("study").get<std::string>();
        if (runs::study_name(name) == name) texts[name] = row.at("text").get<std::string>();
      }
      if (auto kept = keep_studies(folders[i], texts); !kept) return kept;
    }
  } catch (const Json::exception&) {
    return failure(where_ + " lists its studies in a form that is not known here");
  }
  return {};
}

Result<std::uint64_t> Mirror::bring_file(Connection& there, const RunId& id, const File& file) {
  const fs::path path = run(id).path() / file.path;
  const Here now = stamp_of(path);
  if (now.there && now.size == file.size && now.changed_ns == file.changed_ns) return 0;
  RINGSIDE_TRY(make_private(path.parent_path()));
  return growth_of(file.path) == Growth::kAppended ? append(there, id, file)
                                                   : replace(there, id, file);
}

Result<std::uint64_t> Mirror::append(Connection& there, const RunId& id, const File& file) {
  const fs::path path = run(id).path() / file.path;
  const Descriptor here(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (here.get() < 0) return failed("write", path);
  std::uint64_t have = stamp_of(here.get()).size;
  std::uint64_t came = 0;
  // The run's agent may cut off a half-written tail after a full disk.
  const auto cut_to = [&](std::uint64_t size) {
    have = size;
    return ::ftruncate(here.get(), static_cast<off_t>(size)) == 0;
  };
  if (have > file.size && !cut_to(file.size)) return failed("cut", path);
  bool begun_anew = false;
  do {
    const std::uint64_t most = std::min<std::uint64_t>(file.size - have, kMostReadBytes);
    ReadFile asked{runs_dir_, id, file.path, have, most};
    add_check(asked, here.get(), have);
    std::uint64_t got = 0;
    bool written = true;
    const auto answer = there.ask(asked, [&](std::string_view bytes) {
      bytes = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), most - got));
      written = written && write_at(here.get(), have + got, bytes);
      got += written ? bytes.size() : 0;
    });
    have += got;
    came += got;
    if (!written) return failed("write", path);
    if (!answer) return pass(answer);
    const bool same = answer->value("same", false);
    if (!same && (have == 0 || std::exchange(begun_anew, true)))
      return failure("cannot copy " + file.path + " of run " + id);
    if (!same && !cut_to(0)) return failed("cut", path);
    if (same && got == 0) break;
  } while (have < file.size);
  const timespec times[2] = {time_of(file.changed_ns), time_of(file.changed_ns)};
  if (have == file.size) (void)::futimens(here.get(), times);
  return came;
}

Result<std::uint64_t> Mirror::replace(Connection& there, const RunId& id, const File& file) {
  const fs::path path = run(id).path() / file.path;
  if (file.size > kMostWholeBytes) return 0;
  std::string text;
  while (text.size() < file.size) {
    const std::size_t before = text.size();
    const ReadFile asked{runs_dir_, id, file.path, before, file.size - before};
    RINGSIDE_TRY(there.ask(asked, [&](std::string_view bytes) {
      text += bytes.substr(0, std::min<std::size_t>(bytes.size(), file.size - text.size()));
    }));
    if (text.size() == before) break;
  }
  RINGSIDE_TRY(write_text_atomically(path, text));
  const timespec times[2] = {time_of(file.changed_ns), time_of(file.changed_ns)};
  if (text.size() == file.size) (void)::utimensat(AT_FDCWD, path.c_str(), times, 0);
  return text.size();
}

}  // namespace ringside::remote
