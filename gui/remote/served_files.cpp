#include "gui/remote/served_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "gui/place/run_place.h"
#include "gui/remote/format.h"
#include "gui/remote/frame.h"
#include "gui/remote/mirrored_path.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_id.h"
#include "gui/runs/shown_state.h"
#include "gui/runs/studies/study.h"
#include "protocol/base/printable.h"
#include "protocol/host/descriptor.h"
#include "protocol/host/files.h"
#include "protocol/host/platform.h"
#include "protocol/runlog/crc32c.h"

namespace ringside::remote {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kFileBlockBytes = std::size_t{64} << 10;  // what a cut connection may lose
constexpr std::size_t kMostFiles = 20'000;  // their list has to fit into one frame
constexpr std::size_t kMostStudyBytes = std::size_t{1} << 20;
// A frame holds two such lists, and text may grow as JSON.
constexpr std::size_t kMostStudiesBytes = kMostPayloadBytes / 4;

/// The run folder with this plain id; an id that leads to another folder is refused.
Result<runlog::RunFolder> folder_of(const std::string& asked_dir, const std::string& id) {
  const auto runs_dir = RINGSIDE_TRY(runlog::choose_runs_dir(asked_dir));
  if (!runs::is_run_id(id)) return bad_request("\"" + id + "\" is not the id of a run");
  const runlog::RunFolder folder(runs_dir / id);
  if (!runs::holds_run(folder.path())) return bad_request("run " + id + " is not there any more");
  return folder;
}

Result<Json> answer(const ListRuns& asked, const TakeBytes& /*take*/) {
  const auto runs_dir = RINGSIDE_TRY(runlog::choose_runs_dir(asked.runs_dir));
  const auto listed = RINGSIDE_TRY(runs::list_runs(runs_dir));
  Json rows = Json::array();
  const std::size_t most = asked.newest > 0 ? asked.newest : kMostFiles;
  const std::size_t first = listed.size() - std::min({listed.size(), most, kMostFiles});
  for (std::size_t i = first; i < listed.size(); ++i) {
    const runlog::RunFolder& folder = listed[i].folder;
    rows.push_back(
        {{"id", folder.id()}, {"number", listed[i].number}, {"live", runs::may_grow(folder)}});
  }
  return Json{{"runs_dir", runs_dir.string()}, {"runs", std::move(rows)}};
}

Result<Json> answer(const FindRun& asked, const TakeBytes& /*take*/) {
  const auto runs_dir = RINGSIDE_TRY(runlog::choose_runs_dir(asked.runs_dir));
  const std::string& text = asked.run;
  if (text.find('/') != text.npos)
    return bad_request("a run on another machine is named by its id, number or `last`");
  const auto found = RINGSIDE_TRY(runs::find_run(runs_dir, text));
  return Json{{"id", found.folder.id()}, {"number", found.number}};
}

/// The files of studies in a folder, as many as fit into an answer.
Json study_rows(const fs::path& folder) {
  Json rows = Json::array();
  std::size_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().stem().string();
    if (it->path().extension() != ".toml" || runs::study_name(name) != name) continue;
    const auto text = read_text(it->path(), kMostStudyBytes);
    if (!text || !is_utf8(*text)) continue;
    bytes += text->size();
    if (bytes > kMostStudiesBytes) break;
    rows.push_back({{"study", name}, {"text", *text}});
  }
  return rows;
}

Result<Json> answer(const ListStudies& asked, const TakeBytes& /*take*/) {
  const auto runs_dir = RINGSIDE_TRY(runlog::choose_runs_dir(asked.runs_dir));
  return Json{{"studies", study_rows(runs::studies_dir(runs_dir))},
              {"deleted", study_rows(runs::deleted_studies_dir(runs_dir))}};
}

Result<Json> answer(const AskQueue& asked, const TakeBytes& /*take*/) {
  const auto runs_dir = RINGSIDE_TRY(runlog::choose_runs_dir(asked.runs_dir));
  return Json{{"text", place::queue_about(runs_dir)}};
}

