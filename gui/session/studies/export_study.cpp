#include "gui/session/studies/export_study.h"

#include "gui/session/studies/study_reader.h"
#include "gui/view/report/scaling_files.h"
#include "protocol/host/files.h"

namespace ringside::session {

namespace fs = std::filesystem;

Result<ReportFile> export_study(const fs::path& runs_dir, const std::string& name,
                                view::StudyFileKind kind, view::ScalingMetric metric,
                                const fs::path& to, bool replace, const runlog::ReadWatch& watch) {
  if (kind == view::StudyFileKind::kPng)
    return bad_request("a PNG is a picture of the window; choose svg, html, md or csv");
  RINGSIDE_TRY(make_way(to, replace));
  const auto study = RINGSIDE_TRY(runs::read_study(runs_dir, name));
  const view::StudyFacts facts = StudyReader(runs_dir).read(study, watch);
  if (watch && !watch(1, 1)) return failure("the report was cancelled");
  const std::string text = view::study_file(facts, kind, metric, written_text());
  RINGSIDE_TRY(write_text_atomically(to, text));
  return ReportFile{to, text.size()};
}

Result<std::vector<ReportFile>> export_study_files(const fs::path& runs_dir,
                                                   const std::string& name, const fs::path& to,
                                                   bool replace, const runlog::ReadWatch& watch) {
  const auto study = RINGSIDE_TRY(runs::read_study(runs_dir, name));
  const view::StudyFacts facts = StudyReader(runs_dir).read(study, watch);
  if (watch && !watch(1, 1)) return failure("the export was cancelled");
  std::vector<ReportFile> files;
  for (const view::StudyFile& file : view::study_files(facts, written_text())) {
    const fs::path path = to / (study.head.study + file.suffix);
    RINGSIDE_TRY(make_way(path, replace));
    RINGSIDE_TRY(write_text_atomically(path, file.text));
    files.push_back({path, file.text.size()});
  }
  return files;
}

}  // namespace ringside::session
