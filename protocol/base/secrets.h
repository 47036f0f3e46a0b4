// Finds and hides secrets (keys, tokens, passwords) in command lines and environments, so that they
// are not stored or shown with a run. They are recognized by their names, by the format of known
// tokens and by RINGSIDE_SECRETS, where a user lists more names. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside {

inline constexpr std::string_view kHiddenSecret = "[redacted]";

/// True for "WANDB_API_KEY", "--hf-token", "db.password", "MYSQL_PWD" and "--auth"; false for "key"
/// alone, "keyboard" and "max_tokens". With RINGSIDE_SECRETS = "license, *_dsn" also true for
/// "--license" and "DB_DSN".
bool names_secret(std::string_view name);

/// `argv` with every secret replaced by kHiddenSecret: the values of `--api-key=x`, `--api-key x`
/// and `API_KEY=x`, also inside longer text such as "Authorization: Bearer x", JSON and URL
/// parameters; words that look like keys, except after `--revision` and similar options; and the
/// password of a URL, `postgres://me:x@host`. argv[0] is not changed.
std::vector<std::string> hide_secrets(const std::vector<std::string>& argv);

/// The NAME=value entries of an environment with every secret hidden.
std::vector<std::string> hide_secret_values(const std::vector<std::string>& environment);

/// The secrets in a command line and in NAME=value entries. Short ones are left out, since any text
/// may contain them by chance.
std::vector<std::string> secrets_of(const std::vector<std::string>& argv,
                                    const std::vector<std::string>& environment);

/// Secrets in this process's environment.
std::vector<std::string> own_secrets();

/// Replaces each of `secrets` anywhere in `texts` by kHiddenSecret. Short ones are not replaced,
/// since they may occur by chance.
void hide_elsewhere(std::vector<std::string>& texts, const std::vector<std::string>& secrets);

/// `text` with each of `secrets` replaced by kHiddenSecret.
std::string hide_secrets(std::string text, const std::vector<std::string>& secrets);

/// The source of a program or of its settings with kHiddenSecret in place of words that look like
/// keys, passwords in URLs, and quoted values assigned to the name of a secret; `pad_token =
/// "<pad>"` is left, since tokens in programs are often words of a text.
std::string hide_secrets_in_source(std::string source);

}  // namespace ringside
