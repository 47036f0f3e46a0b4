#include "gui/session/asked_file.h"

#include <system_error>

#include "gui/view/number_format.h"
#include "protocol/base/clock.h"

namespace ringside::session {

namespace fs = std::filesystem;

Result<void> make_way(const fs::path& file, bool replace) {
  std::error_code error;
  const auto there = fs::symlink_status(file, error);
  if (fs::is_directory(file, error))
    return bad_request(file.string() + " is a folder; name a file, such as report.html in it");
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    return bad_request(file.string() +
                       " is not a regular file and is not replaced; choose another name");
  }
  if (fs::exists(there) && !replace) {
    return bad_request(file.string() +
                       " exists already; replace it with --force, or choose another name");
  }
  fs::create_directories(file.parent_path(), error);
  if (!error) return {};
  return failure("cannot make the folder " + file.parent_path().string() + ": " + error.message() +
                 "; choose another file");
}

std::string written_text() {
  return "Written by ringside " RINGSIDE_VERSION ", " +
         view::date_time_text(SystemClock().wall_ns(), true) + " UTC.";
}

}  // namespace ringside::session
