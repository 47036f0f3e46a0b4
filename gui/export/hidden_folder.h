// A hidden folder inside the folder of an export. Files are written there and moved out once all
// are complete, so that nobody reads half an export. The destructor removes it with its contents,
// even if the folder around it was moved. Used by one thread.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "protocol/base/result.h"

namespace ringside::exporting {

class HiddenFolder {
 public:
  /// Creates `inside`, too, if it is missing. Errors name it and say that `option` chooses another.
  static Result<HiddenFolder> make(const std::filesystem::path& inside, const std::string& option);
  HiddenFolder(HiddenFolder&& other) noexcept
      : inside_(std::move(other.inside_)),
        path_(std::move(other.path_)),
        around_(std::exchange(other.around_, -1)) {}
  HiddenFolder& operator=(HiddenFolder&&) = delete;
  ~HiddenFolder();

  const std::filesystem::path& path() const { return path_; }

  /// Moves its file `name` to `to`, a path below the containing folder, and replaces an existing
  /// file. Fails if that folder has been moved away.
  Result<void> move_out(const std::string& name, const std::filesystem::path& to) const;

 private:
  HiddenFolder(std::filesystem::path inside, std::filesystem::path path, int around)
      : inside_(std::move(inside)), path_(std::move(path)), around_(around) {}
  std::filesystem::path around() const;

  std::filesystem::path inside_;
  std::filesystem::path path_;
  int around_;  // descriptor of inside_; -1 after a move
};

}  // namespace ringside::exporting
