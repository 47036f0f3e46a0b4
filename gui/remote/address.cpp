#include "gui/remote/address.h"

#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::remote {
namespace {

constexpr std::string_view kScheme = "ssh://";
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::size_t kMostCharacters = 255;

tl::unexpected<Error> refused(std::string_view text, const std::string& why) {
  return bad_request("\"" + printable_line(text) + "\" is not a machine: " + why +
                     "; write ssh://[user@]host[:port]");
}

bool made_of(std::string_view text, std::string_view others) {
  for (const char c : text) {
    if (kLetters.find(c) == kLetters.npos && others.find(c) == others.npos) return false;
  }
  return !text.empty() && text.size() <= kMostCharacters && text.front() != '-';
}

bool read_port(std::string_view text, int& port) {
  port = whole_number<int>(text).value_or(0);
  return port >= 1 && port <= 65535;
}

/// Removes "[::1]" or "host" from the front of the text and returns it.
std::string_view take_host(std::string_view& rest) {
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == rest.npos) return {};
    const std::string_view host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    return host;
  }
  const std::string_view host = rest.substr(0, rest.find(':'));
  rest.remove_prefix(host.size());
  return host;
}

}  // namespace

Result<Target> parse_target(std::string_view text) {
  if (!text.starts_with(kScheme)) return refused(text, "it does not begin with ssh://");
  std::string_view rest = text.substr(kScheme.size());
  Target target;
  if (const std::size_t slash = rest.find('/'); slash != rest.npos) {
    target.run = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
    if (target.run.find('/') != target.run.npos)
      return refused(text, "only the name of a run may follow the host, not a path");
  }
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    const std::string_view user = rest.substr(0, at);
    if (!made_of(user, "._+@-")) return refused(text, "its user cannot be one");
    target.address.user = user;
    rest.remove_prefix(at + 1);
  }
  const bool bracketed = rest.starts_with('[');
  const std::string_view host = take_host(rest);
  if (!made_of(host, bracketed ? ":.%" : "._-")) return refused(text, "its host cannot be one");
  target.address.host = host;
  if (!rest.empty() && (rest.front() != ':' || !read_port(rest.substr(1), target.address.port)))
    return refused(text, "a port is a number from 1 to 65535");
  return target;
}

Result<Address> parse_address(std::string_view text) {
  auto target = RINGSIDE_TRY(parse_target(text));
  if (!target.run.empty()) return refused(text, "a run is named on its own here");
  return std::move(target.address);
}

std::string text_of(const Address& address) {
  const bool colons = address.host.find(':') != address.host.npos;
  return std::string(kScheme) + (address.user.empty() ? "" : address.user + "@") +
         (colons ? "[" + address.host + "]" : address.host) +
         (address.port == 0 ? "" : ":" + std::to_string(address.port));
}

std::string ssh_words(const Address& address) {
  return (address.port == 0 ? "" : "-p " + std::to_string(address.port) + " ") +
         (address.user.empty() ? "" : address.user + "@") + address.host;
}

}  // namespace ringside::remote
