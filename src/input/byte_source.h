// Where bytes come from. Everything that reads a stream does it through this interface, in blocks of the reader's
// choosing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rivulet::input {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills a prefix of `block` (not empty) and returns its length. 0 means the end of the input, or that the reader was
  // asked to stop: see stopped(). Throws IoError; what was readable before the fault has been returned by then.
  virtual std::size_t read(std::span<char> block) = 0;
  // True when the last read() returned 0 because of the stop flag. The input is not at its end; read() may be called
  // again.
  [[nodiscard]] virtual bool stopped() const = 0;
  // How messages call this source: a path, or "standard input".
  [[nodiscard]] virtual const std::string& name() const = 0;

 protected:
  ByteSource() = default;
  ByteSource(const ByteSource&) = default;
  ByteSource& operator=(const ByteSource&) = default;
};

// A file, or standard input for the path "-". Input that starts with the two magic bytes of gzip is decompressed on the
// way (several members in a row are one stream, as gzip defines it; zero padding after the last is skipped).
//
// A set stop flag is noticed within kStopLatencyMilliseconds even when a pipe delivers nothing. The flag may be set
// from a signal handler or another thread. Not thread-safe otherwise.
class FileSource final : public ByteSource {
 public:
  // Longest time a waiting read() takes to notice the stop flag when no signal interrupts it.
  static constexpr int kStopLatencyMilliseconds = 100;

  // Throws IoError naming the path and the system's reason when it cannot be opened or is a directory. `stop` may be
  // null; it must outlive the source.
  explicit FileSource(const std::string& path, const std::atomic<bool>* stop = nullptr);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  // A truncated or corrupt gzip stream throws IoError with the compressed byte offset, and again on every later call.
  std::size_t read(std::span<char> block) override;
  [[nodiscard]] bool stopped() const override { return stopped_; }
  [[nodiscard]] const std::string& name() const override { return name_; }

  // Called each time a read() is about to wait because a pipe or terminal has nothing yet: the moment to hand on what
  // was gathered. It must not read from this source.
  void before_waiting(std::function<void()> call) { before_waiting_ = std::move(call); }

  // Size on disk, from where reading began; nothing for a pipe or a terminal.
  [[nodiscard]] std::optional<std::uint64_t> total_bytes() const { return total_bytes_; }
  // Bytes of the input used so far, counted as stored (compressed): position() / total_bytes() is the progress.
  [[nodiscard]] std::uint64_t position() const { return fetched_ - (raw_end_ - raw_begin_); }

 private:
  class Inflater;
  enum class Format { unknown, plain, gzip };

  std::size_t fetch(std::span<char> block);
  bool refill();
  bool detect_format();
  std::size_t read_plain(std::span<char> block);
  std::size_t read_gzip(std::span<char> block);
  bool begin_next_member();
  void fail(const std::string& fault);

  std::string name_;
  const std::atomic<bool>* stop_;
  int descriptor_ = -1;
  bool owns_descriptor_ = false;
  bool may_wait_ = false;  // a pipe, socket or terminal: wait with poll() before reading
  bool stopped_ = false;
  bool at_end_ = false;
  std::optional<std::uint64_t> total_bytes_;

  Format format_ = Format::unknown;
  std::unique_ptr<char[]> raw_;  // bytes as stored; [raw_begin_, raw_end_) is not used yet
  std::size_t raw_begin_ = 0;
  std::size_t raw_end_ = 0;
  std::uint64_t fetched_ = 0;

  std::unique_ptr<Inflater> inflater_;
  std::function<void()> before_waiting_;
  std::string fault_;  // set once the compressed stream turned out to be broken
};

// Bytes in memory, handed out in pieces of a chosen size: for tests, fuzzers and benchmarks. Does not copy: the bytes
// must outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes, std::size_t piece = std::numeric_limits<std::size_t>::max())
      : bytes_(bytes), piece_(piece) {}

  std::size_t read(std::span<char> block) override {
    const std::size_t length = std::min({block.size(), piece_, bytes_.size()});
    if (length > 0) std::memcpy(block.data(), bytes_.data(), length);
    bytes_.remove_prefix(length);
    return length;
  }
  [[nodiscard]] bool stopped() const override { return false; }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::string_view bytes_;
  std::size_t piece_;
  std::string name_ = "memory";
};

}  // namespace rivulet::input
