// The one error type and the one way to return it.
// A function that can fail returns Result<T>. The caller handles an error once: it shows it or
// passes it on (RINGSIDE_TRY passes it on).
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace ringside {

/// The cause; the command line turns this into its exit code.
enum class ErrorKind {
  kRequest,  ///< the request was wrong (exit code 2): nothing was started, nothing was lost
  kFailure,  ///< the environment failed (exit code 1): disk, network, another process
};

/// What failed, on what, and what to do next, as one sentence for a person.
struct Error {
  ErrorKind kind = ErrorKind::kFailure;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

/// The request was wrong: `return bad_request("...");`
inline tl::unexpected<Error> bad_request(std::string message) {
  return tl::unexpected<Error>(Error{ErrorKind::kRequest, std::move(message)});
}

/// The environment failed: `return failure("...");`
inline tl::unexpected<Error> failure(std::string message) {
  return tl::unexpected<Error>(Error{ErrorKind::kFailure, std::move(message)});
}

/// Returns the same error from another function: `if (!x) return pass(x);`
template <class T>
tl::unexpected<Error> pass(const tl::expected<T, Error>& failed) {
  return tl::unexpected<Error>(failed.error());
}

/// Moves the value out of a result that holds one.
template <class T>
T take_value(tl::expected<T, Error>& held) {
  if constexpr (!std::is_void_v<T>) return *std::move(held);
}

}  // namespace ringside

#define RINGSIDE_JOIN_AS_IS(a, b) a##b
#define RINGSIDE_JOIN(a, b) RINGSIDE_JOIN_AS_IS(a, b)
#define RINGSIDE_TRY_AS(name, ...)            \
  __extension__({                             \
    auto name = __VA_ARGS__;                  \
    if (!name) return ::ringside::pass(name); \
    ::ringside::take_value(name);             \
  })

/// Evaluates to the value of a call that returns a Result; on failure, the enclosing function
/// returns the error: `const auto file = RINGSIDE_TRY(open_file(path));`. For Result<void>, use it
/// as a statement: `RINGSIDE_TRY(save(path));`. Each use has a unique variable name, so uses may
/// nest.
#define RINGSIDE_TRY(...) RINGSIDE_TRY_AS(RINGSIDE_JOIN(ringside_result_, __COUNTER__), __VA_ARGS__)
