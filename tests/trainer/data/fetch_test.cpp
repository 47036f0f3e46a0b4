#include "trainer/data/fetch/fetch.h"

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/data/http_server.h"
#include "tests/trainer/data/tar_file.h"
#include "trainer/data/fetch/sha256.h"
#include "trainer/data/file_bytes.h"

using namespace ringside;
using namespace ringside::data;
using testing::HttpReply;
using testing::HttpRequest;
using testing::HttpServer;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Incompressible data, so that a cut is in the middle.
std::string noise(std::size_t size) {
  std::string text;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 1664525U + 1013904223U;
    text += static_cast<char>(state >> 24);
  }
  return text;
}

/// A published set with one archive, and a folder to download it to.
struct Rig {
  TempFolder folder;
  fs::path root = folder.path() / "root";
  std::string archive;  ///< its bytes
  DataSetDescriptor set;
  std::vector<std::string> notes;

  explicit Rig(const std::vector<testing::TarEntry>& entries = {
                   {"tiny-bin/a.bin", '0', noise(20'000)}, {"tiny-bin/b.bin", '0', "bbb"}}) {
    const fs::path path = folder.path() / "made.tar.gz";
    testing::write_tar_gz(path, entries);
    archive = text_of(path);
    set.name = "tiny";
    set.folder = "tiny-bin";
    set.files.push_back({"tiny.tar.gz",
                         archive.size(),
                         *sha256_of(path),
                         {{"tiny-bin/a.bin", 20'000}, {"tiny-bin/b.bin", 3}}});
  }

  fs::path workplace() const { return root / ".tiny.fetching"; }
  fs::path part() const { return workplace() / "tiny.tar.gz"; }
  FetchOptions options(std::vector<std::string> mirrors) {
    FetchOptions made;
    made.root = root;
    made.mirrors = std::move(mirrors);
    made.note = [this](const std::string& line) { notes.push_back(line); };
    return made;
  }
  Fetched fetched(std::vector<std::string> mirrors) {
    auto result = fetch(set, options(std::move(mirrors)));
    if (!result) FAIL(result.error().message);
    CHECK(text_of(root / "tiny-bin/b.bin") == "bbb");
    CHECK(fs::file_size(root / "tiny-bin/a.bin") == 20'000);
    CHECK_FALSE(fs::exists(workplace()));
    return *result;
  }
  std::string refusal(std::vector<std::string> mirrors) {
    const auto result = fetch(set, options(std::move(mirrors)));
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::kFailure);
    return result.error().message;
  }
  std::string failed(std::vector<std::string> mirrors) {
    const std::string message = refusal(std::move(mirrors));
    CHECK_FALSE(fs::exists(root / "tiny-bin"));
    return message;
  }
};

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a set is downloaded only once") {
  Rig rig;
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  std::uint64_t seen = 0;
  auto options = rig.options({server.url() + "{name}/v1"});
  options.progress = [&](const std::string& file, std::uint64_t done, std::uint64_t size) {
    CHECK(file == "tiny.tar.gz");
    CHECK(done > seen);
    CHECK(size == rig.archive.size());
    seen = done;
  };
  const auto first = fetch(rig.set, options);
  if (!first) FAIL(first.error().message);
  CHECK_FALSE(first->was_there);
  CHECK(first->downloaded_bytes == rig.archive.size());
  CHECK(first->folder == rig.root / "tiny-bin");
  CHECK(seen == rig.archive.size());
  REQUIRE(server.requests().size() == 1);
  CHECK(server.requests()[0].path == "/tiny/v1/tiny.tar.gz");
  CHECK_FALSE(fs::exists(rig.root / "tiny.tar.gz"));
  CHECK(rig.fetched({server.url()}).was_there);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a data set that changed since it was unpacked is reported, and nothing is downloaded") {
  Rig rig;
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  rig.fetched({server.url()});
  rig.folder.write("root/tiny-bin/b.bin", "bbc");
  has(rig.refusal({server.url()}), "b.bin has changed since it was unpacked");
  CHECK(server.requests().size() == 1);
}

TEST_CASE("only missing files are unpacked beside existing ones") {
  Rig rig;
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  rig.fetched({server.url()});
  fs::remove(rig.root / "tiny-bin/a.bin");
  rig.folder.write("root/tiny-bin/own.txt", "mine");
  CHECK_FALSE(rig.fetched({server.url()}).was_there);
  CHECK(text_of(rig.root / "tiny-bin/own.txt") == "mine");
}

TEST_CASE("S9: a user's own file with a name of the set is not changed") {
  Rig rig;
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  SECTION("of another size, so nothing is downloaded") {
    rig.folder.write("root/tiny-bin/a.bin", "my own");
    has(rig.refusal({server.url()}), "6 bytes, expected 20000");
    CHECK(text_of(rig.root / "tiny-bin/a.bin") == "my own");
    CHECK(server.requests().empty());
  }
  SECTION("of the same size") {
    rig.folder.write("root/tiny-bin/b.bin", "own");
    has(rig.refusal({server.url()}), "it is left as it is");
    CHECK(text_of(rig.root / "tiny-bin/b.bin") == "own");
  }
}

TEST_CASE("redirects are followed") {
  Rig rig;
  const HttpServer server([&](const HttpRequest& request) {
    if (request.path == "/new/place") return HttpReply{200, rig.archive};
    return HttpReply{302, "moved", HttpReply::kAll, "/new/place"};
  });
  rig.fetched({server.url()});
}

TEST_CASE("an endless redirect is given up") {
  Rig rig;
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{302, "", HttpReply::kAll, "/again"};
  });
  has(rig.failed({server.url()}), "redirects");
}

TEST_CASE("a redirect to a local file is not followed") {
  Rig rig;
  const fs::path path = rig.folder.path() / "made.tar.gz";
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{302, "", HttpReply::kAll, "file://" + path.string()};
  });
  rig.failed({server.url()});
}

TEST_CASE("an interrupted download resumes where it ended") {
  Rig rig;
  const HttpServer server([&](const HttpRequest& request) {
    return HttpReply{200, rig.archive, request.from == 0 ? 5000U : HttpReply::kAll};
  });
  CHECK(rig.fetched({server.url()}).downloaded_bytes == rig.archive.size());
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[1].from == 5000);
}

TEST_CASE("bytes from before the program ended are not downloaded again") {
  Rig rig;
  bool up = false;
  const HttpServer server([&](const HttpRequest& request) {
    if (up) return HttpReply{200, rig.archive};
    return HttpReply{200, rig.archive, request.from == 0 ? 5000U : 0U};
  });
  has(rig.failed({server.url()}), "--mirror");
  CHECK(fs::file_size(rig.part()) == 5000);
  up = true;
  CHECK(rig.fetched({server.url()}).downloaded_bytes == rig.archive.size() - 5000);
}

TEST_CASE("a server that cannot resume a download sends the whole file") {
  Rig rig;
  rig.folder.write("root/.tiny.fetching/tiny.tar.gz", rig.archive.substr(0, 4000));
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{200, rig.archive, HttpReply::kAll, "", /*ranges=*/false};
  });
  rig.fetched({server.url()});
}

