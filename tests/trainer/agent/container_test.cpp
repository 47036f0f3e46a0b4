#include "trainer/agent/processes/container.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::agent;

namespace {

using Words = std::vector<std::string>;

ContainerNeeds needs_of_rank() {
  ContainerNeeds needs;
  needs.variables = {"RANK=1", "PYTHONPATH=/lib/python", "HF_TOKEN=secret"};
  needs.run = "/runs/a";
  needs.client = {"/lib/libringside_rank.so", "/lib/python"};
  needs.meets_others = true;
  needs.folder = "/runs/a/attempt_0/rank_1";
  return needs;
}

}  // namespace

TEST_CASE(
    "docker run gets the run folder, the library, the names of variables and the host's network") {
  const auto made = in_container({"/usr/bin/docker", "run", "--rm", "image", "python", "train.py"},
                                 needs_of_rank(), {});
  const Words expected = {"/usr/bin/docker",
                          "run",
                          "--volume",
                          "/runs/a:/runs/a",
                          "--volume",
                          "/lib/libringside_rank.so:/lib/libringside_rank.so:ro",
                          "--volume",
                          "/lib/python:/lib/python:ro",
                          "--cidfile",
                          "/runs/a/attempt_0/rank_1/container.docker",
                          "--init",
                          "--network",
                          "host",
                          "--env",
                          "RANK",
                          "--env",
                          "PYTHONPATH=/lib/python",
                          "--env",
                          "HF_TOKEN",
                          "--rm",
                          "image",
                          "python",
                          "train.py"};
  CHECK(made.argv == expected);
  CHECK(made.variables.empty());
  CHECK(made.added.find("secret") == std::string::npos);
  CHECK(made.added.find("--volume /runs/a:/runs/a") != std::string::npos);
}

TEST_CASE(
    "a network chosen by the user is kept, and network options of the program in the container do "
    "not count") {
  const auto host = [](Words argv) {
    const auto made = in_container(std::move(argv), needs_of_rank(), {}).argv;
    return std::count(made.begin(), made.end(), "host") == 1;
  };
  CHECK_FALSE(host({"docker", "run", "--network", "mine", "image"}));
  CHECK_FALSE(host({"docker", "run", "--rm", "--net=mine", "image"}));
  CHECK(host({"docker", "run", "--gpus", "all", "image", "python", "train.py", "--net", "resnet"}));
  ContainerNeeds alone = needs_of_rank();
  alone.meets_others = false;
  const auto made = in_container({"docker", "run", "image"}, alone, {}).argv;
  CHECK(std::count(made.begin(), made.end(), "--network") == 0);
}

TEST_CASE("podman leaves no container id, since its container is a child process of the command") {
  const auto made = in_container({"podman", "container", "run", "image"}, needs_of_rank(), {}).argv;
  REQUIRE(made.size() > 3);
  CHECK(made[3] == "--volume");
  CHECK(std::count(made.begin(), made.end(), "--cidfile") == 0);
  CHECK(made.back() == "image");
}

TEST_CASE("Apptainer is configured by its own variables, in addition to the user's binds") {
  const auto made =
      in_container({"apptainer", "--quiet", "exec", "--nv", "image.sif", "python"}, needs_of_rank(),
                   {"APPTAINER_BIND=/data", "SINGULARITY_BIND=/other"});
  CHECK(made.argv == Words{"apptainer", "--quiet", "exec", "--nv", "image.sif", "python"});
  const auto has = [&made](const std::string& name, const std::string& value) {
    return std::find(made.variables.begin(), made.variables.end(), std::pair(name, value)) !=
           made.variables.end();
  };
  CHECK(has("APPTAINER_BIND",
            "/data,/runs/a:/runs/a,/lib/libringside_rank.so:/lib/libringside_rank.so:ro,/lib/"
            "python:/lib/python:ro"));
  CHECK(has("APPTAINERENV_RANK", "1"));
  CHECK(has("APPTAINERENV_HF_TOKEN", "secret"));
  CHECK(made.added.find("secret") == std::string::npos);
}

TEST_CASE("enroot gets mounts in its own format") {
  const auto made = in_container({"enroot", "start", "image"}, needs_of_rank(), {}).argv;
  CHECK(Words(made.begin(), made.begin() + 4) ==
        Words{"enroot", "start", "--mount", "/runs/a:/runs/a"});
  CHECK(std::count(made.begin(), made.end(), "--network") == 0);
}

TEST_CASE("other commands are unchanged") {
  for (const Words& argv :
       {Words{"python3", "train.py", "run"}, Words{"docker"},
        Words{"docker", "exec", "name", "python"}, Words{"docker", "compose", "run", "app"},
        Words{"apptainer", "pull", "image"}}) {
    const auto made = in_container(argv, needs_of_rank(), {});
    CHECK(made.argv == argv);
    CHECK(made.variables.empty());
    CHECK(made.added.empty());
  }
}

TEST_CASE("a container that outlives its command is ended by its id, and only if the id is valid") {
  const TempFolder folder;
  const auto killed = folder.path() / "killed";
  folder.write("docker", "#!/bin/sh\necho \"$@\" >> '" + killed.string() + "'\n");
  ::chmod((folder.path() / "docker").c_str(), 0755);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  const auto rank = folder.path() / "attempt_0" / "rank_0";
  std::filesystem::create_directories(rank);
  folder.write("attempt_0/rank_0/container.docker", "0123abc");
  end_containers(folder.path());
  CHECK(read_text(killed, 100).value_or("") == "kill 0123abc\n");
  CHECK_FALSE(std::filesystem::exists(rank / "container.docker"));
  folder.write("attempt_0/rank_0/container.docker", "--all x");
  end_containers(std::vector{rank});
  ::setenv("PATH", path.c_str(), 1);
  CHECK(read_text(killed, 100).value_or("") == "kill 0123abc\n");
}
