#include "trainer/engine/rank_records.h"

#include <unistd.h>

#include "protocol/base/clock.h"
#include "protocol/host/host.h"
#include "protocol/host/platform.h"
#include "trainer/dist/last_collective.h"

namespace ringside::engine {

messages::RankHello rank_hello(const dist::LaunchEnvironment& env) {
  messages::RankHello hello;
  hello.pid = ::getpid();
  hello.local_rank = env.local_rank;
  hello.world_size = env.world_size;
  hello.attempt = env.attempt;
  hello.host = host_name();
  hello.wall_ns = SystemClock{}.wall_ns();
  hello.cpus = cpus_of_process();
  return hello;
}

messages::RankState rank_state(messages::State state, const dist::LaunchEnvironment& env,
                               const std::string& text) {
  messages::RankState record;
  record.state = state;
  record.attempt = env.attempt;
  record.last_collective = dist::last_collective();
  record.text = text;
  record.wall_ns = SystemClock{}.wall_ns();
  record.about = env.rank;
  return record;
}

}  // namespace ringside::engine
