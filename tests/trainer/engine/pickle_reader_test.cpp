#include "trainer/engine/checkpoint/pickle_reader.h"

#include <fstream>

#include <caffe2/serialize/inline_container.h>
#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/engine/checkpoint/torch_file_writer.h"

using namespace ringside;
using namespace ringside::engine;

namespace {

// A file of torch.save with the pickle `code` and four bytes of data.
std::filesystem::path with_pickle(const TempFolder& folder, const std::string& code) {
  const auto path = folder.path() / "crafted.pt";
  caffe2::serialize::PyTorchStreamWriter archive(path.string());
  archive.writeRecord("data.pkl", code.data(), code.size());
  archive.writeRecord("data/0", "abcd", 4);
  archive.writeEndOfFile();
  return path;
}

std::string refusal(const std::filesystem::path& path) {
  const auto read = read_torch_file(path);
  if (read) return "accepted";
  CHECK(read.error().kind == ErrorKind::kRequest);
  return read.error().message;
}

std::string binunicode(const std::string& text) {
  std::string code = "X";
  code += static_cast<char>(text.size());
  return code + std::string(3, '\0') + text;
}

// A one-dimensional float tensor of `size` elements over a storage of one.
std::string tensor_code(std::int32_t size, char stride = 1) {
  std::string code =
      "\x80\x02"
      "ctorch._utils\n_rebuild_tensor_v2\n((" +
      binunicode("storage") + "ctorch\nFloatStorage\n" + binunicode("0") + binunicode("cpu") +
      "K\x01tQK";
  code += '\0';
  code += "J" + std::string(reinterpret_cast<const char*>(&size), sizeof size);
  return code + "\x85K" + stride +
         "\x85\x89"
         "ccollections\nOrderedDict\n)RtR.";
}

// torch.save before version 1.6 of {"w": a tensor of two, "b": one with the same data}.
struct LegacyFile {
  std::string magic = "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.";
  std::string machine = "\x80\x02}q" + std::string(1, '\0') + "X\x0d" + std::string(3, '\0') +
                        "little_endianq\x01\x88s.";
  std::string object;
  std::string keys = "\x80\x02]q" + std::string(1, '\0') + binunicode("94") + "a.";
  std::int64_t count = 2;
  std::string data = std::string("\0\0\x80?\0\0\0@", 8);  // 1, 2

  std::string text() const {
    return magic + machine + object + keys +
           std::string(reinterpret_cast<const char*>(&count), sizeof count) + data;
  }
  static std::string storage(const std::string& key, const std::string& count = "K\x02") {
    return "(" + binunicode("storage") + "ctorch\nFloatStorage\n" + binunicode(key) +
           binunicode("cpu") + count + "NtQ";
  }
  // Storage, offset 0, shape (2,), stride (1,), no gradient, no hooks.
  static std::string tensor(const std::string& count = "K\x02") {
    return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage("94", count) + "K" +
           std::string(1, '\0') + "K\x02\x85K\x01\x85\x89" + "ccollections\nOrderedDict\n)RtR";
  }
};

// A file as written by Python 3.
LegacyFile legacy_file(const std::string& count = "K\x02") {
  LegacyFile file;
  file.object = "\x80\x02}(" + binunicode("w") + LegacyFile::tensor(count) + binunicode("b") +
                LegacyFile::tensor(count) + "u.";
  return file;
}

}  // namespace

TEST_CASE("files from before torch 1.6 are read") {
  const TempFolder folder;
  const auto check = [&](const LegacyFile& file) {
    folder.write("old.pth", file.text());
    CHECK(is_legacy_torch_file(folder.path() / "old.pth"));
    const auto read = read_torch_file(folder.path() / "old.pth");
    if (!read) FAIL(read.error().message);
    REQUIRE(read->find("w"));
    REQUIRE(read->find("w")->tensor());
    CHECK(at::equal(*read->find("w")->tensor(), torch::tensor({1.0F, 2.0F})));
    return *read;
  };
  const auto both = check(legacy_file());
  CHECK(both.find("w")->tensor()->data_ptr() == both.find("b")->tensor()->data_ptr());
  // A file of Python 2 and torch 0.2: an OrderedDict with its items, a Parameter with its state.
  const std::string zero(1, '\0');
  LegacyFile two;
  two.object =
      "\x80\x02"
      "ccollections\nOrderedDict\n](](U\x01wctorch.nn.parameter\nParameter\n("
      "ctorch._utils\n_rebuild_tensor\n((U\x07storagectorch\nFloatStorage\nU\x02"
      "94"
      "U\x03"
      "cpuK\x02NtQK" +
      zero + "K\x02\x85K\x01\x85tR\x88tR}U\x01xNsbee\x85R.";
  two.keys =
      "\x80\x02]U\x02"
      "94a.";
  check(two);
}

