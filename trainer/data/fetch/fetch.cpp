#include "trainer/data/fetch/fetch.h"

#include <cstdlib>
#include <sstream>

#include "protocol/base/text.h"
#include "protocol/host/file_lock.h"
#include "protocol/host/user_folders.h"
#include "trainer/data/archive.h"
#include "trainer/data/checksums.h"
#include "trainer/data/fetch/download.h"
#include "trainer/data/fetch/sha256.h"
#include "trainer/data/file_bytes.h"
#include "trainer/data/generated.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;

constexpr int kMostCuts = 50;  ///< per file and mirror, each after at least one new byte

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

/// Empty when the file exists and is correct; otherwise the problem.
Result<std::string> wrong_with(const fs::path& path, const PublishedFile& file) {
  const auto found = RINGSIDE_TRY(sha256_of(path));
  if (found == file.sha256) return std::string();
  return "wrong SHA-256: expected " + file.sha256 + ", found " + found;
}

/// Downloads one file from one address to `part`, resuming what is there. Empty when it is complete
/// with the right checksum; otherwise the reason. `new_bytes` counts the downloaded bytes.
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
    const auto outcome = RINGSIDE_TRY(download(request));
    new_bytes += outcome.new_bytes;
    if (outcome.end == DownloadEnd::kComplete) break;
    const bool again = outcome.end == DownloadEnd::kCut && outcome.new_bytes > 0;
    if (!again || cuts == kMostCuts) return url + ": " + outcome.reason;
    say(options, url + ": cut (" + outcome.reason + "); resuming");
  }
  const auto wrong = wrong_with(part, file);
  if (!wrong || wrong->empty()) return wrong;
  fs::remove(part, ignored);
  if (!resumed) return url + ": " + *wrong;
  // The beginning may have come from another mirror: download it all from this one.
  say(options, "what was there of " + name + " does not fit; it is fetched from the beginning");
  return fetch_from(url, file, part, options, new_bytes);
}

/// The files under the root that belong to `data get`: partial downloads, and the draft of the
/// unpacked set. All other files there may be the user's.
struct Workplace {
  fs::path root;
  fs::path folder;

  fs::path part(const PublishedFile& file) const { return folder / fs::path(file.path).filename(); }
  fs::path draft() const { return folder / "unpacked"; }
};

/// Downloads one file from the first mirror that has the published version, and returns the number
/// of downloaded bytes.
Result<std::uint64_t> fetch_file(const DataSetDescriptor& set, const PublishedFile& file,
                                 const FetchOptions& options, const Workplace& place) {
  std::uint64_t new_bytes = 0;
  std::string reasons;
  const auto& mirrors = options.mirrors.empty() ? set.mirrors : options.mirrors;
  for (const std::string& mirror : mirrors) {
    const auto why_not =
        fetch_from(url_of(mirror, set, file), file, place.part(file), options, new_bytes);
    if (!why_not) return pass(why_not);
    if (why_not->empty()) return new_bytes;
    if (&mirror != &mirrors.back()) say(options, *why_not + "; trying the next mirror");
    reasons += "\n  " + *why_not;
  }
  const fs::path path = place.root / file.path;
  return failure("no mirror gave " + path.filename().string() + " of " + set.name +
                 " as it was published:" + reasons +
                 "\ngive another with --mirror URL or RINGSIDE_DATA_MIRRORS, or put the file "
                 "itself at " +
                 path.string());
}

tl::unexpected<Error> not_replaced(const fs::path& path, const std::string& why) {
  return failure(path.string() + " is there and is not the published file (" + why +
                 "); it is left as it is: move it away, or choose another folder with --root");
}

/// Fails before downloading anything if files of the user have the names under which the trainer
/// reads the set.
Result<void> check_own_files(const DataSetDescriptor& set, const fs::path& root) {
  std::error_code error;
  for (const PublishedFile& file : set.files) {
    for (const ArchiveMember& member : file.members) {
      const fs::path path = root / member.path;
      if (member.size_bytes == 0 || !fs::exists(path, error)) continue;
      const auto size = fs::file_size(path, error);
      if (error) return not_replaced(path, error.message());
      if (size != member.size_bytes) {
        return not_replaced(
            path, std::to_string(size) + " bytes, expected " + std::to_string(member.size_bytes));
      }
    }
    const fs::path packed = root / file.path;
    if (file.is_archive() || !fs::exists(packed, error)) continue;
    const auto wrong = RINGSIDE_TRY(wrong_with(packed, file));
    if (!wrong.empty()) return not_replaced(packed, wrong);
  }
  return {};
}

