#include "protocol/base/secrets.h"

#include <cstdlib>

#include "tests/support/catch.h"

using namespace ringside;
using Argv = std::vector<std::string>;

TEST_CASE("S10: names of secrets are known, and others are left alone") {
  for (const char* name : {"WANDB_API_KEY", "--api-key", "apiKey", "HF_TOKEN", "--hf-token",
                           "db.password", "MY_SECRET_THING", "AWS_SECRET_ACCESS_KEY", "authToken",
                           "PGPASSWD", "google_credentials", "SSH_PASSPHRASE"}) {
    INFO(name);
    CHECK(names_secret(name));
  }
  for (const char* name : {"key", "--key", "KEYBOARD", "monkey", "max_tokens", "tokenizer", "PATH",
                           "--lr", "", "keys_per_rank"}) {
    INFO(name);
    CHECK_FALSE(names_secret(name));
  }
}

TEST_CASE("S10: a command line keeps all but its secrets") {
  const Argv argv{"python3",
                  "train.py",
                  "--api-key=abc=def",
                  "--hf-token",
                  "hf_short",
                  "--lr",
                  "0.1",
                  "DB_PASSWORD=pw",
                  "--password",
                  "--verbose",
                  "--note=a=b",
                  "sk-0123456789abcdef",
                  "--x=ghp_0123456789abcdef01"};
  CHECK(hide_secrets(argv) == Argv{"python3", "train.py", "--api-key=[redacted]", "--hf-token",
                                   "[redacted]", "--lr", "0.1", "DB_PASSWORD=[redacted]",
                                   "--password", "--verbose", "--note=a=b", "[redacted]",
                                   "--x=[redacted]"});
  CHECK(hide_secrets(Argv{}).empty());
}

TEST_CASE("S10: texts lose the secrets of the command line and of the environment") {
  const auto secrets = secrets_of({"train", "--api-key=12345678", "--token", "x"},
                                  {"HF_TOKEN=12345678-and-more", "HOME=/home/me", "A_KEY=abc"});
  CHECK(secrets == Argv{"12345678-and-more", "12345678"});
  CHECK(hide_secrets("401 for 12345678-and-more, 12345678, abc", secrets) ==
        "401 for [redacted], [redacted], abc");
}

TEST_CASE("S10: passwords in URLs are hidden, and the rest of the URL is not") {
  const Argv argv{"http://me:argv-0@x",
                  "--db=postgres://me:pass-word@db.lan:5432/runs?x=1",
                  "redis://:only-pass@h",
                  "https://ghp_0123456789abcdef01@github.com/a/b.git",
                  "a b://u:first-1@h c://u:second-2@h",
                  "tcp://10.0.0.1:29500",
                  "https://me@host/x:y@z",
                  "s3://bucket/a:b@c",
                  "://@",
                  "x://u:@h",
                  "x://u:p@ss-word@h",
                  "https://ghp_0123456789abcdef01:x-oauth-basic@github.com/a"};
  CHECK(hide_secrets(argv) ==
        Argv{"http://me:argv-0@x", "--db=postgres://me:[redacted]@db.lan:5432/runs?x=1",
             "redis://:[redacted]@h", "https://[redacted]@github.com/a/b.git",
             "a b://u:[redacted]@h c://u:[redacted]@h", "tcp://10.0.0.1:29500",
             "https://me@host/x:y@z", "s3://bucket/a:b@c", "://@", "x://u:@h", "x://u:[redacted]@h",
             "https://[redacted]:[redacted]@github.com/a"});
  CHECK(hide_secret_values({"DATABASE=mysql://me:pass-word@h/d"}) ==
        Argv{"DATABASE=mysql://me:[redacted]@h/d"});
  CHECK(secrets_of({"x", "--a=b://u:pass-word@h"}, {"D=b://u:pass-word-2@h"}) ==
        Argv{"pass-word-2", "pass-word"});
  CHECK(hide_secrets(hide_secrets(argv)) == hide_secrets(argv));
}

TEST_CASE("S10: RINGSIDE_SECRETS names further secrets") {
  const Argv argv{"train", "--license=12345678", "--db-dsn", "postgres://me", "--licenses=2"};
  CHECK(hide_secrets(argv) == argv);
  ::setenv("RINGSIDE_SECRETS", "license, *_DSN", 1);
  CHECK(hide_secrets(argv) ==
        Argv{"train", "--license=[redacted]", "--db-dsn", "[redacted]", "--licenses=2"});
  CHECK(secrets_of({}, {"MAIN_DSN=sqlite://x", "LICENSE_FILE=/etc/x"}) == Argv{"sqlite://x"});
  ::setenv("RINGSIDE_SECRETS", " ,", 1);
  CHECK(hide_secrets(argv) == argv);
  ::unsetenv("RINGSIDE_SECRETS");
}

TEST_CASE("S10: an environment is shown without its secrets, its first entry too") {
  const Argv environment{"WANDB_API_KEY=12345678", "LR=0.1", "NOTE=hf_0123456789abcdef",
                         "DB_PASSWORD=", "A=b=c"};
  CHECK(hide_secret_values(environment) ==
        Argv{"WANDB_API_KEY=[redacted]", "LR=0.1", "NOTE=[redacted]", "DB_PASSWORD=", "A=b=c"});
  CHECK(hide_secret_values({}).empty());
}
