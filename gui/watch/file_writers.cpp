#include "gui/watch/file_writers.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ringside::watch {
namespace {

namespace fs = std::filesystem;

using InodeId = std::pair<dev_t, ino_t>;

InodeId inode_of(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? InodeId{found.st_dev, found.st_ino} : InodeId{};
}

/// Whether the descriptor is open for writing: fdinfo has the flags of open(2) in octal (proc(5)).
bool is_written(const fs::path& process, const std::string& descriptor) {
  std::ifstream info(process / "fdinfo" / descriptor);
  std::string word;
  while (info >> word && word != "flags:") {
  }
  int flags = O_RDONLY;
  return (info >> std::oct >> flags) && (flags & O_ACCMODE) != O_RDONLY;
}

}  // namespace

bool has_writer(std::span<const fs::path> files) {
  std::vector<InodeId> wanted;
  for (const fs::path& file : files) wanted.push_back(inode_of(file));
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; !error && process != end;
       process.increment(error)) {
    if (std::isdigit(static_cast<unsigned char>(process->path().filename().native()[0])) == 0)
      continue;
    std::error_code gone;  // the process is gone or belongs to another user
    for (fs::directory_iterator open(process->path() / "fd", gone); !gone && open != end;
         open.increment(gone)) {
      const InodeId id = inode_of(open->path());
      if (id != InodeId{} && std::find(wanted.begin(), wanted.end(), id) != wanted.end() &&
          is_written(process->path(), open->path().filename()))
        return true;
    }
  }
  return false;
}

}  // namespace ringside::watch
