// ringside-data: generates and downloads data sets; `ringside data` passes its arguments on to it.
// It is a separate program, so that neither a rank nor the window loads the download libraries.
// program of its own, so that neither a rank nor the window loads what a download needs.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "protocol/base/clock.h"
#include "protocol/base/exit_code.h"
#include "protocol/host/process_setup.h"
#include "protocol/messages/data_catalog.h"
#include "trainer/data/fetch/fetch.h"
#include "trainer/data/fetch/fetch_progress.h"
#include "trainer/data/generated.h"

namespace {

using namespace ringside;

struct Request {
  data::GeneratedSpec make;
  std::string get;
  std::string root;
  std::vector<std::string> mirrors;
  bool json = false;
};

int complain(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return exit_code(error);
}

/// "digits or shapes", for the help text.
std::string names_of(messages::DataSource source) {
  std::string text;
  const auto names = messages::data_set_names(source);
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

/// Called last: `code`, or 1 with an error message if the output could not be written completely.
int end_of_output(int code) {
  const bool printed = static_cast<bool>(std::cout.flush());
  const bool arrived = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (printed && arrived) return code;
  std::fprintf(stderr,
               "ringside data: cannot write to standard output: %s; the output is not "
               "complete\n",
               std::strerror(errno == 0 ? EIO : errno));
  return code == 0 ? 1 : code;
}

int make(const Request& request) {
  const auto folder = data::ensure_generated(request.make, request.root);
  if (!folder) return complain(folder.error());
  std::printf("%s\n", folder->string().c_str());
  return 0;
}

void report(const Request& request, const data::Fetched& fetched, double seconds) {
  if (request.json) {
    const nlohmann::json object{{"name", request.get},
                                {"state", fetched.was_there ? "present" : "fetched"},
                                {"root", fetched.root.string()},
                                {"folder", fetched.folder.string()},
                                {"downloaded_bytes", fetched.downloaded_bytes},
                                {"seconds", seconds}};
    std::printf("%s\n",
                object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  if (fetched.was_there) std::fprintf(stderr, "%s is already there\n", request.get.c_str());
  std::printf("%s\n", fetched.folder.string().c_str());
}

int get(const Request& request) {
  const auto set = data::find_published(request.get);
  if (!set) return complain(set.error());
  data::FetchProgress progress(::isatty(STDERR_FILENO) == 1);
  data::FetchOptions options;
  options.root = request.root;
  options.mirrors = request.mirrors.empty() ? data::mirrors_of_environment() : request.mirrors;
  options.note = [&](const std::string& line) { progress.note(line); };
  options.progress = [&](const std::string& file, std::uint64_t done, std::uint64_t size) {
    progress.update(file, done, size, mono_now_ns());
  };
  const std::int64_t begin_ns = mono_now_ns();
  const auto fetched = data::fetch(*set, options);
  progress.finish();
  if (!fetched) return complain(fetched.error());
  report(request, *fetched, static_cast<double>(mono_now_ns() - begin_ns) * 1e-9);
  return 0;
}

void add_make(CLI::App& app, Request& request) {
  auto* command =
      app.add_subcommand("make", "Generate a data set, the same bytes on every machine");
  command->add_option("NAME", request.make.name, names_of(messages::DataSource::kGenerated))
      ->required()
      ->type_name("");
  command->add_option("--samples", request.make.train_samples, "Training images (default 6000)")
      ->type_name("N");
  command->add_option("--test-samples", request.make.test_samples, "Test images (default 1000)")
      ->type_name("N");
  command->add_option("--seed", request.make.seed, "Of the generator (default 0)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{9'007'199'254'740'992}));
  command
      ->add_option("--root", request.root,
                   "Folder to make it in (default: the user's cache folder)")
      ->type_name("DIR");
}

void add_get(CLI::App& app, Request& request) {
  auto* command = app.add_subcommand(
      "get", "Fetch a published data set, check its SHA-256 and unpack it in torchvision's layout");
  command->add_option("NAME", request.get, names_of(messages::DataSource::kPublished))
      ->required()
      ->type_name("");
  command
      ->add_option("--root", request.root, "Folder to put it in (default: the user's cache folder)")
      ->type_name("DIR");
  command
      ->add_option("--mirror", request.mirrors,
                   "Address of a folder with the published files, tried in this order in place of "
                   "the set's own; {name} becomes NAME (default: RINGSIDE_DATA_MIRRORS, "
                   "space-separated addresses)")
      ->type_name("URL")
      ->expected(1)
      ->take_all();
  command->add_flag("--json", request.json, "One object on standard output");
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  Request request;
  CLI::App app{"Data sets", "ringside data"};
  app.set_version_flag("--version", "ringside-data " RINGSIDE_VERSION);
  app.require_subcommand(1);
  add_make(app, request);
  add_get(app, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return end_of_output(app.exit(error) == 0 ? 0 : 2);
  }
  return end_of_output(app.got_subcommand("get") ? get(request) : make(request));
}
