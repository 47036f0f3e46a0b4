#include <fontconfig/fontconfig.h>

#include <memory>

#include "gui/ui/font_file.h"

namespace ringside::ui {

FontFile find_font(const std::string& family, bool semi_bold) {
  using Pattern = std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)>;
  FcInit();
  const Pattern wanted(FcPatternCreate(), &FcPatternDestroy);
  FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family.c_str()));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, semi_bold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcPatternAddInteger(wanted.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultMatch;
  const Pattern match(FcFontMatch(nullptr, wanted.get(), &result), &FcPatternDestroy);
  FcChar8* file = nullptr;
  FcChar8* got = nullptr;
  if (!match || FcPatternGetString(match.get(), FC_FILE, 0, &file) != FcResultMatch) return {};
  if (FcPatternGetString(match.get(), FC_FAMILY, 0, &got) != FcResultMatch) return {};
  // fontconfig always returns some font; only the family shows whether it is the requested one.
  return {reinterpret_cast<const char*>(file), reinterpret_cast<const char*>(got) == family};
}

}  // namespace ringside::ui
