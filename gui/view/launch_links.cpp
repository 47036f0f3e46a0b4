// How the GPUs of this machine reach each other, as a matrix.
#include <algorithm>
#include <array>

#include "gui/view/launch_parts.h"

namespace ringside::view {
namespace {

struct Known {
  const char* word;
  LinkKind kind;
  const char* meaning;
};

// Slowest last, in the order of nvidia-smi's own legend.
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

/// Fewer NVLinks at once are slower than more; else the place in the list decides.
bool slower(const std::string& a, const std::string& b) {
  if (place_of(a) != place_of(b)) return place_of(a) > place_of(b);
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

void add_legend(LinkMatrix& matrix) {
  std::vector<std::string> words;
  for (const LinkRow& row : matrix.rows) {
    for (const LinkCell& cell : row.cells) {
      if (cell.kind != LinkKind::kSelf) words.push_back(cell.word);
    }
  }
  std::sort(words.begin(), words.end(),
            [](const std::string& a, const std::string& b) { return slower(b, a); });
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const std::string& word : words) {
    const Known& known = kKnown.at(place_of(word));
    matrix.legend.push_back({word, known.kind, known.meaning});
  }
}

void add_slowest(LinkMatrix& matrix) {
  const LinkCell* slowest = nullptr;
  std::string ends;
  for (std::size_t a = 0; a < matrix.rows.size(); ++a) {
    for (std::size_t b = a + 1; b < matrix.rows.size(); ++b) {
      const LinkCell& cell = matrix.rows[a].cells[b];
      if (!cell.picked || (slowest != nullptr && !slower(cell.word, slowest->word))) continue;
      slowest = &cell;
      ends = ", GPU " + matrix.rows[a].head + " and " + matrix.rows[b].head;
    }
  }
  if (slowest == nullptr) return;
  matrix.slowest = {{"Slowest link of the selected: ", Style::kDim},
                    {slowest->word, Style::kStrongNumber},
                    {ends, Style::kNumber}};
}

}  // namespace

LinkKind link_kind(std::string_view word) { return kKnown.at(place_of(word)).kind; }

LinkMatrix link_matrix(const LaunchForm& form, const MachineSummary& machine) {
  LinkMatrix matrix;
  if (machine.gpus.size() < 2 || !uses_gpus(form, machine)) return matrix;
  for (const DeviceSummary& gpu : machine.gpus) {
    LinkRow row{std::to_string(gpu.index), form.is_picked(gpu.uuid), {}};
    for (const DeviceSummary& other : machine.gpus) {
      if (other.index == gpu.index) {
        row.cells.push_back({"", LinkKind::kSelf, false});
        continue;
      }
      const std::string word = word_between(machine, gpu.index, other.index);
      row.cells.push_back({word, link_kind(word), row.picked && form.is_picked(other.uuid)});
    }
    matrix.rows.push_back(std::move(row));
  }
  add_legend(matrix);
  add_slowest(matrix);
  return matrix;
}

}  // namespace ringside::view
