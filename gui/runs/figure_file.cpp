#include "gui/runs/figure_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "protocol/host/files.h"
#include "protocol/host/platform.h"
#include "protocol/host/user_folders.h"

namespace ringside::runs {
namespace {

using FigureJson = nlohmann::json;

/// Raised when a figure is added or changes its meaning.
constexpr int kVersion = 7;
constexpr std::size_t kMostFigureBytes = std::size_t{256} << 20;

/// The numeric figures in the order of the file.
constexpr std::array<double RunFigures::*, 8> kNumbers{
    &RunFigures::seconds,           &RunFigures::train_seconds, &RunFigures::samples_per_s,
    &RunFigures::best_val_accuracy, &RunFigures::val_accuracy,  &RunFigures::final_loss,
    &RunFigures::speedup,           &RunFigures::efficiency};
constexpr std::array<std::int64_t RunFigures::*, 5> kCounts{
    &RunFigures::started_wall_ns, &RunFigures::last_seen_wall_ns, &RunFigures::steps,
    &RunFigures::steps_planned, &RunFigures::ranks};

FigureJson json_of(const FileStamp& stamp) { return {stamp.size_bytes, stamp.changed_ns}; }

FileStamp stamp_from(const FigureJson& json) {
  return {json.at(0).get<std::uint64_t>(), json.at(1).get<std::int64_t>()};
}

FigureJson json_of(const RunFigures& figures) {
  FigureJson numbers = FigureJson::array();
  for (const auto number : kNumbers) numbers.push_back(figures.*number);
  FigureJson counts = FigureJson::array();
  for (const auto count : kCounts) counts.push_back(figures.*count);
  FigureJson state;
  if (figures.state) state = {static_cast<int>(figures.state->state), figures.state->text};
  return {numbers,
          counts,
          state,
          figures.loss,
          figures.lost_records,
          {figures.broken_loss, figures.no_speedup, figures.problem},
          figures.logged,
          figures.fair ? FigureJson(*figures.fair) : FigureJson()};
}

RunFigures figures_from(const FigureJson& json) {
  RunFigures figures;
  const FigureJson& numbers = json.at(0);
  for (std::size_t i = 0; i < kNumbers.size(); ++i)
    figures.*kNumbers[i] = numbers.at(i).get<double>();
  for (std::size_t i = 0; i < kCounts.size(); ++i)
    figures.*kCounts[i] = json.at(1).at(i).get<std::int64_t>();
  if (json.at(2).is_array()) {
    messages::RankState state;
    state.state = static_cast<messages::State>(json.at(2).at(0).get<int>());
    state.text = json.at(2).at(1).get<std::string>();
    figures.state = std::move(state);
  }
  figures.loss = json.at(3).get<std::vector<float>>();
  figures.lost_records = json.at(4).get<std::uint64_t>();
  figures.broken_loss = json.at(5).at(0).get<std::string>();
  figures.no_speedup = json.at(5).at(1).get<std::string>();
  figures.problem = json.at(5).at(2).get<std::string>();
  figures.logged = json.at(6).get<std::map<std::string, double>>();
  if (json.at(7).is_boolean()) figures.fair = json.at(7).get<bool>();
  return figures;
}

}  // namespace

FileStamp stamp_of(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {static_cast<std::uint64_t>(found.st_size), written_wall_ns(found)};
}

FileStamp log_stamp(const runlog::RunFolder& folder, const messages::RunSpec& spec) {
  FileStamp all = stamp_of(folder.log_path(0));
  for (Node node = 1; node < spec.devices.nodes; ++node) {
    const FileStamp one = stamp_of(folder.log_path(node));
    all.size_bytes += one.size_bytes;
    all.changed_ns = std::max(all.changed_ns, one.changed_ns);
  }
  return all;
}

std::filesystem::path figure_file_path(const std::filesystem::path& runs_dir) {
  const auto folder = user_folder("XDG_CACHE_HOME", ".cache");
  if (!folder) return {};
  // Each runs folder has a file of its own, named by the FNV-1a hash of its path.
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : runs_dir.lexically_normal().string())
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return *folder / "ringside" / "catalogue" / fmt::format("{:016x}.cbor", hash);
}

std::unordered_map<RunId, StampedFigures> read_figure_file(const std::filesystem::path& path) {
  std::unordered_map<RunId, StampedFigures> all;
  const auto bytes = read_text(path, kMostFigureBytes);
  if (!bytes) return all;
  const FigureJson file = FigureJson::from_cbor(bytes->begin(), bytes->end(), true, false);
  try {
    if (file.is_discarded() || file.at("version").get<int>() != kVersion) return all;
    for (const auto& [id, entry] : file.at("runs").items()) {
      const LogStamps stamps{stamp_from(entry.at(0)), stamp_from(entry.at(1)),
                             stamp_from(entry.at(2))};
      all.insert_or_assign(id, StampedFigures{stamps, figures_from(entry.at(3))});
    }
  } catch (const FigureJson::exception&) {
    all.clear();  // A foreign or damaged file is ignored, and all logs are read again.
  }
  return all;
}

Result<void> write_figure_file(const std::filesystem::path& path,
                               const std::vector<FiguresToKeep>& all) {
  FigureJson runs = FigureJson::object();
  for (const FiguresToKeep& one : all)
    runs[one.id] = {json_of(one.stamps.log), json_of(one.stamps.baseline),
                    json_of(one.stamps.unsent), json_of(one.figures)};
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return failure("the folder " + path.parent_path().string() +
                   " for the figures of the list of runs cannot be made: " + error.message());
  }
  const auto bytes = FigureJson::to_cbor({{"version", kVersion}, {"runs", std::move(runs)}});
  return write_text_atomically(
      path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace ringside::runs
