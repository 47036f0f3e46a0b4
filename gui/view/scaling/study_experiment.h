// The published figures of a study's presets beside the study's own. Pure.
#pragma once

#include "gui/analysis/scaling/scaling.h"
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/scaling/study_facts.h"

namespace ringside::view {

ExperimentView build_experiment_view(const StudyFacts& facts, const analysis::Scaling& scaling);
bool has_source(const StudyFacts& facts);

}  // namespace ringside::view
