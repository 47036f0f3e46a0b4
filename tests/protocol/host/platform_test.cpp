#include "protocol/host/platform.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <fstream>

#include "protocol/host/descriptor.h"
#include "protocol/host/folder_watch.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside {
namespace {

bool inherited(int fd) { return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0; }
bool blocks(int fd) { return (::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0; }

TEST_CASE("Descriptors of the platform are not inherited by other programs") {
  std::array<int, 2> pipe{-1, -1};
  std::array<int, 2> pair{-1, -1};
  REQUIRE(open_pipe(pipe));
  REQUIRE(open_socket_pair(pair));
  const std::array<Descriptor, 7> all{
      Descriptor(pipe[0]),
      Descriptor(pipe[1]),
      Descriptor(pair[0]),
      Descriptor(pair[1]),
      Descriptor(open_socket(AF_INET, SOCK_STREAM)),
      Descriptor(open_unnamed_file()),
      Descriptor(open_folder("/")),
  };
  for (const Descriptor& one : all) {
    REQUIRE(one.get() >= 0);
    CHECK_FALSE(inherited(one.get()));
    CHECK(blocks(one.get()));
  }
  const Descriptor quick(open_socket(AF_UNIX, SOCK_STREAM, true));
  CHECK_FALSE(inherited(quick.get()));
  CHECK_FALSE(blocks(quick.get()));
}

TEST_CASE("The times of a file have nanoseconds and are told apart") {
  const TempFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path) << "text";
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const timespec times[2] = {{1'500'000'000, 25}, {1'600'000'000, 123'456'789}};
  REQUIRE(::futimens(file.get(), times) == 0);
  struct stat status {};
  REQUIRE(::fstat(file.get(), &status) == 0);
  CHECK(written_wall_ns(status) == 1'600'000'000'123'456'789);
  CHECK(wall_ns_of(times_of(status).read) == 1'500'000'000'000'000'025);
  CHECK(wall_ns_of(times_of(status).changed) > 1'700'000'000'000'000'000);
}

TEST_CASE("An open folder is found where it was moved to") {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "before");
  const Descriptor opened(open_folder(folder.path() / "before"));
  std::filesystem::rename(folder.path() / "before", folder.path() / "after");
  std::ofstream(path_of_folder(opened.get()) / "file") << "text";
  CHECK(std::filesystem::exists(folder.path() / "after" / "file"));
  CHECK(open_folder(folder.path() / "before") < 0);
}

TEST_CASE("Reserved space makes a file longer") {
  const Descriptor file(open_unnamed_file());
  REQUIRE(reserve_space(file.get(), 4096, 8192));
  struct stat status {};
  REQUIRE(::fstat(file.get(), &status) == 0);
  CHECK(status.st_size == 12'288);
}

TEST_CASE("A program knows its file and since when it runs") {
  CHECK(own_program().filename() == "test_protocol_host");
  CHECK(process_start_ticks(::getpid()) > 0);
  CHECK(process_start_ticks(::getpid()) == process_start_ticks(::getpid()));
  CHECK(process_start_ticks(0x3FFFFFFF) == 0);
}

TEST_CASE("A watched folder tells of a file that came") {
  const TempFolder folder;
  const Descriptor watch = watch_folder(folder.path());
  REQUIRE(watch.get() >= 0);
  CHECK_FALSE(take_told(watch.get()));
  std::ofstream(folder.path() / "file") << "text";
  wait_for_told(watch.get(), 10'000'000'000);
  CHECK(take_told(watch.get()));
  CHECK_FALSE(take_told(watch.get()));
}

}  // namespace
}  // namespace ringside