TEST_CASE("S9: damaged or malicious files from before torch 1.6 are refused") {
  const TempFolder folder;
  const auto refused = [&](const std::string& text) {
    folder.write("old.pth", text);
    return refusal(folder.path() / "old.pth");
  };
  const std::string whole = legacy_file().text();
  for (std::size_t size = 32; size < whole.size(); ++size)
    REQUIRE(refused(whole.substr(0, size)).find("old.pth") != std::string::npos);
  // Elements that the file cannot have, which would take 4 GB.
  CHECK(refused(legacy_file("J" + std::string(3, '\0') + "\x40").text()).find("missing") !=
        std::string::npos);
  LegacyFile file = legacy_file();
  file.count = 3;
  CHECK(refused(file.text()).find("another number of elements") != std::string::npos);
  file = legacy_file();
  file.keys = "\x80\x02]" + binunicode("95") + "a.";
  CHECK(refused(file.text()).find("nothing is made of") != std::string::npos);
  file = legacy_file();
  file.machine.replace(file.machine.size() - 3, 1, "\x89");
  CHECK(refused(file.text()).find("order of bytes") != std::string::npos);
  file.object =
      "\x80\x02"
      "cposix\nsystem\n" +
      binunicode("id") + "\x85R.";
  file.machine = LegacyFile().machine;
  CHECK(refused(file.text()).find("posix system") != std::string::npos);
  file.object = "\x80\x02(" + binunicode("module") + "c__main__\nNet\n" + binunicode("a.py") +
                binunicode("source") + "NtQ.";
  CHECK(refused(file.text()).find("an object of Python (__main__ Net)") != std::string::npos);
}

TEST_CASE("written values are read back") {
  const TempFolder folder;
  c10::impl::GenericDict inner(c10::IntType::get(), c10::AnyType::get());
  inner.insert(std::int64_t{0}, torch::arange(6, torch::kFloat).view({2, 3}));
  inner.insert(std::int64_t{300}, c10::IValue());
  c10::impl::GenericList list(c10::AnyType::get());
  list.push_back(std::int64_t{-5});
  list.push_back(std::int64_t{1} << 40);
  list.push_back(2.5);
  list.push_back(true);
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert("inner", inner);
  dict.insert("list", list);
  dict.insert("text", std::string(300, 'x'));
  dict.insert("scalar", torch::tensor(7, torch::kLong));
  const auto path = folder.path() / "file.pt";
  const auto size = write_torch_file(path, dict);
  REQUIRE(size);
  CHECK(*size == static_cast<std::int64_t>(std::filesystem::file_size(path)));

  const auto read = read_torch_file(path);
  REQUIRE(read);
  CHECK(*read->find("text")->get<std::string>() == std::string(300, 'x'));
  CHECK(read->find("scalar")->tensor()->item<std::int64_t>() == 7);
  const auto& items = *read->find("list")->list();
  REQUIRE(items.size() == 4);
  CHECK(*items[0].get<std::int64_t>() == -5);
  CHECK(*items[1].get<std::int64_t>() == std::int64_t{1} << 40);
  CHECK(*items[2].get<double>() == 2.5);
  CHECK(*items[3].get<bool>());
  const auto& numbers = *read->find("inner")->dict();
  REQUIRE(numbers.size() == 2);
  CHECK(at::equal(*numbers[0].second.tensor(), torch::arange(6, torch::kFloat).view({2, 3})));
  CHECK(*numbers[1].first.get<std::int64_t>() == 300);
  CHECK(numbers[1].second.get<std::monostate>() != nullptr);
}

