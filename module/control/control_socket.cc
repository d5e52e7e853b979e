#include "control/control_socket.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <list>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/steady_clock.h"
#include "base/text.h"
#include "control/moderation.h"
#include "control/socket_file.h"
#include "registry/registry.h"

namespace laurel {

sockaddr_un control_address(int directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", directory, kControlSocket);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

namespace {

// One connection: it sends an order, waits for the disk, and gets an answer.
class ControlClient {
 public:
  ControlClient(int socket, Time now) : socket_(socket), acted_at_(now) {
    socklen_t size = sizeof peer_;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer_, &size) != 0) peer_ = {};
  }

  // False if the connection must end.
  bool serve(Registry& registry, Time now) {
    if (waits_for_ != 0 && !is_on_disk(registry)) return true;
    if (std::exchange(waits_for_, 0) != 0) out_ = answer_line(*done_) + "\n";
    if (!out_.empty()) return send(now);
    return receive(now) && (carry_out(registry) || now - acted_at_ < kControlPatience);
  }

  // The registry closes. What was done is on the disk, or will never be.
  void finish(const Status& flushed) {
    if (waits_for_ == 0) return;
    const Result<std::string> outcome = flushed ? *done_ : flushed.refusal();
    out_ = answer_line(outcome) + "\n";
    (void)send(0);
  }

 private:
  static bool is_passing(int error) { return error == EAGAIN || error == EINTR; }

  bool send(Time now) {
    const ssize_t sent =
        ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return is_passing(errno) && now - acted_at_ < kControlPatience;
    out_.erase(0, static_cast<std::size_t>(sent));
    acted_at_ = now;
    return true;
  }

  bool receive(Time now) {
    char bytes[1024];
    while (in_.find('\n') == std::string::npos) {
      if (in_.size() > kControlLineBytesMax) return false;
      const ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (got < 0) return is_passing(errno);
      if (got == 0) return false;
      in_.append(bytes, static_cast<std::size_t>(got));
      acted_at_ = now;
    }
    return true;
  }

  // Returns whether there was an order.
  bool carry_out(Registry& registry) {
    const std::size_t end = in_.find('\n');
    if (end == std::string::npos) return false;
    const std::string line = in_.substr(0, end);
    in_.erase(0, end + 1);
    const Result<Moderation> order = read_moderation(line);
    done_ = order ? do_moderation(registry, *order) : Result<std::string>(order.refusal());
    if (*done_) {
      registry.log().info("control: {}: {} (user {}, process {})", word(order->kind), **done_,
                          peer_.uid, peer_.pid);
      waits_for_ = registry.disk_progress()->commits_begun + 1;
    } else {
      out_ = answer_line(*done_) + "\n";
    }
    return true;
  }

  static Result<std::string> do_moderation(Registry& registry, const Moderation& order) {
    try {
      return moderate(registry, order);
    } catch (const std::bad_alloc&) {
      return no_memory();
    }
  }

  // The next commit after the order has its changes; if there were none, there may be no commit.
  bool is_on_disk(const Registry& registry) const {
    const StoreProgress disk = *registry.disk_progress();
    return disk.on_disk >= waits_for_ || disk.waiting_writes == 0;
  }

  FileDescriptor socket_;
  ucred peer_{};
  Time acted_at_;
  std::string in_;
  std::string out_;
  std::optional<Result<std::string>> done_;  // the outcome of the last order
  std::uint64_t waits_for_ = 0;              // the commit with it; 0: it is answered
};

class ControlSocket final : public Control {
 public:
  explicit ControlSocket(std::string directory) : path_(std::move(directory)) {}

  void on_open(Registry& registry) override {
    if (listen()) return;
    const int error = errno;
    socket_.reset();
    registry.log().warn("\"{}\": no socket for the command laurel could be made: {}",
                        escaped(path_, 120), std::strerror(error));
  }

  void tick(Registry& registry) override {
    if (!socket_) return;
    const Time now = steady_now();
    accept(now);
    if (clients_.empty()) return;
    TickSlice slice(kControlNanoseconds);
    // The one that comes first goes to the end, so that all get their turn.
    for (std::size_t left = clients_.size(); left > 0; --left) {
      clients_.splice(clients_.end(), clients_, clients_.begin());
      if (!clients_.back().serve(registry, now)) clients_.pop_back();
      if (slice.spent()) break;
    }
  }

  void close(const Status& flushed) override {
    for (ControlClient& client : clients_) client.finish(flushed);
    clients_.clear();
    if (!socket_) return;
    ::unlinkat(folder_->get(), kControlSocket, 0);
    socket_.reset();
    folder_.reset();
  }

 private:
  bool listen() {
    constexpr mode_t kMode = 0600;
    folder_.emplace(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder_->get() < 0) return false;
    socket_.emplace(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    // The file gets the mode of the socket, so that it never has another one.
    if (socket_->get() < 0 || ::fchmod(socket_->get(), kMode) != 0) return false;
    ::unlinkat(folder_->get(), kControlSocket, 0);
    const sockaddr_un address = control_address(folder_->get());
    if (::bind(socket_->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      return false;
    }
    return ::fchmodat(folder_->get(), kControlSocket, kMode, 0) == 0 &&
           ::listen(socket_->get(), kControlClientsMax) == 0;
  }

  void accept(Time now) {
    while (clients_.size() < kControlClientsMax) {
      const int client = ::accept4(socket_->get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (client < 0) return;
      clients_.emplace_back(client, now);
    }
  }

  std::string path_;
  std::optional<FileDescriptor> folder_;
  std::optional<FileDescriptor> socket_;  // nothing: it could not be made, or is closed
  std::list<ControlClient> clients_;      // at most kControlClientsMax
};

}  // namespace

std::unique_ptr<Control> make_control_socket(std::string directory) {
  return std::make_unique<ControlSocket>(std::move(directory));
}

}  // namespace laurel
