#include "gui/session/path_chooser.h"

#include <cstddef>
#include <system_error>
#include <utility>

#include "gui/session/folder_listing.h"
#include "protocol/host/user_folders.h"

namespace ringside::session {
namespace {

constexpr std::size_t kMostRecent = 8;

std::string with_slash(std::string folder) {
  if (!folder.ends_with('/')) folder += '/';
  return folder;
}

std::string job_name(const std::string& folder, bool make) {
  return "list " + folder + (make ? " (new)" : "");
}

}  // namespace

PathChooser::PathChooser(const std::filesystem::path& runs_dir, Jobs& jobs) : jobs_(jobs) {
  std::error_code ignored;
  const std::string here = with_slash(std::filesystem::current_path(ignored).string());
  const std::string runs = with_slash(std::filesystem::absolute(runs_dir, ignored).string());
  recent_ = {runs, here};
  last_.fill(here);
  last_[static_cast<std::size_t>(view::ChooserUse::kOpen)] = runs;
  state_.folder = here;
  if (const auto home = home_folder()) state_.home = with_slash(home->string());
}

void PathChooser::ask(view::ChooserUse use, const std::string& begin, Chosen chosen) {
  state_.open = true;
  state_.use = use;
  state_.begin = begin.empty() ? last_[static_cast<std::size_t>(use)] : begin;
  ++state_.times;
  chosen_ = std::move(chosen);
  state_.begin = view::whole_path(state_, state_.begin);
  list(view::folder_to_list(state_, state_.begin));
}

void PathChooser::list(const std::string& folder, bool make) {
  // The folder that is just being made is listed when it is there.
  if (!make && folder == state_.folder && jobs_.running(job_name(folder, true))) return;
  state_.folder = folder;
  ++state_.revision;
  listing_.reset();
  // A folder whose disk does not answer delays no other one.
  jobs_.start(
      job_name(folder, make),
      [this, folder, make]() -> Jobs::Completion {
        return [this, folder, listing = list_folder(folder, make)]() mutable {
          if (folder != state_.folder) return;
          listing_ = std::move(listing);
          ++state_.revision;
        };
      },
      JobKind::kReads);
}

void PathChooser::choose(const std::string& path) {
  if (!std::exchange(state_.open, false) || path.empty()) return;
  last_[static_cast<std::size_t>(state_.use)] = path;
  std::string folder = view::folder_above(path);
  std::erase(recent_, folder);
  recent_.insert(recent_.begin(), std::move(folder));
  if (recent_.size() > kMostRecent) recent_.pop_back();
  chosen_(path);
}

void PathChooser::fill(view::ChooserInput& input) const {
  input = state_;
  input.listing = listing_ ? &*listing_ : nullptr;
  input.recent = recent_;
}

}  // namespace ringside::session
