// One visitor reads and writes every TOML file, with nested structs, lists of structs and optional
// values. Mistakes in a person's file are reported; unknown parts of another version's file are
// ignored.
#include "protocol/messages/spec/toml_fields.h"

#include <limits>

#include "tests/support/catch.h"

namespace ringside::messages {
namespace {

struct Wheel {
  double radius = 1;
  std::optional<std::int64_t> spokes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("radius", s.radius);
    visit("spokes", s.spokes);
  }
  std::string problem() const { return radius > 0 ? "" : ".radius must be above 0"; }
};

struct Seat {
  bool soft = false;
  float height = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("soft", s.soft);
    visit("height", s.height);
  }
};

struct Bike {
  std::string name = "none";
  std::vector<std::vector<std::string>> rows;
  std::vector<Wheel> wheels;
  Seat seat;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("name", s.name);
    visit("rows", s.rows);
    visit("wheels", s.wheels);
    visit("seat", s.seat);
  }
};

Result<Bike> read(std::string_view text, TomlMode mode = TomlMode::kStrict) {
  Bike bike;
  RINGSIDE_TRY(read_toml(text, "b.toml", bike, mode));
  return bike;
}

std::string toml_fields_refusal(std::string_view text) {
  const auto bike = read(text);
  REQUIRE_FALSE(bike);
  CHECK(bike.error().kind == ErrorKind::kRequest);
  return bike.error().message;
}

}  // namespace

TEST_CASE("TOML is read into structs with lists and optional fields") {
  const auto bike = read(
      "name = \"x\"\nrows = [[\"1\", \"2\"], []]\nseat = { soft = true, height = 2 }\n"
      "[[wheels]]\nradius = 3\n[[wheels]]\nspokes = 28\n");
  REQUIRE(bike);
  CHECK(bike->name == "x");
  CHECK(bike->rows == std::vector<std::vector<std::string>>{{"1", "2"}, {}});
  CHECK(bike->seat.soft);
  CHECK(bike->seat.height == 2.0F);
  REQUIRE(bike->wheels.size() == 2);
  CHECK(bike->wheels[0].radius == 3.0);
  CHECK_FALSE(bike->wheels[0].spokes);
  CHECK(bike->wheels[1].radius == 1.0);
  CHECK(bike->wheels[1].spokes == 28);
  CHECK(read("[wheels]\nradius = 4\n")->wheels.size() == 1);
  CHECK(read("")->name == "none");
}

TEST_CASE(
    "an invalid key or value in TOML is reported with its line, its table and the nearest name") {
  CHECK(toml_fields_refusal("\nnme = 1") == "b.toml:2: unknown key nme, did you mean \"name\"?");
  CHECK(toml_fields_refusal("[seat]\nsft = true") ==
        "b.toml:2: unknown key seat.sft, did you mean \"soft\"?");
  CHECK(toml_fields_refusal("[[wheels]]\nradius = 1\n[[wheels]]\nradius = \"big\"")
            .find("b.toml:4: wheels.radius") == 0);
  CHECK(toml_fields_refusal("[[wheels]]\nradius = -1") ==
        "b.toml:1: wheels.radius must be above 0");
  CHECK(toml_fields_refusal("wheels = 3").find("list of tables") != std::string::npos);
  CHECK(toml_fields_refusal("wheels = [3]").find("must be a table") != std::string::npos);
  CHECK(toml_fields_refusal("rows = [\"1\"]").find("must be a list") != std::string::npos);
  CHECK(toml_fields_refusal("seat = 1").find("must be a table: [seat]") != std::string::npos);
  CHECK(toml_fields_refusal("name = 2026-11-21").find("must be a text") != std::string::npos);
}

TEST_CASE("lenient reading skips what it does not understand") {
  const auto bike = read(
      "name = 3\nlater = true\nrows = [[\"1\"], 2]\n[seat]\nsoft = \"yes\"\nheight = 1.5\n"
      "[[wheels]]\nradius = -1\n",
      TomlMode::kLenient);
  REQUIRE(bike);
  CHECK(bike->name == "none");
  CHECK(bike->rows.size() == 1);
  CHECK_FALSE(bike->seat.soft);
  CHECK(bike->seat.height == 1.5F);
  CHECK_FALSE(read("name = [", TomlMode::kLenient));
}

TEST_CASE("written TOML is read back, and sparse TOML omits zero, false and empty values") {
  Seat seat{true, 0.3F};
  CHECK(write_toml(seat) == "soft = true\nheight = 0.30000001192092896\n");
  Seat back;
  REQUIRE(read_toml(write_toml(seat), "s.toml", back));
  CHECK(back.height == seat.height);
  CHECK(write_toml(Seat{}, true).empty());
  CHECK(write_toml(Seat{true, 0}, true) == "soft = true\n");
}

TEST_CASE("numbers in TOML keep their type and value") {
  CHECK(toml_text(3.0) == "3.0");
  CHECK(toml_text(1e-8) == "1e-08");
  CHECK(toml_text(std::int64_t{-7}) == "-7");
  CHECK(toml_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(toml_text(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(toml_text(std::vector<std::string>{"a\"b", "\n"}) == "[\"a\\\"b\", \"\\u000A\"]");
}

}  // namespace ringside::messages
