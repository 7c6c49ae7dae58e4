#include "input/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>

#include "rivulet/error.h"

namespace rivulet::input {
namespace {

constexpr std::size_t kRawBlock = std::size_t{1} << 18;
constexpr unsigned char kGzipMagic[2] = {0x1f, 0x8b};

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

bool is_magic(char byte, int index) {
  return static_cast<unsigned char>(byte) == kGzipMagic[index];
}

}  // namespace

// Owns zlib's state for one gzip member after another.
class FileSource::Inflater {
 public:
  struct Progress {
    int code = Z_OK;
    std::size_t used = 0;      // compressed bytes
    std::size_t produced = 0;  // decompressed bytes
  };

  Inflater() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&state_, kGzipOnly + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&state_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Progress run(std::span<char> compressed, std::span<char> block) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const auto available = static_cast<uInt>(std::min(compressed.size(), kMost));
    const auto room = static_cast<uInt>(std::min(block.size(), kMost));
    state_.next_in = reinterpret_cast<Bytef*>(compressed.data());
    state_.avail_in = available;
    state_.next_out = reinterpret_cast<Bytef*>(block.data());
    state_.avail_out = room;
    const int code = inflate(&state_, Z_NO_FLUSH);
    inside_member_ = code != Z_STREAM_END;
    return {code, available - state_.avail_in, room - state_.avail_out};
  }

  void start_member() {
    inflateReset(&state_);
    inside_member_ = true;
  }
  [[nodiscard]] bool inside_member() const { return inside_member_; }
  [[nodiscard]] std::string message() const { return state_.msg == nullptr ? "damaged data" : state_.msg; }

 private:
  z_stream state_{};
  bool inside_member_ = true;
};

FileSource::FileSource(const std::string& path, const std::atomic<bool>* stop)
    : name_(path == "-" ? "standard input" : path), stop_(stop), raw_(std::make_unique<char[]>(kRawBlock)) {
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
  } else {
    do {
      descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR && !(stop_ != nullptr && stop_->load()));
    if (descriptor_ < 0) throw IoError(name_ + ": cannot be opened: " + reason(errno));
    owns_descriptor_ = true;
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || S_ISDIR(status.st_mode)) {
    const std::string why = S_ISDIR(status.st_mode) ? reason(EISDIR) : reason(errno);
    if (owns_descriptor_) ::close(descriptor_);
    throw IoError(name_ + ": cannot be read: " + why);
  }
  may_wait_ = !S_ISREG(status.st_mode);
  if (S_ISREG(status.st_mode)) {
    const auto begin = ::lseek(descriptor_, 0, SEEK_CUR);
    total_bytes_ = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - std::max<off_t>(0, begin)));
  }
}

FileSource::~FileSource() {
  if (owns_descriptor_) ::close(descriptor_);
}

// One successful read(2): 0 at the end of the input or when asked to stop.
std::size_t FileSource::fetch(std::span<char> block) {
  stopped_ = false;
  while (!at_end_) {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
      stopped_ = true;
      return 0;
    }
    if (may_wait_) {
      pollfd waiting{descriptor_, POLLIN, 0};
      if (before_waiting_ && ::poll(&waiting, 1, 0) == 0) before_waiting_();
      const int ready = ::poll(&waiting, 1, kStopLatencyMilliseconds);
      if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    }
    const ssize_t length = ::read(descriptor_, block.data(), block.size());
    if (length > 0) {
      fetched_ += static_cast<std::uint64_t>(length);
      return static_cast<std::size_t>(length);
    }
    if (length == 0) {
      at_end_ = true;
    } else if (errno != EINTR && errno != EAGAIN) {
      throw IoError(name_ + ": cannot be read at byte " + std::to_string(fetched_) + ": " + reason(errno));
    }
  }
  return 0;
}

// Appends to the unused raw bytes. False at the end of the input or when asked to stop.
bool FileSource::refill() {
  if (raw_begin_ == raw_end_) raw_begin_ = raw_end_ = 0;
  const std::size_t length = fetch({raw_.get() + raw_end_, kRawBlock - raw_end_});
  raw_end_ += length;
  return length > 0;
}

// False while the first two bytes are not known and reading was stopped.
bool FileSource::detect_format() {
  while (raw_end_ < 2 && !(raw_end_ == 1 && !is_magic(raw_[0], 0))) {
    if (refill()) continue;
    if (stopped_) return false;
    break;
  }
  const bool gzip = raw_end_ >= 2 && is_magic(raw_[0], 0) && is_magic(raw_[1], 1);
  format_ = gzip ? Format::gzip : Format::plain;
  if (gzip) inflater_ = std::make_unique<Inflater>();
  return true;
}

std::size_t FileSource::read(std::span<char> block) {
  if (!fault_.empty()) throw IoError(fault_);
  if (format_ == Format::unknown && !detect_format()) return 0;
  return format_ == Format::gzip ? read_gzip(block) : read_plain(block);
}

std::size_t FileSource::read_plain(std::span<char> block) {
  if (raw_begin_ == raw_end_) return fetch(block);
  const std::size_t length = std::min(block.size(), raw_end_ - raw_begin_);
  std::memcpy(block.data(), raw_.get() + raw_begin_, length);
  raw_begin_ += length;
  return length;
}

std::size_t FileSource::read_gzip(std::span<char> block) {
  std::size_t produced = 0;
  while (produced == 0) {
    if (!inflater_->inside_member() && !begin_next_member()) break;
    if (raw_begin_ == raw_end_ && !refill()) {
      if (!stopped_) fail("gzip data ends too early");
      break;
    }
    const auto step = inflater_->run({raw_.get() + raw_begin_, raw_end_ - raw_begin_}, block);
    raw_begin_ += step.used;
    produced += step.produced;
    if (step.code != Z_OK && step.code != Z_STREAM_END && step.code != Z_BUF_ERROR) {
      fail("corrupt gzip data (" + inflater_->message() + ")");
      break;
    }
  }
  if (produced == 0 && !fault_.empty()) throw IoError(fault_);
  return produced;
}

// Between two members. True when another one begins; false at the end of the input, when asked to stop, or on a fault.
bool FileSource::begin_next_member() {
  while (raw_begin_ < raw_end_ || refill()) {
    if (raw_[raw_begin_] != '\0') break;
    ++raw_begin_;
  }
  if (raw_begin_ == raw_end_) return false;
  if (!is_magic(raw_[raw_begin_], 0)) {
    fail("not gzip data after a complete gzip member");
    return false;
  }
  inflater_->start_member();
  return true;
}

void FileSource::fail(const std::string& fault) {
  fault_ = name_ + ": " + fault + " at compressed byte " + std::to_string(position());
}

}  // namespace rivulet::input
