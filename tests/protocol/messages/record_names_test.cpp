#include <set>
#include <string>

#include "protocol/messages/records.h"
#include "tests/support/catch.h"

namespace ringside::messages {
namespace {

TEST_CASE("states have the documented names, and some of them end a run") {
  const std::vector<std::pair<std::string, bool>> expected{
      {"queued", false}, {"starting", false},  {"training", false}, {"evaluating", false},
      {"saving", false}, {"stopping", false},  {"finished", true},  {"failed", true},
      {"stopped", true}, {"did_not_die", true}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto state = static_cast<State>(i);
    CHECK(name_of(state) == expected[i].first);
    CHECK(is_final(state) == expected[i].second);
  }
  CHECK(name_of(static_cast<State>(200)) == "unknown");
  CHECK_FALSE(is_final(static_cast<State>(200)));
}

TEST_CASE("phases and severities have names") {
  CHECK(name_of(Phase::kTrain) == "train");
  CHECK(name_of(Phase::kValidate) == "validate");
  CHECK(name_of(Phase::kTest) == "test");
  CHECK(name_of(static_cast<Phase>(9)) == "unknown");
  CHECK(name_of(Severity::kInfo) == "info");
  CHECK(name_of(Severity::kWarning) == "warning");
  CHECK(name_of(Severity::kError) == "error");
  CHECK(name_of(static_cast<Severity>(9)) == "unknown");
}

template <class... Body>
std::vector<std::string_view> names_of(const std::variant<Body...>&) {
  return {Body::kName...};
}

// Scripts read these names in JSON and CSV.
TEST_CASE("every record type has a unique name") {
  CHECK(names_of(Record{}) ==
        std::vector<std::string_view>{"hello", "step", "bucket", "epoch", "shard", "device", "host",
                                      "state", "clock_sync", "checkpoint", "notice", "scalar",
                                      "goodbye", "device_link", "group", "collective"});
}

template <class... Body>
std::set<int> types_of(const std::variant<Body...>&) {
  return {static_cast<int>(Body::kType)...};
}

TEST_CASE("the bits of a device sample follow the order of its measured fields") {
  const DeviceSample sample;
  std::vector<std::string> all;
  DeviceSample::fields(sample, [&](std::string_view name, const auto&) { all.emplace_back(name); });
  std::vector<std::string> measured;
  DeviceSample::measured(sample, [&](DeviceField field, std::string_view name, const auto&) {
    CHECK(static_cast<std::size_t>(field) == measured.size());
    CHECK(bit_of(field) == 1U << measured.size());
    measured.emplace_back(name);
  });
  CHECK(measured.front() == "utilisation_pct");
  CHECK(measured.back() == "link_tx_bytes_per_s");
  CHECK(static_cast<std::size_t>(DeviceField::kLinkTx) + 1 == measured.size());
  measured.insert(measured.begin(), {"device_index", "device_uuid", "valid"});
  CHECK(all == measured);
}

TEST_CASE("the wire numbers of records are 1 to 16, each used once") {
  const auto types = types_of(Record{});
  CHECK(types.size() == std::variant_size_v<Record>);
  CHECK(*types.begin() == 1);
  CHECK(*types.rbegin() == 16);
}

}  // namespace
}  // namespace ringside::messages
