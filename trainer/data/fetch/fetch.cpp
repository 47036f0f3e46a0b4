#include "trainer/data/fetch/fetch.h"

#include <cstdlib>
#include <sstream>

#include "protocol/base/user_folders.h"
#include "trainer/data/archive.h"
#include "trainer/data/fetch/download.h"
#include "trainer/data/fetch/sha256.h"
#include "trainer/data/file_bytes.h"
#include "trainer/data/folder_lock.h"
#include "trainer/data/generated.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;

constexpr int kMostCuts = 50;  ///< of one file from one mirror, each after at least one new byte

void say(const FetchOptions& options, const std::string& line) {
  if (options.note) options.note(line);
}

std::string url_of(std::string mirror, const DataSetDescriptor& set, const PublishedFile& file) {
  constexpr std::string_view kPlace = "{name}";
  for (auto at = mirror.find(kPlace); at != std::string::npos; at = mirror.find(kPlace)) {
    mirror.replace(at, kPlace.size(), set.name);
  }
  if (!mirror.ends_with('/')) mirror += '/';
  return mirror + fs::path(file.path).filename().string();
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  return failure("cannot make the folder " + folder.string() + ": " + error.message() +
                 "; choose another with --root");
}

std::string mib(std::uint64_t bytes) {
  return std::to_string((bytes + (std::uint64_t{1} << 20) - 1) >> 20) + " MiB";
}

Result<void> check_room(const DataSetDescriptor& set, const fs::path& root) {
  std::uint64_t needed = 0;
  for (const PublishedFile& file : set.files) {
    needed += file.size_bytes;
    for (const ArchiveMember& member : file.members) needed += member.size_bytes;
  }
  std::error_code error;
  const auto space = fs::space(root, error);
  if (error || space.available >= needed) return {};
  return failure("not enough room in " + root.string() + ": " + set.name + " needs " + mib(needed) +
                 " while it is unpacked, " + mib(space.available) +
                 " are free; choose another folder with --root");
}

/// Empty when the file is there and right; else what is wrong with it.
Result<std::string> wrong_with(const fs::path& path, const PublishedFile& file) {
  const auto found = sha256_of(path);
  if (!found) return pass(found);
  if (*found == file.sha256) return std::string();
  return "wrong SHA-256: expected " + file.sha256 + ", found " + *found;
}

/// Brings one file to `part` from one address, resuming what is there. Empty when it is whole and
/// has its checksum; else why not. `new_bytes` counts what came.
Result<std::string> fetch_from(const std::string& url, const PublishedFile& file,
                               const fs::path& part, const FetchOptions& options,
                               std::uint64_t& new_bytes) {
  DownloadRequest request{url, part, file.size_bytes, {}};
  const std::string name = fs::path(file.path).filename().string();
  if (options.progress) {
    request.progress = [&](std::uint64_t done) { options.progress(name, done, file.size_bytes); };
  }
  std::error_code ignored;
  const bool resumed = fs::exists(part, ignored);
  for (int cuts = 0;; ++cuts) {
    const auto outcome = download(request);
    if (!outcome) return pass(outcome);
    new_bytes += outcome->new_bytes;
    if (outcome->end == DownloadEnd::kComplete) break;
    const bool again = outcome->end == DownloadEnd::kCut && outcome->new_bytes > 0;
    if (!again || cuts == kMostCuts) return url + ": " + outcome->reason;
    say(options, url + ": cut (" + outcome->reason + "); resuming");
  }
  const auto wrong = wrong_with(part, file);
  if (!wrong || wrong->empty()) return wrong;
  fs::remove(part, ignored);
  if (!resumed) return url + ": " + *wrong;
  // The beginning may have come from elsewhere: once more, all from here.
  say(options, "what was there of " + name + " does not fit; it is fetched from the beginning");
  return fetch_from(url, file, part, options, new_bytes);
}

/// Brings one file under the root from the first mirror that has it as it was published. Returns
/// how many bytes were fetched; 0 when it was there.
Result<std::uint64_t> fetch_file(const DataSetDescriptor& set, const PublishedFile& file,
                                 const FetchOptions& options, const fs::path& root) {
  const fs::path path = root / file.path;
  const fs::path part = path.string() + ".part";
  std::error_code error;
  if (fs::exists(path, error)) {
    const auto wrong = wrong_with(path, file);
    if (!wrong) return pass(wrong);
    if (wrong->empty()) return std::uint64_t{0};
    say(options, path.string() + ": " + *wrong + "; it is fetched again");
    fs::remove(path, error);
  }
  if (auto made = make_folder(path.parent_path()); !made) return pass(made);
  std::uint64_t new_bytes = 0;
  std::string reasons;
  const auto& mirrors = options.mirrors.empty() ? set.mirrors : options.mirrors;
  for (const std::string& mirror : mirrors) {
    const auto why_not = fetch_from(url_of(mirror, set, file), file, part, options, new_bytes);
    if (!why_not) return pass(why_not);
    if (why_not->empty()) {
      fs::rename(part, path, error);
      if (error) return failure("cannot put " + path.string() + " in place: " + error.message());
      return new_bytes;
    }
    if (&mirror != &mirrors.back()) say(options, *why_not + "; trying the next mirror");
    reasons += "\n  " + *why_not;
  }
  return failure("no mirror gave " + path.filename().string() + " of " + set.name +
                 " as it was published:" + reasons +
                 "\ngive another with --mirror URL or RINGSIDE_DATA_MIRRORS, or put the file "
                 "itself at " +
                 path.string());
}

