// The one error type and the one way to return it.
// A function that can fail returns Result<T>; the caller either shows the error or passes it on,
// once: RINGSIDE_TRY where nothing but passing it on is to be done.
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

/// Passes an error on unchanged: `if (!x) return pass(x);`
template <class T>
tl::unexpected<Error> pass(const tl::expected<T, Error>& failed) {
  return tl::unexpected<Error>(failed.error());
}

/// The value of a result that holds one, moved out of it.
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

/// The value of a call that returns a Result; where it failed, the function around it returns the
/// error: `const auto file = RINGSIDE_TRY(open_file(path));`. A call of Result<void> is a
/// statement: `RINGSIDE_TRY(save(path));`. Each use names its result anew, so uses may nest.
#define RINGSIDE_TRY(...) RINGSIDE_TRY_AS(RINGSIDE_JOIN(ringside_result_, __COUNTER__), __VA_ARGS__)
