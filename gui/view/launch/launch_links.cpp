// The links between the GPUs of this machine, as a matrix.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "gui/view/launch/launch_parts.h"
#include "gui/view/launch/launch_probe.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

struct Known {
  const char* word;
  LinkKind kind;
  const char* meaning;
};

// Sorted from fastest to slowest, as in nvidia-smi's own legend.
constexpr std::array<Known, 7> kKnown{{
    {"NV", LinkKind::kNvlink, "NVLink, so many at once"},
    {"PIX", LinkKind::kSwitch, "one PCIe switch"},
    {"PXB", LinkKind::kSwitch, "several PCIe switches"},
    {"PHB", LinkKind::kNode, "through the processor"},
    {"NODE", LinkKind::kNode, "same socket"},
    {"SYS", LinkKind::kSystem, "across sockets"},
    {"?", LinkKind::kUnknown, "the driver does not say"},
}};

std::size_t place_of(std::string_view word) {
  for (std::size_t i = 0; i + 1 < kKnown.size(); ++i) {
    const bool nvlink = kKnown.at(i).kind == LinkKind::kNvlink;
    if (nvlink ? word.starts_with("NV") : word == kKnown.at(i).word) return i;
  }
  return kKnown.size() - 1;
}

std::string word_between(const MachineSummary& machine, int a, int b) {
  for (const LinkSummary& link : machine.links) {
    if (link.a == std::min(a, b) && link.b == std::max(a, b)) return link.word;
  }
  return "?";
}

/// Whether link `a` is slower than `b`: by index in the list, then by the number of NVLinks.
bool slower(const std::string& a, const std::string& b) {
  if (place_of(a) != place_of(b)) return place_of(a) > place_of(b);
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

void add_legend(LinkMatrix& matrix) {
  std::vector<std::string> words;
  const auto& rows = matrix.table.rows;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = a + 1; b < rows.size(); ++b) words.push_back(rows[a].cells[b + 1].text);
  }
  std::ranges::sort(words, [](const std::string& a, const std::string& b) { return slower(b, a); });
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const std::string& word : words) {
    const Known& known = kKnown.at(place_of(word));
    matrix.legend.push_back({word, known.kind, known.meaning});
  }
}

void add_slowest(LinkMatrix& matrix) {
  std::string slowest;
  std::string ends;
  const auto& rows = matrix.table.rows;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = a + 1; b < rows.size(); ++b) {
      const std::string& word = rows[a].cells[b + 1].text;
      if (!matrix.picked[a] || !matrix.picked[b] || (!slowest.empty() && !slower(word, slowest)))
        continue;
      slowest = word;
      ends = ", GPU " + rows[a].key + " and " + rows[b].key;
    }
  }
  if (slowest.empty()) return;
  matrix.slowest = {{"Slowest link of the selected: ", Style::kDim},
                    {slowest, Style::kStrongNumber},
                    {ends, Style::kNumber}};
}

/// The slowness of a link as a number: first its kind, then its number of NVLinks.
int slowness(const std::string& word) {
  int at_once = 0;
  if (word.starts_with("NV")) std::from_chars(word.data() + 2, word.data() + word.size(), at_once);
  return static_cast<int>(place_of(word)) * 1000 - at_once;
}

/// Finds the `count` of `gpus` whose slowest link is the fastest, by trying all combinations.
class BestSet {
 public:
  BestSet(const MachineSummary& machine, const std::vector<const DeviceSummary*>& gpus,
          std::size_t count)
      : gpus_(gpus), count_(count), slow_(gpus.size(), std::vector<int>(gpus.size())) {
    for (std::size_t a = 0; a < gpus.size(); ++a) {
      for (std::size_t b = 0; b < gpus.size(); ++b)
        slow_[a][b] = slowness(word_between(machine, gpus[a]->index, gpus[b]->index));
    }
    add(0, std::numeric_limits<int>::min());
  }

  std::vector<std::string> uuids() const {
    std::vector<std::string> uuids;
    for (const std::size_t place : best_) uuids.push_back(gpus_[place]->uuid);
    return uuids;
  }

 private:
  void add(std::size_t from, int slowest) {
    if (slowest >= best_slowest_) return;
    if (chosen_.size() == count_) {
      best_ = chosen_;
      best_slowest_ = slowest;
      return;
    }
    for (std::size_t next = from; next < gpus_.size(); ++next) {
      int worst = slowest;
      for (const std::size_t other : chosen_) worst = std::max(worst, slow_[other][next]);
      chosen_.push_back(next);
      add(next + 1, worst);
      chosen_.pop_back();
    }
  }

  const std::vector<const DeviceSummary*>& gpus_;
  std::size_t count_;
  std::vector<std::vector<int>> slow_;
  std::vector<std::size_t> chosen_;
  std::vector<std::size_t> best_;
  int best_slowest_ = std::numeric_limits<int>::max();
};

}  // namespace

std::vector<std::string> best_devices(const LaunchForm& form, const MachineSummary& machine) {
  constexpr std::size_t kMostTried = 16;  // 12,870 sets of eight
  if (!uses_gpus(form, machine) || machine.links.empty()) return {};
  std::vector<const DeviceSummary*> free;
  for (const DeviceSummary& gpu : machine.gpus) {
    if (gpu.used_by.empty()) free.push_back(&gpu);
  }
  const std::size_t count = form.spec().devices.ids.size();
  if (count < 2 || free.size() <= count || free.size() > kMostTried) return {};
  return BestSet(machine, free, count).uuids();
}

LinkKind link_kind(std::string_view word) { return kKnown.at(place_of(word)).kind; }

LinkMatrix link_matrix(const LaunchForm& form, const MachineSummary& machine) {
  LinkMatrix matrix;
  matrix.table = {"links", label::kLinks, {{"gpu", "Link"}}};
  if (machine.gpus.size() < 2 || !uses_gpus(form, machine)) return matrix;
  for (const DeviceSummary& gpu : machine.gpus) {
    const std::string index = std::to_string(gpu.index);
    matrix.table.columns.push_back({.key = index, .label = "GPU " + index, .short_label = index});
    matrix.picked.push_back(form.is_picked(gpu.uuid));
    TableRow row{index, {text_cell("GPU " + index)}};
    for (const DeviceSummary& other : machine.gpus)
      row.cells.push_back(
          text_cell(other.index == gpu.index ? "" : word_between(machine, gpu.index, other.index)));
    matrix.table.rows.push_back(std::move(row));
  }
  add_legend(matrix);
  add_slowest(matrix);
  return matrix;
}

std::string link_advice(const LaunchForm& form, const MachineSummary& machine) {
  const Sentence slowest = link_matrix(form, machine).slowest;
  LaunchForm other = form;
  other.pick_devices(best_devices(form, machine));
  const Sentence better = link_matrix(other, machine).slowest;
  if (slowest.empty() || better.empty() || !slower(slowest[1].text, better[1].text)) return {};
  return slowest[1].text + slowest[2].text + ", is the slowest link of these; GPU " +
         picked_indexes(other, machine) + " are joined by " + better[1].text + " or faster";
}

}  // namespace ringside::view
