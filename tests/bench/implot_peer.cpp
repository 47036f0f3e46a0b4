// The peer of frame_bench: the same values in ImPlot, set up as its authors advise for that many
// points, with 32-bit indices, for which this program compiles its own Dear ImGui and ImPlot. A
// separate window; everything is redrawn in every frame up to the finished pixels. Prints one line
// of JSON; needs a display.
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include <cstdio>

#include <string>
#include <vector>

#include "tests/bench/frame_values.h"

static_assert(sizeof(ImDrawIdx) == 4);

namespace ringside::bench {
namespace {

void draw(const FrameCase& entry, const std::vector<std::vector<float>>& series) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(kFrameWidth, kFrameHeight));
  ImGui::Begin("bench", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
  // A plot with a new name fits its axes to its values in its first frame.
  if (ImPlot::BeginPlot(entry.name, ImVec2(kFrameWidth, kFrameHeight))) {
    for (std::size_t s = 0; s < series.size(); ++s) {
      const std::string label = "s" + std::to_string(s);
      ImPlot::PlotLine(label.c_str(), series[s].data(), static_cast<int>(series[s].size()));
    }
    ImPlot::EndPlot();
  }
  ImGui::End();
}

FrameTime frame(GLFWwindow* window, const FrameCase& entry,
                const std::vector<std::vector<float>>& series) {
  const FrameWatch watch;
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  draw(entry, series);
  ImGui::Render();
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window);
  glFinish();
  return watch.taken();
}

int run() {
  if (glfwInit() == GLFW_FALSE) return 2;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  GLFWwindow* const window = glfwCreateWindow(
      static_cast<int>(kFrameWidth), static_cast<int>(kFrameHeight), "peer", nullptr, nullptr);
  if (window == nullptr) return 2;
  glfwMakeContextCurrent(window);
  glfwSwapInterval(0);
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  std::string line = "{\"bench\":\"implot\"";
  for (const FrameCase& entry : kFrameCases) {
    const auto series = frame_values(entry);
    const FrameTime time =
        median_frame(entry.peer_rounds, [&] { return frame(window, entry, series); });
    line += fields_of(entry, time);
  }
  std::printf("%s}\n", line.c_str());
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
  glfwDestroyWindow(window);
  glfwTerminate();
  return 0;
}

}  // namespace
}  // namespace ringside::bench

int main() { return ringside::bench::run(); }
