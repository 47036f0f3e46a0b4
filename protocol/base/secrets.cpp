#include "protocol/base/secrets.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>

namespace ringside {
namespace {

constexpr std::size_t kLeastSecret = 6;  ///< letters; what is shorter is not looked for in texts
constexpr std::size_t kLeastToken = 16;

bool looks_like_token(std::string_view text) {
  constexpr std::array<std::string_view, 8> kBegins = {"sk-",    "ghp_", "gho_",  "github_pat_",
                                                       "glpat-", "hf_",  "xoxb-", "AKIA"};
  const bool begins = std::any_of(kBegins.begin(), kBegins.end(), [text](std::string_view begin) {
    return text.starts_with(begin);
  });
  return begins && text.size() >= kLeastToken && text.find_first_of(" /\n") == text.npos;
}

std::string lower_case(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// In RINGSIDE_SECRETS: patterns of a shell. `--db-dsn` is the name db_dsn.
bool listed_as_secret(std::string_view name) {
  const char* listed = std::getenv("RINGSIDE_SECRETS");
  if (listed == nullptr) return false;
  const auto plain = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
    std::string word = lower_case(text);
    std::replace(word.begin(), word.end(), '-', '_');
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

// Where the secret of a NAME=value entry begins; npos: it holds none.
std::size_t secret_of_entry(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == entry.npos || equals + 1 == entry.size()) return entry.npos;
  const bool secret =
      names_secret(entry.substr(0, equals)) || looks_like_token(entry.substr(equals + 1));
  return secret ? equals + 1 : entry.npos;
}

// Bytes of a text.
struct Part {
  std::size_t begin = 0;
  std::size_t size = 0;
};

// Passwords of URLs, and tokens in the place of a user; the last one first, so that each can be
// replaced.
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

// Of a NAME=value entry.
std::vector<Part> secrets_within(std::string_view entry) {
  const std::size_t begin = secret_of_entry(entry);
  if (begin == entry.npos) return secrets_of_urls(entry);
  return {{begin, entry.size() - begin}};
}

// Calls found(argument, its part) for each secret of a command line.
template <class Found>
void each_secret(const std::vector<std::string>& argv, Found&& found) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string_view argument = argv[i];
    const bool entry = argument.find('=') != argument.npos;
    if (!entry && looks_like_token(argument)) {
      found(i, Part{0, argument.size()});
      continue;
    }
    for (const Part& part : secrets_within(argument)) found(i, part);
    if (!entry && argument.starts_with('-') && names_secret(argument) && i + 1 < argv.size() &&
        !argv[i + 1].starts_with('-')) {
      ++i;
      found(i, Part{0, argv[i].size()});
    }
  }
}

}  // namespace

bool names_secret(std::string_view name) {
  constexpr std::array<std::string_view, 5> kWithin = {"secret", "password", "passwd", "passphrase",
                                                       "credential"};
  const std::string lower = lower_case(name);
  const bool within = std::any_of(kWithin.begin(), kWithin.end(), [&](std::string_view word) {
    return lower.find(word) != lower.npos;
  });
  if (within || listed_as_secret(name)) return true;
  // Its words, of letters and digits: a key is a secret as the last of several.
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
  return word.ends_with("apikey") || (word == "key" && words > 1);
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
  // A longer one may hold a shorter one.
  std::sort(secrets.begin(), secrets.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return secrets;
}

std::string hide_secrets(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != text.npos; at += kHiddenSecret.size())
      text.replace(at, secret.size(), kHiddenSecret);
  }
  return text;
}

}  // namespace ringside
