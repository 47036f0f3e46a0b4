// `ringside data make NAME`: the trainer paints a generated data set.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "gui/app/cli_terminal.h"
#include "gui/app/commands.h"
#include "gui/launch/places.h"

namespace ringside::app {
namespace {

struct MakeOptions {
  std::string name;
  std::optional<std::int64_t> samples;
  std::optional<std::int64_t> test_samples;
  std::optional<std::int64_t> seed;
  std::string root;
};

int make(const MakeOptions& options) {
  const auto trainer = launch::find_program("ringside-trainer");
  if (!trainer) return report(trainer.error());
  std::vector<std::string> argv{trainer->string(), "--make-data", options.name};
  const auto add = [&](const char* flag, const std::optional<std::int64_t>& value) {
    if (!value) return;
    argv.emplace_back(flag);
    argv.push_back(std::to_string(*value));
  };
  add("--train-samples", options.samples);
  add("--test-samples", options.test_samples);
  add("--data-seed", options.seed);
  if (!options.root.empty()) argv.insert(argv.end(), {"--data-root", options.root});
  std::vector<char*> pointers;
  for (auto& argument : argv) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(pointers[0], pointers.data());
  return report({ErrorKind::kFailure, "cannot start " + argv[0] + ": " + std::strerror(errno)});
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto options = std::make_shared<MakeOptions>();
  auto* command = app.add_subcommand("data", "Data sets");
  command->require_subcommand(1);
  auto* make_command = command->add_subcommand(
      "make", "Paint a generated data set, the same bytes on every machine");
  make_command
      ->add_option("NAME", options->name,
                   "digits (28x28 grey, IDX files) or shapes (32x32 colour, CIFAR files)")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"digits", "shapes"}));
  make_command->add_option("--samples", options->samples, "Training images (default 6000)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  make_command->add_option("--test-samples", options->test_samples, "Test images (default 1000)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  make_command->add_option("--seed", options->seed, "Of the generator (default 0)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  make_command
      ->add_option("--root", options->root,
                   "Folder to make it in (default: the user's cache folder)")
      ->type_name("DIR");
  make_command->callback([options, &action] { action = [options] { return make(*options); }; });
}

}  // namespace ringside::app