Json file_row(const std::string& path, const struct stat& status) {
  return {{"path", path},
          {"size", static_cast<std::uint64_t>(status.st_size)},
          {"changed_ns", written_wall_ns(status)}};
}

Result<Json> answer(const ListFiles& asked, const TakeBytes& /*take*/) {
  const auto folder = RINGSIDE_TRY(folder_of(asked.runs_dir, asked.run));
  // Asked before the sizes: if nobody writes any more, the sizes are final.
  const bool live = runs::may_grow(folder);
  Json rows = Json::array();
  std::error_code error;
  const auto quiet = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder.path(), quiet, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().lexically_relative(folder.path()).generic_string();
    if (growth_of(path) == Growth::kNever) {
      it.disable_recursion_pending();
      continue;
    }
    struct stat status {};
    if (::lstat(it->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    rows.push_back(file_row(path, status));
    if (rows.size() > kMostFiles) return failure("run " + folder.id() + " has too many files");
  }
  if (error) return failure("cannot read " + folder.path().string() + ": " + error.message());
  return Json{{"live", live}, {"files", std::move(rows)}};
}

// Whether the bytes before the offset are those that the asker has.
bool same_before(int fd, std::uint64_t offset, std::size_t bytes, std::uint32_t checksum) {
  std::array<std::byte, kCheckBytes> block{};
  bytes = std::min(bytes, block.size());
  if (bytes == 0) return true;
  if (offset < bytes) return false;
  const ssize_t got = ::pread(fd, block.data(), bytes, static_cast<off_t>(offset - bytes));
  return got == static_cast<ssize_t>(bytes) &&
         runlog::crc32c(std::span(block).first(bytes)) == checksum;
}

Result<std::uint64_t> send_bytes(int fd, const fs::path& path, std::uint64_t offset,
                                 std::uint64_t most, const TakeBytes& take) {
  std::string block(kFileBlockBytes, '\0');
  std::uint64_t sent = 0;
  while (sent < most) {
    const std::size_t wanted = std::min<std::uint64_t>(block.size(), most - sent);
    const ssize_t got = ::pread(fd, block.data(), wanted, static_cast<off_t>(offset + sent));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read " + path.string() + ": " + std::strerror(errno));
    if (got == 0) break;
    take(std::string_view(block).substr(0, static_cast<std::size_t>(got)));
    sent += static_cast<std::uint64_t>(got);
  }
  return sent;
}

Result<Json> answer(const ReadFile& asked, const TakeBytes& take) {
  const auto folder = RINGSIDE_TRY(folder_of(asked.runs_dir, asked.run));
  const std::string& inside = asked.path;
  if (growth_of(inside) == Growth::kNever)
    return bad_request("\"" + inside + "\" is not a file that is copied");
  const fs::path path = folder.path() / inside;
  std::error_code error;
  // A folder in the path may be a link that leads out of the run folder.
  const fs::path real = fs::canonical(path.parent_path(), error);
  const fs::path home = fs::canonical(folder.path(), error);
  if (error ||
      std::mismatch(home.begin(), home.end(), real.begin(), real.end()).first != home.end())
    return bad_request("\"" + inside + "\" is not inside of the run");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return failure("cannot read " + path.string() + ": " + std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const bool same =
      asked.offset <= size && same_before(file.get(), asked.offset, asked.check_bytes, asked.check);
  if (!same) return Json{{"same", false}, {"bytes", 0}};
  const std::uint64_t most = std::min<std::uint64_t>(asked.most, kMostReadBytes);
  const auto sent = RINGSIDE_TRY(send_bytes(file.get(), path, asked.offset, most, take));
  return Json{{"same", true}, {"bytes", sent}};
}

Result<Json> answer(const AskAlive& /*asked*/, const TakeBytes& /*take*/) { return Json::object(); }

}  // namespace

Result<Json> answer_about_files(const FileQuestion& asked, const TakeBytes& take) {
  return std::visit([&take](const auto& one) { return answer(one, take); }, asked);
}

}  // namespace ringside::remote
