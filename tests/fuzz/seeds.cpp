// Writes the initial inputs of every fuzz target: fuzz_seeds FOLDER writes
// FOLDER/<target>/<number>.
#include <cstdio>
#include <fstream>

#include "protocol/messages/spec/run_spec.h"
#include "protocol/wire/frame.h"
#include "tests/gui/watch/foreign_files.h"
#include "tests/protocol/runlog/log_of_records.h"
#include "tests/trainer/data/tar_file.h"
#include "trainer/data/idx.h"

using namespace ringside;

namespace {

namespace fs = std::filesystem;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Corpus {
 public:
  explicit Corpus(const fs::path& folder) : folder_(folder) { fs::create_directories(folder); }
  void add(const std::string& content) {
    std::ofstream(folder_ / std::to_string(count_++), std::ios::binary) << content;
  }

 private:
  fs::path folder_;
  int count_ = 0;
};

void protocol_seeds(const fs::path& root) {
  Corpus records(root / "records");
  Corpus frames(root / "frame");
  Corpus logs(root / "log");
  for (const messages::Record& record : support::one_of_each()) {
    std::vector<std::byte> one;
    messages::append_any_record(one, {0, 1, 2, 5}, record);
    records.add(text_of(one));
    logs.add("\1" + text_of(one));
    std::vector<std::byte> head(wire::kFrameBytes);
    wire::Frame frame;
    frame.kind = wire::FrameKind::kBatch;
    frame.count = 1;
    frame.payload_bytes = static_cast<std::uint32_t>(one.size());
    wire::encode_frame(head.data(), frame);
    frames.add(text_of(head) + text_of(one));
  }
  for (const std::uint64_t segments : {0U, 1U, 3U}) {
    const auto log = runlog::make_log(segments, 1);
    logs.add(std::string(1, '\xa0') + text_of(log.disk->bytes));
  }
  Corpus specs(root / "spec");
  specs.add(messages::to_toml({}));
  specs.add("optimizer.lr=0.1\nname = \"a\"\n[data]\nname = \"digits\"\n[train]\nepochs = 1\n");
}

void watched_seeds(const fs::path& root) {
  Corpus events(root / "events");
  const std::string value = testing::bytes_field(1, "loss") + testing::float_field(2, 0.5F);
  events.add(std::string(1, '\xa0') + testing::event_file(1.7e9, 3, "loss", 0.5F));
  events.add("\1" + testing::double_field(1, 1.7e9) + testing::number_field(2, 7) +
             testing::bytes_field(5, testing::bytes_field(1, value)));
  const std::string item = testing::bytes_field(1, "loss") + testing::bytes_field(16, "0.5");
  Corpus wandb(root / "wandb");
  wandb.add("\1" +
            testing::bytes_field(2, testing::bytes_field(1, item) +
                                        testing::bytes_field(2, testing::number_field(1, 3))));
  wandb.add("\1" + testing::bytes_field(18, testing::number_field(1, 3)));
}

void data_seeds(const fs::path& root) {
  Corpus idx(root / "idx");
  idx.add(
      std::string("\0\0\0\x08\x01\0\0\0\x02"
                  "ab",
                  11));
  idx.add(std::string("\2\0\0\x08\x03\0\0\0\1\0\0\0\2\0\0\0\1ab", 19));
  Corpus cifar(root / "cifar");
  cifar.add(std::string(1, '\0') + std::string(1 + 3072, '\1'));
  cifar.add(std::string(1, '\1') + std::string(2 + 3072, '\1'));
  Corpus archive(root / "archive");
  for (const char type : {'0', '1', '2', '5', '6', 'L', 'x', 'g'}) {
    const std::string content = "0123456789";
    std::string tar = testing::tar_header({"set/a.bin", type, content, "set/names.txt"}) + content;
    tar.resize(1024, '\0');
    tar += testing::tar_header({"set/names.txt", '0', "cat\n"}) + "cat\n";
    tar.resize(2048 + 1024, '\0');
    archive.add("\1" + tar);
  }
}

// Writes seeds with the smallest zip file that has one stored record, and with the parts of weights
// files.
void weights_seeds(const fs::path& root) {
  using namespace std::string_literals;
  Corpus zip(root / "zip");
  const std::string common = "\0\0\0\0\0\0\0\0\x43\xbe\xb7\xe8\1\0\0\0\1\0\0\0\1\0"s;
  const std::string local = "PK\3\4\x0a\0"s + common +
                            "\0\0"
                            "aa"s;
  const std::string central = "PK\1\2\x0a\0\x0a\0"s + common +
                              "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                              "a"s;
  const auto size = static_cast<char>(central.size());
  const auto begin = static_cast<char>(local.size());
  zip.add(local + central + "PK\5\6\0\0\0\0\1\0\1\0"s + size + "\0\0\0"s + begin + "\0\0\0\0\0"s);
  Corpus safetensors(root / "safetensors");
  safetensors.add(
      "\0"s
      R"({"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})");
  safetensors.add(
      "\0"s
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"BOOL","shape":[4],"data_offsets":[0,4]},)"
      R"("b":{"dtype":"I16","shape":[2],"data_offsets":[4,8]}})");
  Corpus pickle(root / "pickle");
  pickle.add("\x80\2}q\0X\1\0\0\0aq\1]q\2(K\1G\x3f\xf0\0\0\0\0\0\0\x88Nes."s);
  pickle.add(
      "\x80\2ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\n"
      "X\1\0\0\0"
      "0X\3\0\0\0cpuK\4tQK\0K\2K\2\x86K\2K\1\x86\x89"
      "ccollections\nOrderedDict\n)RtR."s);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  protocol_seeds(argv[1]);
  watched_seeds(argv[1]);
  data_seeds(argv[1]);
  weights_seeds(argv[1]);
  return 0;
}
