#include "trainer/data/fetch/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <vector>

#include "protocol/host/files.h"

namespace ringside::data {

Result<std::string> sha256_of(const std::filesystem::path& path) {
  const auto file = RINGSIDE_TRY(open_file(path, OpenMode::kRead));
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return failure("OpenSSL has no SHA-256, so " + path.string() + " cannot be checked");
  }
  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (std::uint64_t offset = 0;;) {
    const auto got = RINGSIDE_TRY(file->read_at(offset, piece));
    if (got == 0) break;
    EVP_DigestUpdate(context.get(), piece.data(), got);
    offset += got;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &length);
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace ringside::data
