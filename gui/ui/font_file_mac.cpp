#include <algorithm>
#include <filesystem>

#include "gui/ui/font_file.h"
#include "protocol/host/user_folders.h"

namespace ringside::ui {

// Looks for the names that the families' own archives give their files, then for the system's
// fonts.
FontFile find_font(const std::string& family, bool semi_bold) {
  std::string name = family;
  std::erase(name, ' ');
  std::error_code ignored;
  const auto home = home_folder();
  for (const std::filesystem::path& folder :
       {home ? *home / "Library/Fonts" : std::filesystem::path(),
        std::filesystem::path("/Library/Fonts")}) {
    const auto file = folder / (name + (semi_bold ? "-SemiBold.ttf" : "-Regular.ttf"));
    if (std::filesystem::exists(file, ignored)) return {file.string(), true};
  }
  const char* const usual =
      name == "Inter" ? "/System/Library/Fonts/SFNS.ttf" : "/System/Library/Fonts/SFNSMono.ttf";
  if (std::filesystem::exists(usual, ignored)) return {usual, false};
  return {};
}

}  // namespace ringside::ui
