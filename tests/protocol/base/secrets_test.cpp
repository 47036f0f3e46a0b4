#include "protocol/base/secrets.h"

#include <algorithm>
#include <cstdlib>

#include "tests/support/catch.h"

using namespace ringside;
using Argv = std::vector<std::string>;

TEST_CASE("S10: names of secrets are recognized, and other names are not") {
  for (const char* name : {"WANDB_API_KEY",
                           "--api-key",
                           "apiKey",
                           "HF_TOKEN",
                           "--hf-token",
                           "db.password",
                           "MY_SECRET_THING",
                           "AWS_SECRET_ACCESS_KEY",
                           "authToken",
                           "PGPASSWD",
                           "google_credentials",
                           "SSH_PASSPHRASE",
                           "MYSQL_PWD",
                           "--pwd",
                           "SMTP_PASS",
                           "--pass",
                           "DB_PW",
                           "REGISTRY_AUTH",
                           "SENTRY_DSN",
                           "SLACK_WEBHOOK_URL",
                           "AZURE_STORAGE_CONNECTION_STRING",
                           "MY_JWT"}) {
    INFO(name);
    CHECK(names_secret(name));
  }
  for (const char* name :
       {"key", "--key", "KEYBOARD", "monkey", "max_tokens", "tokenizer", "PATH", "--lr", "",
        "keys_per_rank", "PWD", "OLDPWD", "--author", "passes", "--auth-method", "compass"}) {
    INFO(name);
    CHECK_FALSE(names_secret(name));
  }
}

TEST_CASE("S10: only the secrets of a command line are hidden") {
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

TEST_CASE(
    "S10: secrets within text are hidden in headers, shell commands, JSON and URL parameters") {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"Authorization: Bearer abc.def", "Authorization: [redacted]"},
      {"x: 1\nCookie: a=b; c=d\ny: 2", "x: 1\nCookie: [redacted]\ny: 2"},
      {"X-Api-Key: abc", "X-Api-Key: [redacted]"},
      {"X-Auth-Token: abc", "X-Auth-Token: [redacted]"},
      {"say Bearer abcdef now", "say Bearer [redacted] now"},
      {"export API_KEY=abc; python t.py", "export API_KEY=[redacted]; python t.py"},
      {"cd x; MYSQL_PWD='a b' mysql", "cd x; MYSQL_PWD='[redacted]' mysql"},
      {"{\"api_key\": \"abc\", \"lr\": 1}", "{\"api_key\": \"[redacted]\", \"lr\": 1}"},
      {"logger={api_key: abc, on: 1}", "logger={api_key: [redacted], on: 1}"},
      {"https://h/p?access_token=abc&x=1", "https://h/p?access_token=[redacted]&x=1"},
      {"Protocol=https;AccountKey=abc==;x=1", "Protocol=https;AccountKey=[redacted];x=1"},
      {"sv=2020&sig=a%2Bb%3D&se=1", "sv=2020&sig=[redacted]&se=1"},
      {"s3://b/k?AWSAccessKeyId=x&Signature=a/b", "s3://b/k?AWSAccessKeyId=x&Signature=[redacted]"},
      {"?X-Amz-Signature=0a", "?X-Amz-Signature=[redacted]"},
      {"--signature=serving_default", "--signature=serving_default"},
      {"--note=the token: see below", "--note=the token: [redacted] below"},
      {"tcp://10.0.0.1:29500", "tcp://10.0.0.1:29500"},
      {"a:b=c", "a:b=c"},
  };
  for (const auto& [text, hidden] : cases) {
    INFO(text);
    CHECK(hide_secrets(Argv{"x", text})[1] == hidden);
    CHECK(hide_secrets(Argv{"x", hidden})[1] == hidden);
  }
}

