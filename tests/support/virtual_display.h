// An invisible display for tests that open a window: an Xvfb that ends with this object. Used by
// one thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace ringside::testing {

class VirtualDisplay {
 public:
  /// `left_out`: selects variables of this process ("NAME=value") that Xvfb does not get. `folder`:
  /// folder for kScreenFile, which always has the current screen; empty: none.
  explicit VirtualDisplay(const std::function<bool(const std::string&)>& left_out = {},
                          const std::filesystem::path& folder = {});
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;

  /// The file with the content of the screen, in the format of xwd.
  static constexpr const char* kScreenFile = "Xvfb_screen0";
  /// Value for DISPLAY; empty: there is no Xvfb, or it did not start.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  pid_t pid_ = -1;
};

}  // namespace ringside::testing
