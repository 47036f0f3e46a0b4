// Finds the file of a font on this system. Main thread.
#pragma once

#include <string>

namespace ringside::ui {

struct FontFile {
  std::string path;    ///< empty: none was found
  bool exact = false;  ///< it is of the wanted family
};

FontFile find_font(const std::string& family, bool semi_bold);

}  // namespace ringside::ui
