#include "protocol/messages/cuda_code.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "protocol/base/text.h"

namespace ringside::messages {
namespace {

constexpr std::string_view kMachineCode = "sm_";
constexpr std::string_view kPtx = "compute_";

struct Version {
  int major = 0;
  int minor = 0;
};

/// "8.6"
std::optional<Version> version_of(std::string_view capability) {
  Version version;
  const char* const end = capability.data() + capability.size();
  const auto major = std::from_chars(capability.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc() || minor.ptr != end) return std::nullopt;
  return version;
}

// The last digit is the minor version. A letter after it restricts where the code runs: "a" to
// exactly that version; "f" makes no difference here.
bool runs(std::string_view name, Version gpu) {
  const bool ptx = name.starts_with(kPtx);
  name.remove_prefix(ptx ? kPtx.size() : kMachineCode.size());
  const bool exact = name.ends_with('a');
  int number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  const Version code{number / 10, number % 10};
  if (code.major == gpu.major) return exact ? code.minor == gpu.minor : code.minor <= gpu.minor;
  return ptx && !exact && code.major < gpu.major;
}

}  // namespace

std::vector<std::string> cuda_code(std::string_view build_flags) {
  constexpr std::string_view kCode = "code=";
  constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyz_0123456789";
  std::vector<std::string> code;
  for (std::size_t at = build_flags.find(kCode); at != std::string_view::npos;
       at = build_flags.find(kCode, at)) {
    at += kCode.size();
    // One name, or several in brackets: [sm_80,compute_80].
    for (char before = ','; before == ',' && at < build_flags.size();) {
      at = std::min(build_flags.size(), build_flags.find_first_not_of("[\"", at));
      const std::size_t end =
          std::min(build_flags.size(), build_flags.find_first_not_of(kWord, at));
      const std::string_view name = build_flags.substr(at, end - at);
      const bool known = name.starts_with(kMachineCode) || name.starts_with(kPtx);
      if (known && std::ranges::find(code, name) == code.end()) code.emplace_back(name);
      before = end < build_flags.size() ? build_flags[end] : '\0';
      at = end + (before == ',' ? 1 : 0);
    }
  }
  return code;
}

bool runs_code(const std::vector<std::string>& code, std::string_view capability) {
  const auto gpu = version_of(capability);
  if (!gpu || code.empty()) return true;
  return std::ranges::any_of(code, [&](const std::string& name) { return runs(name, *gpu); });
}

std::string code_misfit(const std::vector<std::string>& code, std::string_view capability) {
  if (runs_code(code, capability)) return {};
  std::string names;
  for (const std::string& name : code) add_listed(names, name);
  return "compute capability " + std::string(capability) +
         " is not among what LibTorch was built for (" + names + ")";
}

}  // namespace ringside::messages
