#include "control/control_client.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/limits.h"
#include "base/text.h"
#include "control/socket_file.h"

namespace laurel {

namespace {

using Moment = std::chrono::steady_clock::time_point;

// Returns whether that is so before the deadline.
bool is_ready(int socket, short events, Moment deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd one{socket, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool send_all(int socket, std::string_view bytes, Moment deadline) {
  while (!bytes.empty() && is_ready(socket, POLLOUT, deadline)) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return bytes.empty();
}

enum class Heard : std::uint8_t { line, nothing, end };

Heard read_line(int socket, std::string& line, Moment deadline) {
  char bytes[1024];
  while (is_ready(socket, POLLIN, deadline)) {
    const ssize_t got = ::recv(socket, bytes, sizeof bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return Heard::end;
    line.append(bytes, static_cast<std::size_t>(got));
    if (line.ends_with('\n')) return Heard::line;
    if (line.size() > kControlLineBytesMax) return Heard::end;
  }
  return Heard::nothing;
}

Refusal not_reached(const std::string& directory, int error) {
  return {Code::unavailable, "the server of \"{}\" cannot be reached by its {}: {}",
          escaped(directory, 120), kControlSocket, std::strerror(error)};
}

}  // namespace

std::optional<Result<std::string>> ask_server(const std::string& directory, const Moderation& order,
                                              std::chrono::milliseconds patience) {
  const Moment deadline = std::chrono::steady_clock::now() + patience;
  const FileDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return std::nullopt;
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // If the queue of waiting clients is full, connecting waits, too.
  const timeval limit{patience.count() / 1000, (patience.count() % 1000) * 1000};
  const sockaddr_un address = control_address(folder.get());
  if (socket.get() < 0 ||
      ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == ENOENT || errno == ECONNREFUSED) return std::nullopt;
    return not_reached(directory, errno == EAGAIN ? ETIMEDOUT : errno);
  }
  ucred server{};
  socklen_t size = sizeof server;
  (void)::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &server, &size);
  std::string line;
  const bool sent = send_all(socket.get(), line_of(order) + "\n", deadline);
  switch (sent ? read_line(socket.get(), line, deadline) : Heard::nothing) {
    case Heard::line: return read_answer(std::string_view(line).substr(0, line.size() - 1));
    case Heard::nothing:
      return Refusal(Code::unavailable,
                     "the server does not answer (pid {}); the order may still be carried out",
                     server.pid);
    case Heard::end: break;
  }
  return Refusal(Code::unavailable,
                 "the server (pid {}) ended before it answered; the order may be carried out",
                 server.pid);
}

}  // namespace laurel
