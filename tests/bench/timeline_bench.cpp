// Measures a trace of ten million events, in the format of PyTorch's profiler, from 8 ranks with 5
// threads and streams each: the time until it is on the screen, the memory, and the frames while
// the view zooms and pans, drawn by the display's OpenGL (software under Xvfb). An argument sets
// another number of events. Prints one line of JSON; needs a display.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "gui/session/trace/timeline_sources.h"
#include "gui/ui/window/screen.h"
#include "gui/window/window.h"
#include "tests/bench/bench_window.h"

namespace ringside::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRanks = 8;
constexpr int kThreads = 4;

/// Appends one operator call, the two calls inside it, and the kernel that they start: four events.
void append_call(std::string& text, int rank, int thread, std::int64_t call) {
  const double at = static_cast<double>(call) * 40.0 + 7.0 * thread;
  constexpr const char* kOps[] = {"aten::linear", "aten::conv2d", "aten::batch_norm",
                                  "aten::relu_"};
  const auto event = [&](const char* kind, const std::string& name, int process, int tid,
                         double begin, double took) {
    fmt::format_to(
        std::back_inserter(text),
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
        R"("args":{{"External id":{},"Record function id":0,"Ev Idx":{}}}}},)"
        "\n",
        kind, name, process, tid, begin, took, call, call);
  };
  const int process = 4700 + rank;
  event("cpu_op", kOps[call % 4], process, process + thread, at, 30.5);
  event("cpu_op", "aten::addmm", process, process + thread, at + 4.25, 18.125);
  event("cpu_op", "aten::t", process, process + thread, at + 24, 3);
  event("kernel", fmt::format("sm90_xmma_gemm_bf16bf16_f32_tn_n_tilesize{}x128", 64 << (call % 3)),
        0, 7 + thread, at + 12, 20.0 + static_cast<double>(call % 13));
}

/// Writes one file per rank, as their profilers do.
std::vector<fs::path> write_traces(const fs::path& folder, std::int64_t events) {
  std::vector<fs::path> files;
  const std::int64_t calls = events / (4 * kRanks * kThreads);
  for (int rank = 0; rank < kRanks; ++rank) {
    files.push_back(folder / fmt::format("rank_{}.json", rank));
    std::ofstream file(files.back());
    file << R"({"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":)" << rank
         << R"(,"world_size":8},"baseTimeNanoseconds":1700000000000000000,"traceEvents":[)";
    std::string text;
    for (std::int64_t call = 0; call < calls; ++call) {
      for (int thread = 0; thread < kThreads; ++thread) append_call(text, rank, thread, call);
      if (text.size() < 1'000'000 && call + 1 < calls) continue;
      file << text;
      text.clear();
    }
    file << "{}]}";
  }
  return files;
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  long all = 0, resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) * 1e-6;
}

class TimelineFrames {
 public:
  TimelineFrames(window::Window& window, const session::ReadTimeline& read) : window_(window) {
    input_.page = view::Page::kTimeline;
    input_.timeline.timeline = read.timeline.get();
    input_.timeline.operations = read.operations.get();
    input_.timeline.sources = {"bench"};
    frame();
  }
  FrameTime frame() { return screen_frame(window_, input_, memory_); }
  view::TimelineChoice& choice() { return memory_.timeline.choice; }

 private:
  window::Window& window_;
  view::ScreenInput input_;
  ui::ScreenMemory memory_;
};

/// Zooms in step by step from the whole trace to a few events, and pans at each zoom level.
std::string frames(window::Window& window, const session::ReadTimeline& read) {
  TimelineFrames shown(window, read);
  const model::Timeline& timeline = *read.timeline;
  std::vector<double> cpu, wall;
  const auto measure = [&] {
    const FrameTime one = shown.frame();
    cpu.push_back(one.cpu);
    wall.push_back(one.wall);
  };
  const FrameTime whole = median_frame(9, [&] {
    view::zoom(timeline, 0.999, 0.5, shown.choice());
    return shown.frame();
  });
  shown.choice() = {};
  for (int i = 0; i < 60; ++i) {
    view::zoom(timeline, 1 / 1.25, 0.4, shown.choice());
    measure();
    view::move_by(timeline, 0.013, shown.choice());
    measure();
  }
  const auto worst = [](const std::vector<double>& of) { return *std::ranges::max_element(of); };
  return "," + field("whole_frame_cpu_ms", whole.cpu) + "," + field("whole_frame_ms", whole.wall) +
         "," + field("frame_cpu_ms", median(cpu)) + "," + field("frame_ms", median(wall)) + "," +
         field("worst_frame_cpu_ms", worst(cpu)) + "," + field("worst_frame_ms", worst(wall));
}

/// Measures the part of a frame without drawing: building the view.
std::string views(const model::Timeline& timeline) {
  const view::TimelineRoom room{1700, 640, 17, 6, 0};
  std::vector<double> took;
  view::TimelineChoice choice;
  for (int i = 0; i < 60; ++i) {
    const double before = cpu_seconds();
    (void)view::build_timeline_view(timeline, choice, nullptr, room);
    took.push_back((cpu_seconds() - before) * 1e3);
    view::zoom(timeline, 1 / 1.25, 0.4, choice);
  }
  return "," + field("view_cpu_ms", median(took)) + "," +
         field("worst_view_cpu_ms", *std::ranges::max_element(took));
}

int run(std::int64_t events, const fs::path& kept) {
  const fs::path folder =
      !kept.empty() ? kept
                    : fs::temp_directory_path() / fmt::format("timeline_bench_{}", ::getpid());
  fs::create_directories(folder);
  const auto files = write_traces(folder, events);
  double bytes = 0;
  for (const fs::path& file : files) bytes += static_cast<double>(fs::file_size(file));
  const double before_mb = resident_mb();
  const std::int64_t begun_ns = mono_now_ns();
  const double begun_cpu = cpu_seconds();
  session::TraceProgress progress;
  const auto read = session::read_timeline(session::source_of(files), progress);
  const double open_s = seconds_since(begun_ns), open_cpu_s = cpu_seconds() - begun_cpu;
  if (kept.empty()) fs::remove_all(folder);
  if (!read) {
    std::fprintf(stderr, "%s\n", read.error().message.c_str());
    return 2;
  }
  const auto window = open_bench_window();
  if (!window) return 2;
  std::string line =
      "{\"bench\":\"timeline\"," + field("events", static_cast<double>(read->timeline->events)) +
      "," + field("trace_mb", bytes * 1e-6) + "," + field("open_s", open_s) + "," +
      field("open_cpu_s", open_cpu_s) + "," + field("resident_mb", resident_mb() - before_mb);
  line += views(*read->timeline) + frames(*window, *read);
  std::printf("%s}\n", line.c_str());
  return 0;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  return ringside::bench::run(argc > 1 ? ringside::bench::number(argv[1]) : 10'000'000,
                              argc > 2 ? argv[2] : "");
}
