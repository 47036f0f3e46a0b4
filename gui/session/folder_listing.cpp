#include "gui/session/folder_listing.h"

#include <dirent.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/host/platform.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;
using Entries = std::vector<view::FolderEntry>;

constexpr std::size_t kMostListed = 50'000;
constexpr auto kPatience = std::chrono::seconds(1);
constexpr int kMostUnanswered = 4;

std::string words_of(int error) { return std::generic_category().message(error); }

/// Returns an entry as it is, or as the file it leads to; a link that leads nowhere has no size.
view::FolderEntry entry_of(view::FolderEntry entry, const std::string& folder, const Look& look) {
  struct stat about {};
  if (const int error = look((folder + entry.name).c_str(), about); error != 0) {
    if (error != ENOENT) entry.problem = words_of(error);
    return entry;
  }
  entry.folder = S_ISDIR(about.st_mode);
  if (!entry.folder) entry.bytes = about.st_size;
  entry.changed_wall_ns = written_wall_ns(about);
  return entry;
}

/// Entries that a thread looks at in turn. It owns them too, since a dead disk may hold it forever.
struct Looking {
  std::mutex mutex;
  std::condition_variable changed;
  Entries entries;
  std::size_t done = 0;
};

/// Looks at entries until one does not answer; returns them with what was seen, and how many were.
std::pair<Entries, std::size_t> look_in_turn(const std::string& folder, Entries entries,
                                             const Look& look) {
  const std::size_t all = entries.size();
  const auto shared = std::make_shared<Looking>();
  shared->entries = std::move(entries);
  std::thread([shared, folder, look, all] {
    for (std::size_t i = 0; i < all; ++i) {
      view::FolderEntry seen = entry_of(shared->entries[i], folder, look);
      const std::lock_guard lock(shared->mutex);
      shared->entries[i] = std::move(seen);
      shared->done = i + 1;
      shared->changed.notify_one();
    }
  }).detach();
  std::unique_lock lock(shared->mutex);
  for (std::size_t known = 0; known < all; known = shared->done) {
    const auto further = [&] { return shared->done > known; };
    if (!shared->changed.wait_for(lock, kPatience, further)) break;
  }
  return {shared->entries, shared->done};
}

void look_at_all(const std::string& folder, const Look& look, Entries& entries) {
  auto next = entries.begin();
  for (int unanswered = 0; next != entries.end() && unanswered < kMostUnanswered; ++unanswered) {
    auto [seen, done] = look_in_turn(folder, Entries(next, entries.end()), look);
    next = std::move(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(done), next);
    if (next != entries.end()) (next++)->problem = "its disk does not answer";
  }
}

/// Reads names and kinds, for which no entry has to be looked at. Returns the number of an error.
int read_names(const std::string& folder, view::FolderListing& listing) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) return errno;
  for (;;) {
    errno = 0;
    const dirent* const found = ::readdir(stream.get());
    if (found == nullptr) return errno;
    const std::string name = found->d_name;
    if (name == "." || name == "..") continue;
    listing.cut = listing.entries.size() == kMostListed;
    if (listing.cut) return 0;
    listing.entries.push_back({name, found->d_type == DT_DIR, 0, 0});
  }
}

}  // namespace

int look_at(const char* path, struct stat& about) { return ::stat(path, &about) == 0 ? 0 : errno; }

view::FolderListing list_folder(const std::string& folder, bool make, const Look& look) {
  view::FolderListing listing;
  std::error_code error;
  if (make) fs::create_directory(folder, error);
  if (error) {
    listing.problem = folder + " cannot be made: " + error.message();
    return listing;
  }
  if (const int failed = read_names(folder, listing); failed != 0)
    listing.problem = folder + " cannot be read: " + words_of(failed);
  look_at_all(folder, look, listing.entries);
  return listing;
}

}  // namespace ringside::session