Result<void> unpack_file(const fs::path& path, const PublishedFile& file, const fs::path& draft) {
  if (file.is_archive()) return unpack_archive(path, file.members, draft);
  const ArchiveMember& member = file.members.front();
  const auto bytes = read_bytes(path, static_cast<std::size_t>(member.size_bytes));
  if (!bytes) return pass(bytes);
  if (bytes->size() != member.size_bytes) {
    return failure(path.string() + ": unpacks to " + std::to_string(bytes->size()) +
                   " bytes, expected " + std::to_string(member.size_bytes));
  }
  if (auto made = make_folder((draft / member.path).parent_path()); !made) return made;
  return write_bytes(draft / member.path, {*bytes});
}

/// From the draft to their place: the folder as a whole where there is none yet, else file by file.
Result<void> move_in(const DataSetDescriptor& set, const fs::path& draft, const fs::path& root) {
  const fs::path folder = root / set.folder;
  std::error_code error;
  if (auto made = make_folder(folder.parent_path()); !made) return made;
  if (!fs::exists(folder, error)) {
    fs::rename(draft / set.folder, folder, error);
  } else {
    for (fs::directory_iterator entry(draft / set.folder, error), end; !error && entry != end;
         entry.increment(error)) {
      fs::rename(entry->path(), folder / entry->path().filename(), error);
      if (error) break;
    }
  }
  if (!error) return {};
  return failure("cannot put " + folder.string() + " in place: " + error.message());
}

Result<void> unpack(const DataSetDescriptor& set, const fs::path& root) {
  const fs::path draft = root / ("." + set.name + ".unpacking");
  std::error_code ignored;
  fs::remove_all(draft, ignored);
  Result<void> done = make_folder(draft);
  for (const PublishedFile& file : set.files) {
    if (done) done = unpack_file(root / file.path, file, draft);
  }
  if (done) done = move_in(set, draft, root);
  fs::remove_all(draft, ignored);
  return done;
}

Result<Fetched> fetch_locked(const DataSetDescriptor& set, const FetchOptions& options,
                             Fetched fetched) {
  if (auto room = check_room(set, fetched.root); !room) return pass(room);
  std::vector<fs::path> downloaded;
  for (const PublishedFile& file : set.files) {
    const auto bytes = fetch_file(set, file, options, fetched.root);
    if (!bytes) return pass(bytes);
    fetched.downloaded_bytes += *bytes;
    if (*bytes > 0) downloaded.push_back(fetched.root / file.path);
  }
  say(options, "unpacking into " + fetched.folder.string());
  if (auto unpacked = unpack(set, fetched.root); !unpacked) return pass(unpacked);
  // An archive that a person put there stays.
  for (const fs::path& path : downloaded) {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  return fetched;
}

Result<void> check_mirrors(const std::vector<std::string>& mirrors) {
  for (const std::string& mirror : mirrors) {
    const bool known = mirror.starts_with("http://") || mirror.starts_with("https://") ||
                       mirror.starts_with("file://");
    if (!known) {
      return bad_request("mirror \"" + mirror +
                         "\" is not an address: it must begin with https://, http:// or file://");
    }
  }
  return {};
}

}  // namespace

Result<DataSetDescriptor> find_published(const std::string& name) {
  const DataSetDescriptor* set = messages::find_data_set(name);
  if (set != nullptr && set->source == messages::DataSource::kPublished) return *set;
  if (set != nullptr && set->source == messages::DataSource::kGenerated) {
    return bad_request(name + " is generated here, not fetched: `ringside data make " + name + "`");
  }
  std::string known;
  for (const std::string& other : messages::data_set_names(messages::DataSource::kPublished))
    known += (known.empty() ? "" : ", ") + other;
  return bad_request("unknown data set \"" + name + "\"; can be fetched: " + known);
}

std::vector<std::string> mirrors_of_environment() {
  const char* value = std::getenv("RINGSIDE_DATA_MIRRORS");
  std::istringstream words(value != nullptr ? value : "");
  std::vector<std::string> mirrors;
  for (std::string word; words >> word;) mirrors.push_back(word);
  return mirrors;
}

bool is_fetched(const DataSetDescriptor& set, const fs::path& root) {
  for (const PublishedFile& file : set.files) {
    for (const ArchiveMember& member : file.members) {
      std::error_code error;
      if (member.size_bytes == 0) continue;
      if (fs::file_size(root / member.path, error) != member.size_bytes || error) return false;
    }
  }
  return true;
}

Result<Fetched> fetch(const DataSetDescriptor& set, const FetchOptions& options) {
  if (auto checked = check_mirrors(options.mirrors); !checked) return pass(checked);
  Fetched fetched;
  const auto root = options.root.empty() ? default_data_folder() : Result<fs::path>(options.root);
  if (!root) return pass(root);
  fetched.root = *root;
  fetched.folder = fetched.root / set.folder;
  fetched.was_there = is_fetched(set, fetched.root);
  if (fetched.was_there) return fetched;
  if (auto made = make_folder(fetched.root); !made) return pass(made);
  const auto lock = FolderLock::take(fetched.root / ("." + set.name + ".lock"), [&] {
    say(options, "another process is fetching " + set.name + "; waiting for it");
  });
  if (!lock) return pass(lock);
  fetched.was_there = is_fetched(set, fetched.root);
  if (fetched.was_there) return fetched;
  return fetch_locked(set, options, fetched);
}

}  // namespace ringside::data
