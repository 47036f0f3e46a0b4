#include "tests/gui/launch/source_page.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace ringside::testing {
namespace {

using Recipes = std::vector<SourceRecipe>;

constexpr std::array kTitles = {
    "E0: two-GPU ResNet-18 on CIFAR-10, an online course's experiment page",
    "E1: ResNet-34 on CIFAR-10, an article series on data parallelism, July 2023",
    "E2: ResNet-50 on CIFAR-10: single, DP, DDP, AMP; an article of December 2024 with companion "
    "code",
    "E3: a small CNN on MNIST with snapshots and torchrun, a student report",
    "E4: ResNet-50 on CIFAR-10 under Slurm, an article"};

constexpr const char* kIntro =
    "# What the sources say, setting by setting\n\n"
    "Tests compare every preset of a published experiment with this table of facts, which they "
    "own\n"
    "(`tests/gui/launch/source_facts.cpp`), and this page with the table. Under \"From\":\n\n"
    "| Word | Meaning |\n|---|---|\n"
    "| printed | in the text, or in its code as printed |\n"
    "| companion | in the author's public code only |\n"
    "| derived | follows from what is printed; of a setting that nobody mentions: the default of a "
    "PyTorch program |\n"
    "| not stated | our choice; the preset names it under `about.unstated` |\n"
    "| deviates | the value is the source's, and the preset has another for the reason given |\n\n"
    "\"=\" is as the preset to the left. A setting that is not listed has our default. Figures "
    "that "
    "are arithmetic (steps,\nbatches, padding, parameters) are in the presets alone, and computed "
    "by a "
    "test. Published times are those of the\nauthors' machines and never a target; \"clock\" is "
    "what "
    "their stopwatch covers: the passes over the training data\nalone (`train_pass`), first step "
    "to "
    "end (`first_step_to_end`, as ours), start-up and evaluation too (`whole_run`).\n";

std::string from(const SourceCell& cell) {
  switch (cell.origin) {
    case Origin::kPrinted:
      return "printed";
    case Origin::kCompanion:
      return "companion";
    case Origin::kDerived:
      return "derived";
    case Origin::kUnstated:
      return "not stated";
    case Origin::kDeviates:
      break;
  }
  return std::string("deviates, ") + cell.why;
}

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string head(const std::vector<std::string>& cells) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) rule += "---|";
  return "\n" + row(cells) + rule + "\n";
}

std::string code(const std::string& text) { return "`" + text + "`"; }

const SourceCell* cell_of(const SourceRecipe& recipe, const std::string& key) {
  const auto found = std::find_if(recipe.cells.begin(), recipe.cells.end(),
                                  [&](const SourceCell& cell) { return cell.key == key; });
  return found == recipe.cells.end() ? nullptr : &*found;
}

std::vector<std::string> keys_of(const Recipes& recipes) {
  std::vector<std::string> keys;
  for (const SourceRecipe& recipe : recipes) {
    for (const SourceCell& cell : recipe.cells) {
      if (std::find(keys.begin(), keys.end(), cell.key) == keys.end()) keys.emplace_back(cell.key);
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string words_of(const SourceCell* cell) {
  return cell == nullptr ? "–" : code(cell->value) + ", " + from(*cell);
}

bool is_common(const Recipes& recipes, const std::string& key) {
  const std::string words = words_of(cell_of(recipes.front(), key));
  return std::all_of(recipes.begin(), recipes.end(), [&](const SourceRecipe& recipe) {
    return words_of(cell_of(recipe, key)) == words;
  });
}

std::string settings_of(const Recipes& recipes) {
  std::string common;
  std::string others;
  for (const std::string& key : keys_of(recipes)) {
    if (is_common(recipes, key)) {
      const SourceCell& cell = *cell_of(recipes.front(), key);
      common += row({code(key), code(cell.value), from(cell)});
      continue;
    }
    std::vector<std::string> cells{code(key)};
    std::string left;
    for (const SourceRecipe& recipe : recipes) {
      const std::string words = words_of(cell_of(recipe, key));
      cells.push_back(words == left ? "=" : words);
      left = words;
    }
    others += row(cells);
  }
  std::vector<std::string> presets{"Setting"};
  std::vector<std::string> launches{"launched by"};
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    const std::string launch = recipes[i].launch;
    presets.push_back(code(recipes[i].preset));
    launches.push_back(i > 0 && launch == recipes[i - 1].launch ? "=" : launch);
  }
  std::string text = common.empty() ? "" : head({"Setting", "Value", "From"}) + common;
  return text + head(presets) + row(launches) + others;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.8g", value);
  return text.data();
}

bool is_arithmetic(const std::string& what) {
  constexpr std::array kKinds = {"per_rank_batch", "global_batch",   "steps_per_epoch",
                                 "last_batch",     "padded_samples", "parameters"};
  return std::find(kKinds.begin(), kKinds.end(), what) != kKinds.end();
}

/// Text for the clock of a figure: the facts of E0 state none, and an accuracy has none.
std::string clock_of(const SourceFigure& figure) {
  constexpr std::array kTimed = {"time_cut", "speedup", "efficiency"};
  if (std::string(figure.clock) != "unstated") return code(figure.clock);
  const bool timed =
      std::find(kTimed.begin(), kTimed.end(), std::string(figure.what)) != kTimed.end();
  return timed ? "not stated" : "–";
}

std::string figures_of(const Recipes& recipes) {
  std::vector<std::string> lines;
  std::vector<std::string> presets;
  for (const SourceRecipe& recipe : recipes) {
    for (const SourceFigure& figure : recipe.figures) {
      if (is_arithmetic(figure.what)) continue;
      const bool same = std::string(figure.against) == "same_devices";
      const std::string line =
          row({code(figure.what) + (same ? ", against as many devices" : ""),
               figure.ranks == 0 ? "any" : std::to_string(figure.ranks), number(figure.value),
               figure.derived ? "derived" : "printed", clock_of(figure)});
      const auto known = std::find(lines.begin(), lines.end(), line);
      const std::string preset = code(recipe.preset);
      if (known == lines.end()) {
        lines.push_back(line);
        presets.push_back(preset);
      } else {
        presets[static_cast<std::size_t>(known - lines.begin())] += ", " + preset;
      }
    }
  }
  if (lines.empty()) return {};
  std::string text = head({"Figure", "Devices", "Value", "From", "Clock", "In"});
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += lines[i].substr(0, lines[i].size() - 1) + " " + presets[i] + " |\n";
  return text;
}

std::string deviations_of(const Recipes& recipes) {
  std::vector<std::string> told;
  std::string text;
  for (const SourceRecipe& recipe : recipes) {
    for (const SourceDeviation& deviation : recipe.deviations) {
      const std::string line = row({deviation.what, deviation.note});
      if (std::find(told.begin(), told.end(), line) != told.end()) continue;
      told.push_back(line);
      text += line;
    }
  }
  return text.empty() ? text : head({"What no setting holds", "The note in the presets"}) + text;
}

}  // namespace

std::vector<Recipes> facts_by_experiment() {
  return {facts_of_e0(), facts_of_e1(), facts_of_e2(), facts_of_e3(), facts_of_e4()};
}

std::string source_page() {
  std::string page = kIntro;
  const auto experiments = facts_by_experiment();
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    page += std::string("\n## ") + kTitles.at(i) + "\n";
    page += settings_of(experiments[i]);
    page += figures_of(experiments[i]);
    page += deviations_of(experiments[i]);
  }
  return page;
}

}  // namespace ringside::testing
