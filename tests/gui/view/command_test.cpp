// A command without a handler must not compile.
#include "gui/view/command.h"

#include "gui/view/carry_out.h"
#include "tests/support/catch.h"

using namespace ringside::view;

namespace {

struct Scan {};
struct Empty {};
struct Print {};
using Office = std::variant<Scan, Print>;

struct Scans {
  void operator()(const Scan&) const {}
};
struct Prints {
  void operator()(const Print&) const {}
};
struct Everything {
  template <class T>
  void operator()(const T&) const {}
};

static_assert(kHandles<HandlerSet<Scans, Prints>, Office>);
static_assert(!kHandles<HandlerSet<Scans>, Office>);
static_assert(!kHandles<HandlerSet<Scans, Prints, Everything>, Office>);
static_assert(!kHandles<Everything, Office>);

/// The sender of a command need not know its group, so each command must be in exactly one.
template <class Group>
inline constexpr bool kQueued = false;
template <class... Kinds>
inline constexpr bool kQueued<std::variant<Kinds...>> = (std::is_convertible_v<Kinds, Command> &&
                                                         ...);
template <class All>
inline constexpr bool kAllQueued = false;
template <class... Groups>
inline constexpr bool kAllQueued<std::variant<Groups...>> = (kQueued<Groups> && ...);
static_assert(kAllQueued<Command>);
static_assert(!std::is_convertible_v<Empty, Command>);

}  // namespace

TEST_CASE("a command is found in its group, and carried out only by the handler of its kind") {
  CommandQueue queue;
  queue.emplace_back(StopRun{"a", StopMode::kNow});
  queue.emplace_back(Quit{});
  REQUIRE(as<StopRun>(queue[0]) != nullptr);
  CHECK(as<StopRun>(queue[0])->mode == StopMode::kNow);
  CHECK(as<ResumeRun>(queue[0]) == nullptr);
  CHECK(as<StopRun>(queue[1]) == nullptr);
  std::string order;
  for (const Office& wanted : {Office(Print{}), Office(Scan{})})
    carry_out(
        wanted, [&](const Scan&) { order += "s"; }, [&](const Print&) { order += "p"; });
  CHECK(order == "ps");
}
