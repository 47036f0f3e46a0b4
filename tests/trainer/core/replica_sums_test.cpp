#include "trainer/core/replica_sums.h"

#include "tests/support/catch.h"

using namespace ringside;
using core::ranks_apart;

TEST_CASE("a rank differs if most others agree, and all do if there is no majority") {
  using Ranks = std::vector<Rank>;
  CHECK(ranks_apart(std::vector<std::int64_t>{}).empty());
  CHECK(ranks_apart(std::vector<std::int64_t>{7}).empty());
  CHECK(ranks_apart(std::vector<std::int64_t>{7, 7, 7}).empty());
  CHECK(ranks_apart(std::vector<std::int64_t>{7, 8, 7}) == Ranks{1});
  CHECK(ranks_apart(std::vector<std::int64_t>{8, 7, 7, 9, 7}) == Ranks{0, 3});
  CHECK(ranks_apart(std::vector<std::int64_t>{7, 8}) == Ranks{0, 1});
  CHECK(ranks_apart(std::vector<std::int64_t>{7, 7, 8, 8}) == Ranks{0, 1, 2, 3});
}

TEST_CASE("a difference is reported with its ranks and step") {
  CHECK(core::replicas_text({1}, 4, 500, 400)
            .starts_with("the parameters of rank 1 differ from those of the others after 500 "
                         "steps; after 400 all"));
  CHECK(core::replicas_text({0, 2}, 5, 500, std::nullopt)
            .starts_with("the parameters of ranks 0 and 2 differ from the others' after 500 steps; "
                         "from there"));
  CHECK(core::replicas_text({0, 1}, 2, 9, 3)
            .starts_with(
                "the parameters of ranks 0 and 1 differ after 9 steps; after 3 all were equal"));
}
