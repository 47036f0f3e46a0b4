#include "gui/export/hidden_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "protocol/host/platform.h"

namespace ringside::exporting {

namespace fs = std::filesystem;

Result<HiddenFolder> HiddenFolder::make(const fs::path& inside, const std::string& option) {
  std::error_code error;
  // The export/ of a run folder from elsewhere may be a link, whose target nobody here chose.
  if (fs::is_symlink(inside, error) && fs::exists(inside.parent_path() / "spec.toml", error)) {
    return failure("the export folder " + inside.string() + " is a link to " +
                   fs::read_symlink(inside, error).string() + "; name a folder with " + option);
  }
  fs::create_directories(inside, error);
  if (error) {
    return failure("cannot make the export folder " + inside.string() + ": " + error.message() +
                   "; choose another with " + option);
  }
  std::string pattern = (inside / ".export-XXXXXX").string();
  const int around = open_folder(inside);
  if (around < 0 || ::mkdtemp(pattern.data()) == nullptr) {
    const std::string why = std::strerror(errno);
    if (around >= 0) ::close(around);
    return failure("cannot write into the export folder " + inside.string() + ": " + why +
                   "; choose another with " + option);
  }
  return HiddenFolder(inside, pattern, around);
}

HiddenFolder::~HiddenFolder() {
  if (around_ < 0) return;
  std::error_code ignored;
  fs::remove_all(around() / path_.filename(), ignored);
  ::close(around_);
}

/// The folder that contains it, wherever that is now.
fs::path HiddenFolder::around() const { return path_of_folder(around_); }

Result<void> HiddenFolder::move_out(const std::string& name, const fs::path& to) const {
  std::error_code error;
  // A new folder at the old path is not the one that the person chose.
  if (!fs::equivalent(inside_, around(), error))
    return failure("the export folder " + inside_.string() +
                   " was moved away or deleted meanwhile");
  fs::create_directories((inside_ / to).parent_path(), error);
  if (!error) fs::rename(path_ / name, inside_ / to, error);
  if (!error) return {};
  return failure("cannot move " + to.string() + " into " + inside_.string() + ": " +
                 error.message());
}

}  // namespace ringside::exporting
