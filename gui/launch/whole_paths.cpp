#include "gui/launch/whole_paths.h"

#include <string>
#include <utility>

#include "protocol/host/user_folders.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::launch {
namespace {

Result<void> make_whole(std::string& text, const std::string& key) {
  if (text.empty()) return {};
  if (text == "~" || text.starts_with("~/")) {
    const auto home = RINGSIDE_TRY(home_folder());
    text = home.string() + text.substr(1);
  }
  const auto whole = RINGSIDE_TRY(runlog::whole_path(text, key));
  text = (whole.has_filename() ? whole : whole.parent_path()).string();
  return {};
}

}  // namespace

Result<messages::RunSpec> with_whole_paths(messages::RunSpec spec) {
  std::string& resume = spec.checkpoint.resume;
  std::string none;
  const bool from_file = resume != "auto" && resume != "none";
  std::string& cwd = spec.program.cwd;
  const bool ours = spec.program.argv.empty();
  if (!ours && cwd.empty()) cwd = ".";
  for (const auto& [text, key] : {std::pair{&spec.data.root, "data.root"},
                                  {&spec.model.init_from, "model.init_from"},
                                  {from_file ? &resume : &none, "checkpoint.resume"},
                                  {ours ? &none : &cwd, "program.cwd"}}) {
    RINGSIDE_TRY(make_whole(*text, key));
  }
  return spec;
}

}  // namespace ringside::launch
