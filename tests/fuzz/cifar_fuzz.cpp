// The records of a CIFAR file, with one label byte or two, as training and as test images.
#include "trainer/data/cifar.h"

#include "tests/fuzz/input.h"

using namespace ringside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fuzz::MemoryFile file(fuzz::text_of(data + 1, size - 1));
  data::CifarFormat format = data[0] % 2 == 0 ? data::cifar10_format() : data::cifar100_format();
  format.train_files = {file.name()};
  format.test_file = file.name();
  const auto read = data::read_cifar(format, fuzz::MemoryFile::kFolder);
  if (!read) return 0;
  const data::Dataset& images = read->train;
  fuzz::require(images.count * data::kCifarImageBytes == images.images.size());
  fuzz::require(images.labels.size() == images.count);
  for (const auto label : images.labels) fuzz::require(label >= 0 && label < format.classes);
  return 0;
}