TEST_CASE("a partial file that does not match is downloaded from the beginning") {
  Rig rig;
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  rig.folder.write("root/.tiny.fetching/tiny.tar.gz", std::string(3000, 'x'));
  rig.fetched({server.url()});
  CHECK(server.requests().size() == 2);
  fs::remove_all(rig.root);
  rig.folder.write("root/.tiny.fetching/tiny.tar.gz", std::string(rig.archive.size() + 9, 'x'));
  rig.fetched({server.url()});
}

TEST_CASE("a wrong checksum is reported, and the next mirror is tried") {
  Rig rig;
  std::string wrong = rig.archive;
  wrong[100] = static_cast<char>(wrong[100] ^ 1);
  const HttpServer bad([&](const HttpRequest&) { return HttpReply{200, wrong}; });
  const HttpServer good([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  const std::string message = rig.failed({bad.url()});
  has(message, "wrong SHA-256: expected " + rig.set.files[0].sha256 + ", found ");
  has(message, bad.url() + "tiny.tar.gz");
  CHECK_FALSE(fs::exists(rig.part()));
  CHECK(rig.notes.empty());  // reported once
  rig.fetched({bad.url(), good.url()});
  REQUIRE_FALSE(rig.notes.empty());
  has(rig.notes.front(), "trying the next mirror");
}

TEST_CASE("a response longer than the published file is refused during the download") {
  Rig rig;
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{200, std::string(1'000'000, 'x')};
  });
  has(rig.failed({server.url()}), "longer than the " + std::to_string(rig.archive.size()));
  CHECK(fs::file_size(rig.part()) <= rig.archive.size());
}

