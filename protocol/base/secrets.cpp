#include "protocol/base/secrets.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <iterator>

#include "protocol/base/text.h"
#include "protocol/base/variables.h"

namespace ringside {
namespace {

constexpr std::size_t kLeastSecret = 6;  ///< letters; shorter ones are not searched for in texts
constexpr std::size_t kLeastToken = 16;
/// Minimum length of a secret that is searched for without its name.
constexpr std::size_t kLeastElsewhere = 8;
constexpr std::size_t kLeastKey = 32;  ///< minimum length of a word that looks like a random
                                       ///< key

bool known_token(std::string_view text) {
  constexpr std::array<std::string_view, 31> kBegins = {
      "sk-",      "ghp_",      "gho_",      "ghu_",   "ghs_",    "ghr_",     "github_pat_",
      "glpat-",   "hf_",       "xox",       "xapp-",  "AKIA",    "ASIA",     "AIza",
      "ya29.",    "eyJ",       "dapi",      "npm_",   "pypi-",   "SG.",      "gsk_",
      "nvapi-",   "r8_",       "wandb_v1_", "shpat_", "dop_v1_", "sk_live_", "rk_live_",
      "lin_api_", "dckr_pat_", "glsa_"};
  const bool begins = std::ranges::any_of(
      kBegins, [text](std::string_view begin) { return text.starts_with(begin); });
  return begins && text.size() >= kLeastToken && text.find_first_of(" /\n") == text.npos;
}

// A long mix of letters and digits as in no word: hexadecimal, or with both cases. AWS secret keys
// have 40 characters, slashes included.
bool looks_random(std::string_view text) {
  std::size_t digits = 0;
  std::size_t small = 0;
  std::size_t large = 0;
  bool hex = true;
  for (const char c : text) {
    const bool slash = (c == '/' || c == '+') && text.size() == 40;
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && !slash) return false;
    hex = hex && std::isxdigit(static_cast<unsigned char>(c)) != 0;
    digits += c >= '0' && c <= '9' ? 1 : 0;
    small += c >= 'a' && c <= 'z' ? 1 : 0;
    large += c >= 'A' && c <= 'Z' ? 1 : 0;
  }
  if (text.size() < kLeastKey || digits < 3 || small + large < 4) return false;
  return hex || (small >= 4 && large >= 4);
}

bool looks_like_token(std::string_view text) { return known_token(text) || looks_random(text); }

// Whether a name matches one of the shell patterns in RINGSIDE_SECRETS. `--db-dsn` is compared as
// db_dsn.
bool listed_as_secret(std::string_view name) {
  const char* listed = std::getenv("RINGSIDE_SECRETS");
  if (listed == nullptr) return false;
  const auto plain = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
    std::string word = lower_case(text);
    std::ranges::replace(word, '-', '_');
    return word;
  };
  const std::string word = plain(name);
  const std::string_view patterns = listed;
  for (std::size_t at = 0; at < patterns.size();) {
    const std::size_t end = std::min(patterns.find_first_of(", ", at), patterns.size());
    const std::string pattern = plain(patterns.substr(at, end - at));
    if (!pattern.empty() && ::fnmatch(pattern.c_str(), word.c_str(), 0) == 0) return true;
    at = end + 1;
  }
  return false;
}

// True for names such as "--revision" and "ckpt.sha256", whose value looks like a key but is not
// secret.
bool names_content(std::string_view name) {
  constexpr std::array<std::string_view, 11> kWords = {"revision", "commit", "sha",  "sha1",
                                                       "sha256",   "md5",    "hash", "digest",
                                                       "checksum", "rev",    "etag"};
  const std::string lower = lower_case(name);
  const std::size_t begin = lower.find_last_of("-_. ") + 1;  // npos + 1 is 0
  return std::ranges::find(kWords, std::string_view(lower).substr(begin)) != kWords.end();
}

// Index at which the secret of a NAME=value entry begins; npos when it has none.
std::size_t secret_of_entry(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == entry.npos || equals + 1 == entry.size()) return entry.npos;
  const std::string_view name = entry.substr(0, equals);
  const bool plain = name.find_first_of(" \t\n:/?\"'{") == name.npos;  // else it is free text
  const bool secret =
      plain &&
      (names_secret(name) || (looks_like_token(entry.substr(equals + 1)) && !names_content(name)));
  return secret ? equals + 1 : entry.npos;
}

// A range of bytes in a text.
struct Part {
  std::size_t begin = 0;
  std::size_t size = 0;
};

