#include "registry/metrics_file.h"

#include <cerrno>
#include <condition_variable>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/file_descriptor.h"
#include "base/memory_guarantee.h"
#include "base/process/signals.h"
#include "base/text.h"
#include "store/file_failure.h"

namespace laurel {

namespace {

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

Status write_file(const std::string& file, std::string_view text) {
  constexpr mode_t kMode = 0644;
  const std::string beside = file + ".new";
  const FileDescriptor out(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
  const bool written = out.get() >= 0 && ::fchmod(out.get(), kMode) == 0 &&
                       write_all(out.get(), text) && ::fsync(out.get()) == 0;
  if (written && ::rename(beside.c_str(), file.c_str()) == 0) return Done{};
  Refusal failure = file_failure("writing", file, errno);
  if (out.get() >= 0) ::unlink(beside.c_str());
  return failure;
}

}  // namespace

// The thread, and what it shares with the owner.
class MetricsFile::Writing {
 public:
  explicit Writing(std::string file) : file_(std::move(file)) {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
  }
  ~Writing() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    posted_.notify_one();
    thread_.join();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  void post(MetricSet set) {
    {
      const std::lock_guard lock(mutex_);
      set_ = std::move(set);
    }
    posted_.notify_one();
  }

  std::optional<Refusal> take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, std::nullopt);
  }

 private:
  void run() {
    allocate_thread_variables();
    ::pthread_setname_np(::pthread_self(), "laurel-metrics");
    std::unique_lock lock(mutex_);
    for (;;) {
      posted_.wait(lock, [this] { return set_ || ends_; });
      if (!set_) return;
      const MetricSet set = std::move(*set_);
      set_.reset();
      lock.unlock();
      const Status written = write_if_memory(set);
      lock.lock();
      if (!written && !fails_) failure_ = written.refusal();
      fails_ = !written;
    }
  }

  Status write_if_memory(const MetricSet& set) const {
    try {
      return write_file(file_, set.text());
    } catch (const std::bad_alloc&) {
      return no_memory();
    }
  }

  const std::string file_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::optional<MetricSet> set_;  // not written yet
  bool ends_ = false;
  bool fails_ = false;  // the last attempt
  std::optional<Refusal> failure_;
  std::thread thread_;  // last: it starts when all other members exist
};

Result<std::unique_ptr<MetricsFile>> MetricsFile::open(std::string file) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(file).parent_path();
  if (!directory.empty() && !std::filesystem::is_directory(directory, error)) {
    return Refusal(Code::unavailable, "metrics: there is no directory \"{}\"",
                   escaped(directory.string(), 120));
  }
  if (std::filesystem::is_directory(file, error)) {
    return Refusal(Code::unavailable, "metrics: \"{}\" is a directory; it takes the name of a file",
                   escaped(file, 120));
  }
  try {
    return std::unique_ptr<MetricsFile>(
        new MetricsFile(std::make_unique<Writing>(std::move(file))));
  } catch (const std::system_error& failure) {
    return Refusal(Code::unavailable, "starting the thread that writes metrics: {} (RLIMIT_NPROC)",
                   failure.what());
  }
}

MetricsFile::MetricsFile(std::unique_ptr<Writing> writing) : writing_(std::move(writing)) {}

MetricsFile::~MetricsFile() {
  if (!fork_.is_owner_process()) (void)writing_.release();
}

void MetricsFile::post(MetricSet set) {
  if (fork_.is_owner_process()) writing_->post(std::move(set));
}

std::optional<Refusal> MetricsFile::take_failure() {
  return fork_.is_owner_process() ? writing_->take_failure() : std::nullopt;
}

}  // namespace laurel
