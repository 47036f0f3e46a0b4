// A display that nobody sees, for tests that open a window: an Xvfb, which ends with it. Used by
// one thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace ringside::testing {

class VirtualDisplay {
 public:
  /// `left_out`: which variables of this process ("NAME=value") it must not have. `folder`: where
  /// kScreenFile is what it shows, at any time; empty: nowhere.
  explicit VirtualDisplay(const std::function<bool(const std::string&)>& left_out = {},
                          const std::filesystem::path& folder = {});
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;

  /// The file that shows the screen, in the format of xwd.
  static constexpr const char* kScreenFile = "Xvfb_screen0";
  /// Name for DISPLAY; empty: there is no Xvfb here, or it does not start.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  pid_t pid_ = -1;
};

}  // namespace ringside::testing
