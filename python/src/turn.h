// Whose turn it is with a stream.
#pragma once

#include "errors.h"
#include "live_stream.h"

namespace rivulet::python {

// One caller at a time, and none that would publish a step twice.
class LiveStream::Turn {
 public:
  // Lets go of the GIL while it waits.
  explicit Turn(LiveStream& stream, bool for_writing = true) : stream_(stream), lock_(stream.mutex_, std::defer_lock) {
    if (!stream.process_.is_of_this_process()) {
      throw Misuse(
          "stream: this process is a copy (fork) of the one that made the stream; going on in both would publish the "
          "same "
          "steps twice. Use it in the process that made it, or keep it in a file (path=...) that one process opens");
    }
    if (stream.owner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
      throw Error("stream: called from within a call that is under way, which was left alone");
    }
    if (!lock_.try_lock()) {
      const nanobind::gil_scoped_release no_gil;
      lock_.lock();
    }
    stream.owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    if (for_writing && stream.closed_) {
      release();
      throw Error("stream: it was closed" +
                  (stream.path_ ? "; rivulet.Stream.open('" + *stream.path_ + "') goes on with it" : std::string()));
    }
  }
  ~Turn() { release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  void release() {
    if (lock_.owns_lock()) {
      stream_.owner_.store({}, std::memory_order_relaxed);
      lock_.unlock();
    }
  }
  LiveStream& stream_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace rivulet::python
