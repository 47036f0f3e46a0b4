// What must not be stored or shown with a run: keys, tokens and passwords in a command line or an
// environment, told by the names they have, by the look of known tokens and by RINGSIDE_SECRETS, in
// which a person lists further names. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// Stands where a secret was.
inline constexpr std::string_view kHiddenSecret = "[redacted]";

/// "WANDB_API_KEY", "--hf-token", "db.password", "MYSQL_PWD", "--auth"; not "key" alone, "keyboard"
/// or "max_tokens". With RINGSIDE_SECRETS = "license, *_dsn" also "--license" and "DB_DSN".
bool names_secret(std::string_view name);

/// The command line with kHiddenSecret in the place of every secret: of `--api-key=x`,
/// `--api-key x`, `API_KEY=x`, also within a text, as in "Authorization: Bearer x", in JSON and in
/// parameters of a URL; of what looks like a key by itself, though not behind `--revision` and the
/// like; and of the password in a URL, `postgres://me:x@host`. argv[0] stays.
std::vector<std::string> hide_secrets(const std::vector<std::string>& argv);

/// The NAME=value entries of an environment with every secret hidden.
std::vector<std::string> hide_secret_values(const std::vector<std::string>& environment);

/// The secrets themselves, of a command line and of NAME=value entries; short ones, which any text
/// may hold by chance, are left out.
std::vector<std::string> secrets_of(const std::vector<std::string>& argv,
                                    const std::vector<std::string>& environment);

/// Secrets in this process's own environment.
std::vector<std::string> own_secrets();

/// kHiddenSecret in the place of each of `secrets` that stands anywhere in `texts`; short ones may
/// do so by chance and stay.
void hide_elsewhere(std::vector<std::string>& texts, const std::vector<std::string>& secrets);

/// `text` with kHiddenSecret in the place of each of `secrets`.
std::string hide_secrets(std::string text, const std::vector<std::string>& secrets);

/// The text of a program or of its settings with kHiddenSecret in the place of what looks like a
/// key by itself, of passwords in URLs, and of what stands in quotes behind the name of a secret;
/// not of `pad_token = "<pad>"`, which in programs is a word of a text.
std::string hide_secrets_in_source(std::string source);

}  // namespace ringside
