#include "gui/remote/mirrored_path.h"

#include "tests/support/catch.h"

using namespace ringside::remote;

TEST_CASE("logs and output files grow, and settings are replaced") {
  for (const char* path :
       {"node_0.log", "node_12.log", "agent.log", "attempt_0/rank_1/stdout",
        "attempt_3/rank_0/stderr", "attempt_0/rank_0/output_times", "attempt_0/rank_0/unsent.log"})
    CHECK(growth_of(path) == Growth::kAppended);
  for (const char* path : {"spec.toml", "labels.toml", "attempt_0/rank_0/error.json"})
    CHECK(growth_of(path) == Growth::kReplaced);
}

TEST_CASE("S2: keys, locks, checkpoints and files outside of a run are never copied") {
  for (const char* path : {"agent.json",
                           "agent_1.json",
                           "agent.json.AbC123",
                           "copy_of",
                           "lock",
                           "lock_1",
                           "reserve",
                           "reserve_1",
                           "checkpoints/epoch_1.pt",
                           "export/steps.csv",
                           "attempt_0/rendezvous",
                           "attempt_0/rendezvous_0",
                           "",
                           "/",
                           "/etc/passwd",
                           "..",
                           "../spec.toml",
                           "a/../../spec.toml",
                           "attempt_0//stdout",
                           "attempt_0/",
                           ".hidden",
                           "attempt_0/.x",
                           "a/b/c/d/e",
                           "a b",
                           "a\nb",
                           "-x/\x01"})
    CHECK(growth_of(path) == Growth::kNever);
  CHECK(growth_of(std::string(300, 'a')) == Growth::kNever);
}