TEST_CASE("a mirror without the file, or without a server, is skipped") {
  Rig rig;
  const HttpServer empty([&](const HttpRequest&) { return HttpReply{404, "<html>no</html>"}; });
  const HttpServer good([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  std::string gone;
  {
    const HttpServer closed([](const HttpRequest&) { return HttpReply{}; });
    gone = closed.url();
  }
  const std::string message = rig.failed({empty.url(), gone});
  has(message, "404");
  has(message, gone);
  rig.fetched({empty.url(), gone, good.url()});
}

TEST_CASE("an archive placed by hand is used and kept") {
  Rig rig;
  rig.folder.write("root/tiny.tar.gz", rig.archive);
  const HttpServer server([&](const HttpRequest&) { return HttpReply{404, ""}; });
  CHECK(rig.fetched({server.url()}).downloaded_bytes == 0);
  CHECK(server.requests().empty());
  CHECK(fs::exists(rig.root / "tiny.tar.gz"));
}

TEST_CASE(
    "S9: an archive that differs from the published one is kept, whether or not another is "
    "available") {
  Rig rig;
  rig.folder.write("root/tiny.tar.gz", "my own");
  rig.folder.write("root/tiny.tar.gz.part", "of my browser");
  const HttpServer none([&](const HttpRequest&) { return HttpReply{404, ""}; });
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  rig.failed({none.url()});
  CHECK(text_of(rig.root / "tiny.tar.gz") == "my own");
  rig.fetched({server.url()});
  CHECK(text_of(rig.root / "tiny.tar.gz") == "my own");
  CHECK(text_of(rig.root / "tiny.tar.gz.part") == "of my browser");
  REQUIRE_FALSE(rig.notes.empty());
  has(rig.notes.front(), "wrong SHA-256");
}

TEST_CASE("S9: an archive with the right checksum and a link in it is refused") {
  Rig rig({{"tiny-bin/a.bin", '2', "", "/etc/passwd"}});
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, rig.archive}; });
  has(rig.failed({server.url()}), "is a link");
  CHECK_FALSE(fs::exists(rig.workplace() / "unpacked"));
}

TEST_CASE("a mirror may be a local folder") {
  Rig rig;
  rig.folder.write("shelf/tiny.tar.gz", rig.archive);
  rig.fetched({"file://" + (rig.folder.path() / "shelf").string()});
}

TEST_CASE("an invalid mirror address is a bad request") {
  Rig rig;
  for (const char* mirror : {"ftp://example.org/", "example.org", "/srv/data", ""}) {
    const auto result = fetch(rig.set, rig.options({mirror}));
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::kRequest);
  }
}

TEST_CASE("a single gzipped file is unpacked in its place") {
  Rig rig;
  const std::string text = noise(3000);
  const fs::path packed = rig.folder.path() / "one.gz";
  gzFile file = gzopen(packed.c_str(), "wb");
  REQUIRE(file != nullptr);
  CHECK(gzwrite(file, text.data(), 3000) == 3000);
  CHECK(gzclose(file) == Z_OK);
  rig.set.folder = "One/raw";
  rig.set.files = {
      {"One/raw/one.gz", fs::file_size(packed), *sha256_of(packed), {{"One/raw/one", 3000}}}};
  const std::string bytes = text_of(packed);
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, bytes}; });
  const auto result = fetch(rig.set, rig.options({server.url()}));
  if (!result) FAIL(result.error().message);
  CHECK(text_of(rig.root / "One/raw/one") == text);
  CHECK_FALSE(fs::exists(rig.root / "One/raw/one.gz"));

  // The trainer also reads a compressed file, so a different one with this name may be in use.
  fs::remove(rig.root / "One/raw/one");
  rig.folder.write("root/One/raw/one.gz", "my own");
  has(rig.refusal({server.url()}), "wrong SHA-256");
  CHECK(text_of(rig.root / "One/raw/one.gz") == "my own");
  fs::remove(rig.root / "One/raw/one.gz");
  rig.set.files[0].members[0].size_bytes = 3001;
  CHECK_FALSE(fetch(rig.set, rig.options({server.url()})));
}
