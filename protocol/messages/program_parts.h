// What a person's own program consists of: for each of its files, and for the packages of its
// Python, what stands for the content; and where two of them part. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringside::messages {

using ProgramParts = std::map<std::string, std::string>;  ///< by path, or kPackagesPart

/// Stands in the place of a path: the packages of the program's Python.
inline constexpr const char* kPackagesPart = "packages";

struct PartDifference {
  enum class Kind : std::uint8_t { kOther, kFirstAlone, kSecondAlone };
  std::string name;
  Kind kind = Kind::kOther;  ///< its content is another one, or only one of the two has it
};

/// The first part of one, by name, that is not the same in both; then what the other has alone.
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
