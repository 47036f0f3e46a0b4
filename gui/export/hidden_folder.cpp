#include "gui/export/hidden_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace ringside::exporting {

namespace fs = std::filesystem;

Result<HiddenFolder> HiddenFolder::make(const fs::path& inside, const std::string& option) {
  std::error_code error;
  // Nobody chose where the export/ of a run folder from elsewhere leads to.
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
  if (::mkdtemp(pattern.data()) == nullptr) {
    return failure("cannot write into the export folder " + inside.string() + ": " +
                   std::strerror(errno) + "; choose another with " + option);
  }
  return HiddenFolder(inside, pattern);
}

HiddenFolder::~HiddenFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<void> HiddenFolder::move_out(const std::string& name, const fs::path& to) const {
  std::error_code error;
  fs::create_directories((inside_ / to).parent_path(), error);
  if (!error) fs::rename(path_ / name, inside_ / to, error);
  if (!error) return {};
  return failure("cannot move " + to.string() + " into " + inside_.string() + ": " +
                 error.message());
}

}  // namespace ringside::exporting
