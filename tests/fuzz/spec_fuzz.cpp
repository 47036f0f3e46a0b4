// A spec in TOML: a valid spec can be written, and the written text gives the same spec. The first
// line is also used as an assignment of --set.
#include "protocol/messages/spec/run_spec.h"
#include "tests/fuzz/input.h"

using namespace ringside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  messages::RunSpec assigned;
  (void)messages::set_field(assigned, text.substr(0, text.find('\n')));
  const auto spec = messages::parse_run_spec(text, "fuzz");
  if (!spec) return 0;
  (void)messages::validate(*spec);
  const std::string written = messages::to_toml(*spec);
  const auto again = messages::parse_run_spec(written, "written");
  fuzz::require(again.has_value());
  fuzz::require(messages::to_toml(*again) == written);
  return 0;
}