TEST_CASE("S9: a pickle that would call a function is refused by name") {
  const TempFolder folder;
  const std::string attack =
      "\x80\x02"
      "cos\nsystem\n" +
      binunicode("true") + "\x85R.";
  CHECK(refusal(with_pickle(folder, attack)).find("os system") != std::string::npos);
  const std::string model =
      "\x80\x02"
      "ctorchvision.models\nResNet\n)\x81.";
  CHECK(refusal(with_pickle(folder, model)).find("torchvision.models ResNet") != std::string::npos);
}

TEST_CASE("S9: a tensor that reaches beyond its data is refused") {
  const TempFolder folder;
  REQUIRE(read_torch_file(with_pickle(folder, tensor_code(1))));
  CHECK(refusal(with_pickle(folder, tensor_code(2))).find("beyond its data") != std::string::npos);
}

TEST_CASE("S9: nesting that would overflow the stack is refused, however it is made") {
  const TempFolder folder;
  const auto repeated = [](const std::string& code, int times) {
    std::string text = "]";
    for (int i = 0; i < times; ++i) text += code;
    return text;
  };
  for (const auto& code : {repeated("]", 200'000) + repeated("a", 200'000).substr(1) + ".",
                           repeated("\x85", 200'000) + "."}) {
    CHECK(refusal(with_pickle(folder, code)).find("nested too deep") != std::string::npos);
  }
  CHECK(read_torch_file(with_pickle(folder, repeated("\x85", 90) + ".")));
  // A list that contains its own parent, and one that grows after it was put into another.
  const std::string memo(1, '\0');
  for (const auto& code : {"]q" + memo + "h" + memo + "a.", "]]q" + memo + "ah" + memo + "]a."}) {
    CHECK(refusal(with_pickle(folder, code)).find("put into another already") != std::string::npos);
  }
}

TEST_CASE("S9: a pickle with more values than any checkpoint is refused") {
  const TempFolder folder;
  const auto path = with_pickle(folder, std::string(std::size_t{5} << 20, 'N') + ".");
  CHECK(refusal(path).find("more values") != std::string::npos);
}

TEST_CASE("S9: tensors that take many times the size of their file are refused") {
  const TempFolder folder;
  REQUIRE(read_torch_file(with_pickle(folder, tensor_code(100, 0))));
  for (const std::int32_t size : {50'000, 2'000'000'000}) {
    CHECK(refusal(with_pickle(folder, tensor_code(size, 0))).find("many times more elements") !=
          std::string::npos);
  }
}

TEST_CASE("S9: a small file that unpacks to a large one is refused before it is unpacked") {
  const TempFolder folder;
  const auto path = folder.path() / "bomb.pt";
  {
    caffe2::serialize::PyTorchStreamWriter archive(path.string());
    const std::string zeros(std::size_t{64} << 20, '\0');
    archive.writeRecord("data.pkl", zeros.data(), zeros.size(), /*compress=*/true);
    archive.writeEndOfFile();
  }
  REQUIRE(std::filesystem::file_size(path) < (std::size_t{1} << 20));
  CHECK(refusal(path).find("unpack to more than") != std::string::npos);
}

TEST_CASE("S9: invalid pickles and damaged files of any kind are refused") {
  const TempFolder folder;
  const std::string whole = tensor_code(1);
  for (std::size_t cut = 0; cut + 1 < whole.size(); ++cut) {
    REQUIRE(refusal(with_pickle(folder, whole.substr(0, cut))).find("cannot read") == 0);
  }
  for (const std::string code : {"t.", "R.", "a.", "s.", "h\x05.", "(.", "]K\x01s.",
                                 "}K\x01"
                                 "a."}) {
    REQUIRE(refusal(with_pickle(folder, code)).find("cannot read") == 0);
  }
  CHECK(refusal(folder.path() / "missing.pt").find("no file") != std::string::npos);
  folder.write("text.pt", "not a zip file at all");
  CHECK(refusal(folder.path() / "text.pt").find("cannot read") == 0);
}
