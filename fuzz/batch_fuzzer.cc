// Arbitrary bytes as a batch from another process: taken, or refused with Rivulet's own errors in one line. What is
// taken is a batch like any other: it is written as the same bytes again, merged, absorbed and released.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "rivulet/error.h"
#include "rivulet/incremental_regression.h"

using namespace rivulet;

namespace {

constexpr std::size_t kHeader = 16 + 8 + 32;  // magic, version, promise

StreamOptions options() {
  StreamOptions result;
  result.schema.feature("a", {-1.0, 1.0}).target("y", {-1.0, 1.0});
  result.release_every = std::uint64_t{1} << 40;
  result.insecure_seed = 1;
  return result;
}

const IncrementalRegression& settings() {
  static const IncrementalRegression stream(options());
  return stream;
}

// With a genuine header in front and the checksum that belongs to it behind, so that the sums themselves are reached.
std::string sealed(std::string_view body) {
  std::string bytes(settings().make_batch().bytes_for_trusted_transport().view().substr(0, kHeader));
  bytes += body;
  Sha256 hash;
  hash.update(bytes);
  const Sha256Digest digest = hash.digest();
  bytes.append(digest.begin(), digest.end());
  return bytes;
}

void take(const std::string& bytes) {
  try {
    RowBatch batch = settings().batch_from_trusted_transport(SensitiveBatchBytes::received(bytes));
    const std::string again(batch.bytes_for_trusted_transport().view());
    if (again != bytes) std::abort();
    IncrementalRegression stream(options());
    RowBatch twice = settings().batch_from_trusted_transport(SensitiveBatchBytes::received(again));
    twice.merge(std::move(batch));
    if (twice.rows() <= options().release_every) {
      stream.absorb(std::move(twice));
      if (stream.flush() && stream.statistics().rows == 0) std::abort();
    }
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  take(bytes);
  take(sealed(bytes));
  return 0;
}