// Passwords in URLs, and tokens in place of the user name. The last one comes first, so that each
// can be replaced without moving the others.
std::vector<Part> secrets_of_urls(std::string_view text) {
  constexpr std::string_view kUrl = "://";
  std::vector<Part> parts;
  for (std::size_t at = text.find(kUrl); at != text.npos; at = text.find(kUrl, at)) {
    at += kUrl.size();
    const std::size_t end = std::min(text.find_first_of("/?# \t\n\"'", at), text.size());
    const std::size_t host = text.substr(at, end - at).rfind('@');
    if (host == text.npos) continue;
    const std::string_view user = text.substr(at, host);
    const std::size_t colon = user.find(':');
    const std::string_view name = user.substr(0, colon);
    if (looks_like_token(name)) parts.insert(parts.begin(), {at, name.size()});
    if (colon != user.npos && colon + 1 < user.size())
      parts.insert(parts.begin(), {at + colon + 1, user.size() - colon - 1});
  }
  return parts;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// The name before the assignment sign at `sign`: "api_key" in {"api_key": ...}.
std::string_view name_before(std::string_view text, std::size_t sign) {
  std::size_t end = sign;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '"' || text[end - 1] == '\'')) --end;
  std::size_t begin = end;
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

bool names_header(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower == "authorization" || lower == "proxy-authorization" || lower == "cookie" ||
         lower == "set-cookie";
}

// The value after an assignment sign: the text in its quotes, or up to where it ends in a shell, a
// URL or JSON; for a header, the rest of the line.
Part value_behind(std::string_view text, std::size_t sign, bool header) {
  std::size_t begin = sign + 1;
  while (begin < text.size() && text[begin] == ' ') ++begin;
  const bool quoted = begin < text.size() && (text[begin] == '"' || text[begin] == '\'');
  const std::string_view ends = quoted   ? text.substr(begin, 1)
                                : header ? std::string_view("\n\"'")
                                         : std::string_view(" \t\n&;,\"')}");
  begin += quoted ? 1 : 0;
  const std::size_t end = std::min(text.find_first_of(ends, begin), text.size());
  return {begin, end - std::min(begin, end)};
}

// True for the signature of a signed URL, "&sig=..." or "?X-Amz-Signature=...": whoever has it may
// read what the URL names.
bool signs_url(std::string_view text, std::size_t sign, std::string_view name) {
  const std::string lower = lower_case(name);
  const std::size_t size = name.size();
  const bool parameter = text[sign] == '=' && sign > size &&
                         std::string_view("?&").find(text[sign - size - 1]) != text.npos;
  return parameter && (lower == "sig" || lower.ends_with("signature"));
}

// Values after the names of secrets within a text: shell variables, headers, JSON, URL parameters.
std::vector<Part> named_secrets(std::string_view text) {
  std::vector<Part> parts;
  for (std::size_t at = text.find_first_of("=:"); at != text.npos;
       at = text.find_first_of("=:", at + 1)) {
    if (text.substr(at).starts_with("://")) continue;
    const std::string_view name = name_before(text, at);
    const bool header = text[at] == ':' && names_header(name);
    if (name.empty() || !(header || names_secret(name) || signs_url(text, at, name))) continue;
    const Part value = value_behind(text, at, header);
    if (value.size == 0) continue;
    parts.push_back(value);
    at = value.begin + value.size - 1;
  }
  return parts;
}

// Words that look like keys, and the word after "Bearer".
std::vector<Part> token_words(std::string_view text) {
  constexpr std::string_view kBetween = " \t\n\"'=,;&?(){}[]<>@:";
  std::vector<Part> parts;
  std::string_view before;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBetween, at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const bool bearer = before == "Bearer" && word.size() >= kLeastSecret;
    if (bearer || (looks_like_token(word) && !names_content(before)))
      parts.push_back({at, word.size()});
    before = word;
    at = end;
  }
  return parts;
}

// Removes secrets that are already hidden or lie within another one; the last one comes first.
std::vector<Part> apart(std::string_view entry, std::vector<Part> found) {
  std::erase_if(found, [entry](const Part& part) {  // already hidden
    const std::string_view text = entry.substr(part.begin, part.size);
    return text == kHiddenSecret || text == kHiddenSecret.substr(1, kHiddenSecret.size() - 2);
  });
  std::ranges::sort(found, [](const Part& a, const Part& b) {
    return a.begin != b.begin ? a.begin > b.begin : a.size > b.size;
  });
  std::vector<Part> apart;
  for (const Part& part : found) {
    while (!apart.empty() && part.begin + part.size >= apart.back().begin + apart.back().size)
      apart.pop_back();
    if (apart.empty() || part.begin + part.size <= apart.back().begin) apart.push_back(part);
  }
  return apart;
}

std::vector<Part> secrets_within(std::string_view entry) {
  const std::size_t begin = secret_of_entry(entry);
  if (begin != entry.npos) return {{begin, entry.size() - begin}};
  std::vector<Part> found = secrets_of_urls(entry);
  for (const auto& more : {named_secrets(entry), token_words(entry)})
    found.insert(found.end(), more.begin(), more.end());
  return apart(entry, std::move(found));
}

// Whether a value named like a secret in a program's source is a literal secret: most are computed
// by code, and many tokens are words of a text.
bool is_literal_secret(std::string_view source, const Part& part) {
  if (part.begin == 0 || part.size < kLeastSecret) return false;
  const char before = source[part.begin - 1];
  if (before != '"' && before != '\'') return false;
  const std::string name =
      lower_case(name_before(source, source.find_last_of("=:", part.begin - 1)));
  return name.find("token") == name.npos || looks_like_token(source.substr(part.begin, part.size));
}

