// A custom program by its parts: a content hash for each of its files and for its Python packages;
// and the first difference between two programs. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringside::messages {

using ProgramParts = std::map<std::string, std::string>;  ///< by path, or kPackagesPart

/// Key for the packages of the program's Python, in place of a path.
inline constexpr const char* kPackagesPart = "packages";

struct PartDifference {
  enum class Kind : std::uint8_t { kOther, kFirstAlone, kSecondAlone };
  std::string name;
  Kind kind = Kind::kOther;  ///< whether the contents differ or only one program has the part
};

/// The first part of `one`, by name, that differs in `other` or is missing there; else the first
/// that only `other` has.
inline std::optional<PartDifference> difference(const ProgramParts& one,
                                                const ProgramParts& other) {
  for (const auto& [name, content] : one) {
    const auto same = other.find(name);
    if (same == other.end()) return PartDifference{name, PartDifference::Kind::kFirstAlone};
    if (same->second != content) return PartDifference{name};
  }
  for (const auto& [name, content] : other) {
    if (!one.contains(name)) return PartDifference{name, PartDifference::Kind::kSecondAlone};
  }
  return std::nullopt;
}

}  // namespace ringside::messages
