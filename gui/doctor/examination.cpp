#include "gui/doctor/examination.h"

#include <utility>

#include "gui/launch/paths.h"
#include "gui/runs/find_run.h"
#include "protocol/host/user_folders.h"

namespace ringside::doctor {

Examination examine_machine(const std::filesystem::path& runs_dir,
                            const launch::Cancelled& cancelled) {
  Examination found{launch::read_machine(cancelled),
                    launch::ask_programs(cancelled),
                    launch::ask_python(cancelled),
                    {},
                    runs_dir,
                    launch::assets_folder(),
                    default_data_folder()};
  launch::HostActivity around =
      launch::inspect_host(found.machine ? *found.machine : launch::Machine());
  around.programs = found.programs;
  found.checks = launch::preflight({}, around, runs_dir);
  for (launch::Check& check : found.checks)
    check.detail = runs::name_runs(std::move(check.detail), runs_dir);
  return found;
}

}  // namespace ringside::doctor
