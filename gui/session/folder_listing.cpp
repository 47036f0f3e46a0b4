#include "gui/session/folder_listing.h"

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <system_error>

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListed = 50'000;

/// Returns an entry as it is, or as the file it leads to; a link that leads nowhere has no size.
view::FolderEntry entry_of(const fs::directory_entry& found) {
  view::FolderEntry entry;
  entry.name = found.path().filename().string();
  struct stat about {};
  if (::stat(found.path().c_str(), &about) != 0) return entry;
  entry.folder = S_ISDIR(about.st_mode);
  if (!entry.folder) entry.bytes = about.st_size;
  entry.changed_wall_ns = about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec;
  return entry;
}

}  // namespace

view::FolderListing list_folder(const std::string& folder, bool make) {
  view::FolderListing listing;
  std::error_code error;
  if (make) fs::create_directory(folder, error);
  if (error) {
    listing.problem = folder + " cannot be made: " + error.message();
    return listing;
  }
  fs::directory_iterator each(folder, error);
  for (; !error && each != fs::directory_iterator(); each.increment(error)) {
    listing.cut = listing.entries.size() == kMostListed;
    if (listing.cut) break;
    listing.entries.push_back(entry_of(*each));
  }
  if (error) listing.problem = folder + " cannot be read: " + error.message();
  return listing;
}

}  // namespace ringside::session
