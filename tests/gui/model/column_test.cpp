#include "gui/model/column.h"

#include <limits>

#include "gui/model/series.h"
#include "tests/support/catch.h"

using namespace ringside;
using model::Column;
using model::Series;

TEST_CASE("A column returns absent for indices that were never written") {
  Column<float> column;
  CHECK(model::is_absent(column.at(0)));
  column.set(10'000, 2.5F);
  CHECK(column.size() == 10'001);
  CHECK(column.at(10'000) == 2.5F);
  CHECK(model::is_absent(column.at(9'999)));
  CHECK(model::is_absent(column.at(0)));
  CHECK(model::is_absent(column.at(10'001)));
}

TEST_CASE("Far indices cost no memory for those between") {
  Column<float> column;
  column.set(16'000'000, 1.0F);
  CHECK(column.memory_bytes() < 128 * 1024);
  CHECK(column.stretch(0, 16'000'001).values.empty());
  CHECK(column.stretch(0, 16'000'001).skip == Column<float>::kChunk);
}

TEST_CASE("A truncated column has forgotten its values, also when it grows again") {
  model::TimeColumn column;
  for (std::size_t i = 0; i < 9'000; ++i) column.set(i, static_cast<std::int64_t>(i));
  column.truncate(5'000);
  CHECK(column.size() == 5'000);
  column.set(6'000, 1);
  CHECK(column.at(4'999) == 4'999);
  CHECK(model::is_absent(column.at(5'000)));
  CHECK(model::is_absent(column.at(5'999)));
  column.truncate(4'096);
  column.set(4'097, 7);
  CHECK(model::is_absent(column.at(4'096)));
  CHECK(column.at(4'097) == 7);
}

TEST_CASE("A stretch ends with its chunk or with the range") {
  Column<float> column;
  for (std::size_t i = 0; i < 10'000; ++i) column.set(i, 1);
  CHECK(column.stretch(4'000, 10'000).values.size() == 96);
  CHECK(column.stretch(4'096, 4'100).values.size() == 4);
  CHECK(column.stretch(8'192, 10'000).skip == 10'000 - 8'192);
}

TEST_CASE("A reported NaN is not taken for a missing value") {
  Series series;
  series.set(3, model::absent<float>());
  CHECK(series.has(3));
  CHECK_FALSE(series.has(2));
  CHECK(series.extremes(0, 4).flags == model::kHasNan);
  CHECK(series.extremes(0, 3).empty());
}

TEST_CASE("Sums take finite values only") {
  Series series;
  series.set(0, 1);
  series.set(2, 3);
  series.set(3, std::numeric_limits<float>::infinity());
  series.set(4, std::numeric_limits<float>::quiet_NaN());
  const auto sum = series.sum(0, 100);
  CHECK(sum.count == 2);
  CHECK(sum.mean() == 2.0);
  CHECK(std::isnan(series.sum(3, 5).mean()));
}