// Calls found(index of the argument, range in it) for each secret in a command line.
template <class Found>
void each_secret(const std::vector<std::string>& argv, Found&& found) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string_view argument = argv[i];
    const bool entry = argument.find('=') != argument.npos;
    if (!names_content(argv[i - 1]) || entry) {
      for (const Part& part : secrets_within(argument)) found(i, part);
    }
    if (!entry && argument.starts_with('-') && names_secret(argument) && i + 1 < argv.size() &&
        !argv[i + 1].starts_with('-')) {
      ++i;
      found(i, Part{0, argv[i].size()});
    } else if ((argument == "-u" || argument == "--user") && i + 1 < argv.size()) {
      // curl's "name:password"; when both are numbers, they are a user id and a group id.
      const std::string_view both = argv[i + 1];
      const std::size_t colon = both.find(':');
      if (colon == both.npos || both.find_first_not_of("0123456789:") == both.npos) continue;
      ++i;
      found(i, Part{colon + 1, both.size() - colon - 1});
    }
  }
}

}  // namespace

bool names_secret(std::string_view name) {
  constexpr std::array<std::string_view, 9> kWithin = {
      "secret",           "password",          "passwd",
      "passphrase",       "credential",        "passcode",
      "connectionstring", "connection_string", "connection-string"};
  constexpr std::array<std::string_view, 13> kLast = {
      "pwd",    "pass",    "pw",  "passw",   "auth",          "jwt", "bearer",
      "cookie", "cookies", "dsn", "webhook", "authorization", "otp"};
  const std::string lower = lower_case(name);
  const bool within = std::ranges::any_of(
      kWithin, [&](std::string_view word) { return lower.find(word) != lower.npos; });
  if (within || listed_as_secret(name)) return true;
  // The name is split into words of letters and digits; "key" counts as a secret only as the last
  // of several.
  std::size_t words = 0;
  std::string word;
  for (std::size_t at = 0; at < lower.size();) {
    std::size_t end = at;
    while (end < lower.size() && std::isalnum(static_cast<unsigned char>(lower[end])) != 0) ++end;
    if (end > at) {
      word = lower.substr(at, end - at);
      ++words;
      if (word.ends_with("token")) return true;
    }
    at = end + 1;
  }
  if (lower == "pwd") return false;  // PWD is the working folder of every shell
  return word.ends_with("apikey") || word.ends_with("accountkey") || (word == "key" && words > 1) ||
         (word == "url" && lower.find("webhook") != lower.npos) ||
         std::ranges::find(kLast, word) != kLast.end();
}

std::vector<std::string> hide_secrets(const std::vector<std::string>& argv) {
  std::vector<std::string> hidden = argv;
  each_secret(argv, [&](std::size_t argument, const Part& part) {
    hidden[argument].replace(part.begin, part.size, kHiddenSecret);
  });
  return hidden;
}

std::vector<std::string> hide_secret_values(const std::vector<std::string>& environment) {
  std::vector<std::string> hidden = environment;
  for (std::string& entry : hidden) {
    for (const Part& part : secrets_within(entry))
      entry.replace(part.begin, part.size, kHiddenSecret);
  }
  return hidden;
}

std::vector<std::string> secrets_of(const std::vector<std::string>& argv,
                                    const std::vector<std::string>& environment) {
  std::vector<std::string> secrets;
  const auto add = [&](std::string secret) {
    if (secret.size() >= kLeastSecret) secrets.push_back(std::move(secret));
  };
  each_secret(argv, [&](std::size_t argument, const Part& part) {
    add(argv[argument].substr(part.begin, part.size));
  });
  for (const std::string& entry : environment) {
    for (const Part& part : secrets_within(entry)) add(entry.substr(part.begin, part.size));
  }
  // Longer ones come first, since they may contain a shorter one.
  std::ranges::sort(secrets,
                    [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return secrets;
}

void hide_elsewhere(std::vector<std::string>& texts, const std::vector<std::string>& secrets) {
  std::vector<std::string> long_ones;
  std::copy_if(secrets.begin(), secrets.end(), std::back_inserter(long_ones),
               [](const std::string& one) { return one.size() >= kLeastElsewhere; });
  for (std::string& text : texts) text = hide_secrets(std::move(text), long_ones);
}

std::vector<std::string> own_secrets() {
  std::vector<std::string> named;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    named.emplace_back(*entry);
  return secrets_of({}, named);
}

std::string hide_secrets(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != text.npos; at += kHiddenSecret.size())
      text.replace(at, secret.size(), kHiddenSecret);
  }
  return text;
}

std::string hide_secrets_in_source(std::string source) {
  std::vector<Part> found = named_secrets(source);
  std::erase_if(found, [&](const Part& part) { return !is_literal_secret(source, part); });
  for (const auto& more : {secrets_of_urls(source), token_words(source)})
    found.insert(found.end(), more.begin(), more.end());
  for (const Part& part : apart(source, std::move(found)))
    source.replace(part.begin, part.size, kHiddenSecret);
  return source;
}

}  // namespace ringside
