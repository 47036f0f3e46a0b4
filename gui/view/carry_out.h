// Carries out one command of a group (command.h): a handler for each of its kinds. Pure.
#pragma once

#include <concepts>
#include <utility>
#include <variant>

namespace ringside::view {

template <class... Handlers>
struct HandlerSet : Handlers... {
  using Handlers::operator()...;
};

/// A command outside of every group, which only a catch-all handler would accept.
struct UnknownCommand {};

/// Whether there is a handler for each kind of the group, and no catch-all.
template <class Handlers, class Group>
inline constexpr bool kHandles = false;
template <class Handlers, class... Kinds>
inline constexpr bool kHandles<Handlers, std::variant<Kinds...>> =
    (std::invocable<Handlers&, const Kinds&> && ...) &&
    !std::invocable<Handlers&, const UnknownCommand&>;

template <class Group, class... Handlers>
requires kHandles<HandlerSet<Handlers...>, Group>
void carry_out(const Group& command, Handlers... handlers) {
  std::visit(HandlerSet<Handlers...>{std::move(handlers)...}, command);
}

}  // namespace ringside::view
