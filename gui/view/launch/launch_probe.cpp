#include "gui/view/launch/launch_probe.h"

#include "gui/view/launch/launch_parts.h"
#include "gui/view/probe_words.h"
#include "protocol/messages/model_catalog.h"

namespace ringside::view {

std::string probe_sentence(const messages::RunSpec& spec, const analysis::LinkProbe& probe,
                           std::int64_t now_wall_ns) {
  // The results come first, since a row shows only the beginning.
  std::string text = links_text(probe);
  const auto parameters = model_parameters(spec);
  if (parameters && spec.program.argv.empty())
    text += "; " + expected_text(probe, messages::gradient_bytes(*parameters));
  return text + "; " + ceiling_text(probe) + " (" + probe.step + "); probed " +
         probe_age_text(probe, now_wall_ns) + ", " + probed_text(probe);
}

CheckView probe_check(const messages::RunSpec& spec, const ProbeFacts& facts,
                      const std::string& advice) {
  CheckView check{CheckState::kPass, label::kLinksCheck,
                  "not probed yet: some seconds of all-reduce on the chosen devices", label::kPass};
  check.action = label::kProbe;
  if (facts.running) {
    check.state = CheckState::kRunning;
    check.detail = "some seconds of all-reduce, and of steps without it, on the chosen devices";
    check.word = label::kProbing;
    check.action = label::kCancelProbe;
    return check;
  }
  if (facts.newest != nullptr)
    check.detail = probe_sentence(spec, *facts.newest, facts.now_wall_ns);
  if (!facts.problem.empty()) {
    check.state = CheckState::kWarning;
    check.detail = facts.problem;
  } else if (facts.newest != nullptr && !advice.empty()) {
    check.state = CheckState::kWarning;
    check.hint = advice;
  }
  if (check.state == CheckState::kWarning) check.word = label::kWarning;
  return check;
}

}  // namespace ringside::view