Result<void> unpack_file(const fs::path& path, const PublishedFile& file, const fs::path& draft) {
  if (file.is_archive()) return unpack_archive(path, file.members, draft);
  const ArchiveMember& member = file.members.front();
  const auto bytes = RINGSIDE_TRY(read_bytes(path, static_cast<std::size_t>(member.size_bytes)));
  if (bytes.size() != member.size_bytes) {
    return failure(path.string() + ": unpacks to " + std::to_string(bytes.size()) +
                   " bytes, expected " + std::to_string(member.size_bytes));
  }
  if (auto made = make_folder((draft / member.path).parent_path()); !made) return made;
  return write_bytes(draft / member.path, {bytes});
}

/// Moves one unpacked file to its place. An existing file stays, which is an error unless it is
/// identical or a description beside the data.
Result<void> move_in(const ArchiveMember& member, const fs::path& draft, const fs::path& root) {
  const fs::path from = draft / member.path;
  const fs::path to = root / member.path;
  std::error_code error;
  if (!fs::exists(from, error)) return {};
  if (fs::exists(fs::symlink_status(to, error))) {
    if (member.size_bytes == 0) return {};
    const auto published = RINGSIDE_TRY(sha256_of(from));
    const auto found = RINGSIDE_TRY(sha256_of(to));
    if (found == published) return {};
    return not_replaced(to, "SHA-256 " + found + ", expected " + published);
  }
  if (auto made = make_folder(to.parent_path()); !made) return made;
  fs::rename(from, to, error);
  if (!error) return {};
  return failure("cannot put " + to.string() + " in place: " + error.message());
}

Result<void> unpack(const DataSetDescriptor& set, const std::vector<fs::path>& packed,
                    const Workplace& place) {
  std::error_code ignored;
  fs::remove_all(place.draft(), ignored);
  Result<void> done = make_folder(place.draft());
  for (std::size_t i = 0; i < packed.size() && done; ++i)
    done = unpack_file(packed[i], set.files[i], place.draft());
  for (const PublishedFile& file : set.files) {
    for (const ArchiveMember& member : file.members) {
      if (done) done = move_in(member, place.draft(), place.root);
    }
  }
  fs::remove_all(place.draft(), ignored);
  return done;
}

/// Path of each packed and verified file of the set: where the user put it, or in the workplace.
Result<std::vector<fs::path>> packed_files(const DataSetDescriptor& set,
                                           const FetchOptions& options, const Workplace& place,
                                           std::uint64_t& downloaded_bytes) {
  std::vector<fs::path> packed;
  for (const PublishedFile& file : set.files) {
    const fs::path own = place.root / file.path;
    std::error_code error;
    if (fs::exists(own, error)) {
      const auto wrong = RINGSIDE_TRY(wrong_with(own, file));
      if (wrong.empty()) {
        packed.push_back(own);
        continue;
      }
      say(options, own.string() + ": " + wrong + "; it is left as it is, another is fetched");
    }
    const auto bytes = RINGSIDE_TRY(fetch_file(set, file, options, place));
    downloaded_bytes += bytes;
    packed.push_back(place.part(file));
  }
  return packed;
}

Result<Fetched> fetch_locked(const DataSetDescriptor& set, const FetchOptions& options,
                             Fetched fetched) {
  RINGSIDE_TRY(check_own_files(set, fetched.root));
  RINGSIDE_TRY(check_room(set, fetched.root));
  const Workplace place{fetched.root, fetched.root / ("." + set.name + ".fetching")};
  RINGSIDE_TRY(make_folder(place.folder));
  const auto packed = RINGSIDE_TRY(packed_files(set, options, place, fetched.downloaded_bytes));
  say(options, "unpacking into " + fetched.folder.string());
  RINGSIDE_TRY(unpack(set, packed, place));
  RINGSIDE_TRY(keep_checksums(set, fetched.root));
  std::error_code ignored;
  fs::remove_all(place.folder, ignored);
  return fetched;
}

Result<Fetched> unchanged(const DataSetDescriptor& set, const Fetched& fetched) {
  RINGSIDE_TRY(check_unpacked(set, fetched.root));
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
    add_listed(known, other);
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
  RINGSIDE_TRY(check_mirrors(options.mirrors));
  Fetched fetched;
  const auto root = options.root.empty() ? default_data_folder() : Result<fs::path>(options.root);
  if (!root) return pass(root);
  fetched.root = *root;
  fetched.folder = fetched.root / set.folder;
  fetched.was_there = is_fetched(set, fetched.root);
  if (fetched.was_there) return unchanged(set, fetched);
  RINGSIDE_TRY(make_folder(fetched.root));
  const auto lock = FileLock::take(fetched.root / ("." + set.name + ".lock"), [&] {
    say(options, "another process is fetching " + set.name + "; waiting for it");
  });
  if (!lock) return pass(lock);
  fetched.was_there = is_fetched(set, fetched.root);
  if (fetched.was_there) return unchanged(set, fetched);
  return fetch_locked(set, options, fetched);
}

}  // namespace ringside::data
