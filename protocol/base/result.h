// The one error type and the one way to return it.
// A function that can fail returns Result<T>; the caller either shows the error or passes it on,
// once.
#pragma once

#include <string>
#include <tl/expected.hpp>
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

}  // namespace ringside
