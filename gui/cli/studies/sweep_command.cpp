// Declares the options of `ringside sweep`.
#include <memory>

#include "gui/cli/machines/on_machine.h"
#include "gui/cli/studies/sweep.h"

namespace ringside::cli {

void add_sweep(Command& app) {
  auto options = std::make_shared<StudyOptions>();
  Command command = app.add_command(
      "sweep",
      "Measure a recipe on several numbers of devices, or with several values of its settings, "
      "as a study.\n"
      "A command behind -- is a recipe, too: ringside sweep --world 1,2 -- python train.py");
  command.add_option("PRESET|FILE.toml|STUDY", options->what,
                     "A preset, a settings file, a ready-made study (e0_bonus, e2_table, "
                     "e3_figures, e4_figure), or a study to which settings are added (S-07)");
  add_script_options(command, options->script);
  command.add_option("--world N,N,...", options->world,
                     "Numbers of devices, e.g. 1,2,4,8; 1 is the baseline; 2x4: two nodes of four");
  command
      .add_option("--repeats N", options->repeats,
                  "Runs of each setting (default: 3; 1 where settings have several values)")
      .range(1, 100);
  command.add_flag("--weak", options->weak, "Keep the batch per device");
  command.add_flag("--strong", options->strong, "Keep the global batch");
  command.add_flag("--both", options->both,
                   "Measure both; default: as the recipe's batch is meant");
  command.add_option(
      "--variants WORD,...", options->variants,
      "The largest of them also with dp, fp32, tf32, bf16 or fp16; dp@4: on 4 devices");
  command
      .add_option("--set KEY=VALUE,...", options->sets,
                  "Change a setting of the recipe, e.g. --set train.epochs=5 (repeatable); of "
                  "several values all combinations are trained: --set optimizer.lr=0.01,0.03; of a "
                  "command they replace {KEY} in its arguments")
      .repeatable();
  command
      .add_option("--random N", options->random,
                  "So many of the combinations, drawn by chance and none twice")
      .range(2, 200);
  command.add_option(
      "--ask optuna", options->ask,
      "Let this library of your Python propose the settings, one run after the other: "
      "--set optimizer.lr=0.001..0.1:log --set batch.size=32,64");
  command.add_option("--trials N", options->trials, "With --ask: combinations in all (default: 20)")
      .range(1, 200);
  command.add_option(
      "--best METRIC", options->best,
      "With --ask: what it is to improve, val_accuracy, val_loss, train_loss or another "
      "metric of the table (default: the first of these that is known)");
  command
      .add_option("--seed N", options->seed,
                  "Another draw of --random, or of the library (default: 0)")
      .range(0, 1'000'000'000);
  command.add_flag(
      "--quick", options->quick,
      "The recipe's small scale: CPU ranks and generated data, fitted to this machine");
  command.add_flag("--virtual-nodes", options->virtual_nodes,
                   "Put all nodes of a run on this host: a rehearsal without a network");
  command.add_option("--name TEXT", options->name, "Name to show");
  command.add_flag("--fresh", options->fresh, "Train every run: do not reuse equal earlier runs");
  command.add_flag("--detach", options->detach, "Return at once; the runs go on in the background");
  command
      .add_option("--export DIR", options->files,
                  "Write the study into this folder when it has ended: HTML, Markdown, tables as "
                  "CSV, charts as SVG; files of its name there are replaced")
      .excludes(command.option("--detach"));
  command.add_flag("--dry-run", options->dry_run,
                   "Print the settings of every run, and with --slurm the jobs or steps; start "
                   "nothing");
  add_place_options(command, options->place);
  add_json(command, *options, "Last line on standard output is one JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "Runs go one after the other, repeat by repeat, the baseline first; they need no viewer.\n"
      "`ringside resume STUDY` goes on after a stop or a restart of the machine, `ringside show "
      "STUDY` prints the table,\n`ringside report STUDY --html FILE` writes it.");
  add_on(command, *options, "On another machine: its presets and studies")
      .excludes(command.option("--export"));
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (options->on.empty()) return sweep(*options);
    return run_remotely(*options, typed, CommandKind::kStay,
                        options->script.command.empty() ? options->what : "");
  });
}

}  // namespace ringside::cli
