// A temporary folder of this process for the runs of a check; the destructor removes it with its
// contents. One thread.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace ringside::doctor {

class WorkFolder {
 public:
  WorkFolder() {
    std::error_code error;
    std::string name =
        (std::filesystem::temp_directory_path(error) / "ringside-doctor-XXXXXX").string();
    if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }  ///< empty: it could not be created

 private:
  std::filesystem::path path_;
};

}  // namespace ringside::doctor
