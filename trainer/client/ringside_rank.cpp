#include "trainer/client/ringside_rank.h"

#include <pthread.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/base/clock.h"
#include "trainer/client/client.h"

namespace {

// Created when the library is loaded and never destroyed, so that concurrent first calls need no
// lock.
ringside::client::Client& the_client = *new ringside::client::Client;

// C programs cannot handle exceptions; the only one thrown here is std::bad_alloc.
template <class Value, class Call>
Value without_throwing(Value otherwise, Call&& call) {
  try {
    return call();
  } catch (...) {
    return otherwise;
  }
}

bool silence_children() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { the_client.silence(); });
  return registered == 0;
}

}  // namespace

extern "C" {

int32_t ringside_abi(void) { return RINGSIDE_RANK_ABI; }

int32_t ringside_open(void) {
  return without_throwing(0, [] {
    return silence_children() && the_client.open([](const char* name) { return std::getenv(name); })
               ? 1
               : 0;
  });
}

int32_t ringside_open_as(int32_t rank, int32_t world_size) {
  return without_throwing(0, [=] {
    const std::string own = std::to_string(rank);
    const std::string world = std::to_string(world_size);
    const auto variable = [&](const char* name) -> const char* {
      const std::string_view asked = name;
      return asked == "RANK"         ? own.c_str()
             : asked == "WORLD_SIZE" ? world.c_str()
                                     : std::getenv(name);
    };
    return silence_children() && the_client.open(variable) ? 1 : 0;
  });
}

const char* ringside_problem(void) { return the_client.problem(); }

int64_t ringside_now_ns(void) { return ringside::mono_now_ns(); }

ringside_result ringside_post(uint16_t type, int64_t mono_ns, const void* body, size_t bytes) {
  return without_throwing(RINGSIDE_DROPPED, [=] {
    return the_client.post(type, mono_ns, {static_cast<const std::byte*>(body), bytes});
  });
}

int32_t ringside_stop_request(void) { return the_client.stop_request(); }

void ringside_close(int64_t budget_ns) {
  without_throwing(0, [budget_ns] {
    the_client.close(budget_ns);
    return 0;
  });
}

}  // extern "C"
