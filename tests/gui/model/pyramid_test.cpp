// The pyramid compared with a simple scan of all values: no wrong extreme, no lost NaN.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gui/model/series.h"
#include "tests/support/catch.h"

using namespace ringside;
using model::Extremes;
using model::Series;
using model::Window;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// A simple implementation with the expected contents of the series.
struct Plain {
  std::vector<float> values;
  std::vector<bool> there;

  void set(std::size_t i, float value) {
    if (i >= values.size()) {
      values.resize(i + 1, 0);
      there.resize(i + 1, false);
    }
    values[i] = value;
    there[i] = true;
  }
  Extremes extremes(std::size_t begin, std::size_t end) const {
    Extremes found;
    for (std::size_t i = begin; i < end && i < values.size(); ++i) {
      if (there[i]) found.add(values[i]);
    }
    return found;
  }
  model::FiniteSum sum(std::size_t begin, std::size_t end) const {
    model::FiniteSum found;
    for (std::size_t i = begin; i < end && i < values.size(); ++i) {
      if (there[i] && std::isfinite(values[i])) found.add({static_cast<double>(values[i]), 1});
    }
    return found;
  }
};

float draw(std::mt19937& random) {
  const auto kind = random() % 400;
  if (kind == 0) return kNan;
  if (kind == 1) return kInf;
  if (kind == 2) return -kInf;
  return std::uniform_real_distribution<float>(-100, 100)(random);
}

void compare(const Series& series, const Plain& plain, std::mt19937& random, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const std::size_t a = random() % (plain.values.size() + 20);
    const std::size_t b = random() % (plain.values.size() + 20);
    REQUIRE(series.extremes(std::min(a, b), std::max(a, b)) ==
            plain.extremes(std::min(a, b), std::max(a, b)));
    const auto sum = series.sum(std::min(a, b), std::max(a, b));
    const auto wanted = plain.sum(std::min(a, b), std::max(a, b));
    REQUIRE(sum.count == wanted.count);
    REQUIRE(sum.sum == Approx(wanted.sum).margin(1e-6));
  }
}

}  // namespace

TEST_CASE("Extremes of any range are those of a simple scan") {
  std::mt19937 random(GENERATE(1U, 2U, 3U, 4U));
  Series series;
  Plain plain;
  const std::size_t sizes[] = {1, 15, 16, 17, 31, 33, 255, 256, 257, 4'095, 4'097, 70'000};
  std::size_t size = 0;
  for (const std::size_t wanted : sizes) {
    for (; size < wanted; ++size) {
      if (random() % 50 == 0) continue;  // a step that was never reported
      const float value = draw(random);
      series.set(size, value);
      plain.set(size, value);
    }
    compare(series, plain, random, 200);
  }
}

TEST_CASE("Overwritten values change the result") {
  std::mt19937 random(7);
  Series series;
  Plain plain;
  for (std::size_t i = 0; i < 20'000; ++i) {
    const float value = draw(random);
    series.set(i, value);
    plain.set(i, value);
  }
  for (int round = 0; round < 300; ++round) {
    const std::size_t at = random() % 20'500;
    const float value = draw(random);
    series.set(at, value);
    plain.set(at, value);
    compare(series, plain, random, 3);
  }
}

TEST_CASE("A series that was truncated and continued has the new values") {
  std::mt19937 random(11);
  Series series;
  Plain plain;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 3'000; ++i) {
      const float value = draw(random);
      const std::size_t at = plain.values.size();
      series.set(at, value);
      plain.set(at, value);
    }
    compare(series, plain, random, 30);
    const std::size_t keep = random() % plain.values.size();
    series.truncate(keep);
    plain.values.resize(keep);
    plain.there.resize(keep);
    REQUIRE(series.size() == keep);
    compare(series, plain, random, 30);
  }
}

TEST_CASE("Pixel columns cover every step of the window exactly once") {
  std::mt19937 random(13);
  Series series;
  Plain plain;
  for (std::size_t i = 0; i < 30'000; ++i) {
    const float value = draw(random);
    series.set(i, value);
    plain.set(i, value);
  }
  for (int round = 0; round < 200; ++round) {
    const double begin = std::uniform_real_distribution<double>(-100, 30'000)(random);
    const Window window{begin,
                        begin + std::exp(std::uniform_real_distribution<double>(-1, 10.5)(random))};
    std::vector<Extremes> out(1 + random() % 1'500);
    series.columns(window, out);
    const std::size_t first = model::column_begin(window, 0, out.size());
    std::size_t at = first;
    for (std::size_t column = 0; column < out.size(); ++column) {
      const std::size_t end = model::column_begin(window, column + 1, out.size());
      REQUIRE(end >= at);
      REQUIRE(out[column] == plain.extremes(at, end));
      at = end;
    }
    CHECK(first == static_cast<std::size_t>(std::max(0.0, std::ceil(window.begin))));
    CHECK(static_cast<double>(at) == std::max(0.0, std::ceil(window.end)));
  }
}

TEST_CASE("One NaN among a million steps is marked in its pixel column and hides no extreme") {
  Series series;
  for (std::size_t i = 0; i < 1'000'000; ++i) series.set(i, 1);
  series.set(654'321, kNan);
  series.set(654'322, 9);
  series.set(700'000, kInf);
  std::vector<Extremes> out(1'000);
  series.columns({0, 1'000'000}, out);
  CHECK(out[654].flags == model::kHasNan);
  CHECK(out[654].highest == 9.0F);
  CHECK(out[654].lowest == 1.0F);
  CHECK(out[700].flags == model::kHasPlusInf);
  CHECK(out[700].highest == 1.0F);
  std::size_t marked = 0;
  for (const Extremes& column : out) marked += column.flags != 0 ? 1 : 0;
  CHECK(marked == 2);
}

TEST_CASE("A million values stay within 1.3 times their raw size after a query") {
  Series series;
  for (std::size_t i = 0; i < 1'000'000; ++i) series.set(i, static_cast<float>(i));
  std::vector<Extremes> out(1'920);
  series.columns({0, 1'000'000}, out);
  CHECK(series.memory_bytes() < 1'000'000 * 4 * 13 / 10);
}

TEST_CASE("Invalid windows give empty columns") {
  Series series;
  series.set(0, 1);
  std::vector<Extremes> out(10);
  for (const Window window :
       {Window{5, 5}, Window{9, 2}, Window{-10, -1}, Window{1e30, 2e30}, Window{std::nan(""), 3}}) {
    series.columns(window, out);
    for (const Extremes& column : out) CHECK((column.empty() || std::isnan(window.begin)));
  }
}
