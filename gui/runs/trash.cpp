#include "gui/runs/trash.h"

#include <algorithm>
#include <system_error>

#include "gui/runs/catalogue.h"
#include "gui/runs/run_id.h"
#include "gui/runs/shown_state.h"

namespace ringside::runs {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& folder, const fs::path& parent) {
  std::error_code error;
  return fs::equivalent(folder.parent_path(), parent, error) && !error;
}

}  // namespace

fs::path trash_dir(const fs::path& runs_dir) { return runs_dir / ".trash"; }

Result<fs::path> move_to_trash(const fs::path& runs_dir, const runlog::RunFolder& folder) {
  const AgentPresence presence = agent_presence(folder);
  if (presence == AgentPresence::kAlive) {
    return bad_request("run " + folder.id() + " is still active: stop it before deleting it");
  }
  if (presence == AgentPresence::kElsewhere && !read_summary({folder}).state.ended) {
    return bad_request("run " + folder.id() + " may go on: its agent is on another machine. " +
                       if_it_is_gone(folder) + " before deleting it");
  }
  if (!lies_in(folder.path(), runs_dir)) {
    return bad_request(folder.path().string() +
                       " is outside the runs folder; delete it in a file manager");
  }
  std::error_code error;
  fs::create_directories(trash_dir(runs_dir), error);
  fs::permissions(trash_dir(runs_dir), fs::perms::owner_all, error);
  const fs::path target = trash_dir(runs_dir) / folder.id();
  if (fs::exists(target, error)) {
    return failure("the trash already holds " + target.string() +
                   "; remove it before deleting this run");
  }
  fs::rename(folder.path(), target, error);
  if (error) {
    return failure("run " + folder.id() + " cannot be moved to " + target.string() + ": " +
                   error.message());
  }
  return target;
}

Result<void> take_from_trash(const fs::path& runs_dir, const RunId& id) {
  const fs::path source = trash_dir(runs_dir) / id;
  std::error_code error;
  if (fs::exists(runs_dir / id, error)) {
    return failure("a run " + id + " exists again; the deleted one stays in " + source.string());
  }
  fs::rename(source, runs_dir / id, error);
  if (!error) return {};
  return failure("run " + id + " cannot be restored from " + source.string() + ": " +
                 error.message());
}

std::vector<RunId> trashed(const fs::path& runs_dir) {
  std::vector<RunId> ids;
  std::error_code error;
  const fs::path trash = trash_dir(runs_dir);
  if (!fs::exists(trash, error)) return ids;
  for (fs::directory_iterator it(trash, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (is_run_id(name) && holds_run(it->path())) ids.push_back(name);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace ringside::runs