TEST_CASE(
    "S10: a value that looks like a key is hidden under any name, unless the name is that of a "
    "hash or revision") {
  const std::string hex = "0123456789abcdef0123456789abcdef01234567";
  const std::string mixed = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA";
  for (const std::string& key : {hex, mixed, std::string("eyJhbGciOi.eyJzdWIi.c2lnbmF0"),
                                 std::string("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPL1K2Y")}) {
    INFO(key);
    CHECK(hide_secrets(Argv{"x", key})[1] == "[redacted]");
    CHECK(hide_secrets(Argv{"x", "--note=" + key})[1] == "--note=[redacted]");
    CHECK(hide_secrets(Argv{"sh", "-c", "login " + key + " && train"})[2] ==
          "login [redacted] && train");
    CHECK(hide_secret_values({"NOTE=" + key}) == Argv{"NOTE=[redacted]"});
  }
  for (const Argv& argv :
       {Argv{"x", "--revision", hex}, Argv{"x", "--ckpt.sha256=" + hex},
        Argv{"x", "resnet50_imagenet_bs256_lr0.1_experiment_2024_final"},
        Argv{"x", "/data/Train2017/Images4k/Set12Augmented34Final56"},
        Argv{"x", "GPU-1b2c3d4e-1111-2222-3333-444455556666"}, Argv{"x", "--user", "1000:1000"},
        Argv{"x", "00000000000000000000000000000000000"}}) {
    INFO(argv.back());
    CHECK(hide_secrets(argv) == argv);
  }
  CHECK(hide_secrets(Argv{"curl", "-u", "me:pw"}) == Argv{"curl", "-u", "me:[redacted]"});
}

TEST_CASE("S10: a secret from the environment is hidden wherever it occurs") {
  Argv texts{"say hunter-22", "abc", "x"};
  hide_elsewhere(texts, {"hunter-22", "abc"});
  CHECK(texts == Argv{"say [redacted]", "abc", "x"});
  ::setenv("MY_SERVICE_PWD", "hunter-2233", 1);
  const auto own = own_secrets();
  ::unsetenv("MY_SERVICE_PWD");
  CHECK(std::find(own.begin(), own.end(), "hunter-2233") != own.end());
}

TEST_CASE("S10: secrets of the command line and the environment are hidden in texts") {
  const auto secrets = secrets_of({"train", "--api-key=12345678", "--token", "x"},
                                  {"HF_TOKEN=12345678-and-more", "HOME=/home/me", "A_KEY=abc"});
  CHECK(secrets == Argv{"12345678-and-more", "12345678"});
  CHECK(hide_secrets("401 for 12345678-and-more, 12345678, abc", secrets) ==
        "401 for [redacted], [redacted], abc");
}

TEST_CASE("S10: only the password of a URL is hidden") {
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

TEST_CASE("S10: RINGSIDE_SECRETS adds names of secrets") {
  const Argv argv{"train", "--license=12345678", "--db-conn", "postgres://me", "--licenses=2"};
  CHECK(hide_secrets(argv) == argv);
  ::setenv("RINGSIDE_SECRETS", "license, *_CONN", 1);
  CHECK(hide_secrets(argv) ==
        Argv{"train", "--license=[redacted]", "--db-conn", "[redacted]", "--licenses=2"});
  CHECK(secrets_of({}, {"MAIN_CONN=sqlite://x", "LICENSE_FILE=/etc/x"}) == Argv{"sqlite://x"});
  ::setenv("RINGSIDE_SECRETS", " ,", 1);
  CHECK(hide_secrets(argv) == argv);
  ::unsetenv("RINGSIDE_SECRETS");
}

TEST_CASE("S10: an environment is shown without its secrets, including that in its first entry") {
  const Argv environment{"WANDB_API_KEY=12345678", "LR=0.1", "NOTE=hf_0123456789abcdef",
                         "DB_PASSWORD=", "A=b=c"};
  CHECK(hide_secret_values(environment) ==
        Argv{"WANDB_API_KEY=[redacted]", "LR=0.1", "NOTE=[redacted]", "DB_PASSWORD=", "A=b=c"});
  CHECK(hide_secret_values({}).empty());
}

TEST_CASE("S10: only the secrets in the source of a program are replaced") {
  const std::string harmless =
      "pad_token = \"<|endoftext|>\"\n"
      "tokenizer_key = find(key=\"input_ids\")\n"
      "def login(password: str, api_key=None):\n"
      "  os.environ['WANDB_API_KEY'] = api_key\n"
      "model = load(\"org/model\", revision=\"0123456789abcdef0123456789abcdef01234567\")\n";
  CHECK(hide_secrets_in_source(harmless) == harmless);
  CHECK(hide_secrets_in_source("wandb.login(key=\"x\")\npassword = 'hunter22'\n"
                               "{\"api_key\": \"abcdefgh\"}\ntoken=\"hf_0123456789abcdef\"\n"
                               "db = 'postgres://me:pass-word@h/d'\n"
                               "k = \"0123456789abcdef0123456789abcdef\"\n") ==
        "wandb.login(key=\"x\")\npassword = '[redacted]'\n"
        "{\"api_key\": \"[redacted]\"}\ntoken=\"[redacted]\"\n"
        "db = 'postgres://me:[redacted]@h/d'\n"
        "k = \"[redacted]\"\n");
}
