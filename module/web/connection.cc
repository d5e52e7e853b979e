#include "web/connection.h"

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/steady_clock.h"
#include "web/http/limits.h"

namespace laurel::web {

Connection::Connection(Socket socket, const boost::asio::ip::address& peer, Port port,
                       Places::Place place, Host& host)
    : Timed(host.deadlines()),
      socket_(std::move(socket)),
      peer_(peer),
      port_(port),
      place_(std::move(place)),
      host_(host) {}

void Connection::begin() {
  set_deadline(steady_now() + kIdleAfter);
  wait_for_bytes();
}

void Connection::on_deadline(Time) {
  const bool is_late = phase_ == Phase::reading && !input_.empty();
  if (!is_late) return close();
  fail({408, "late: the header did not arrive within 10 s"});
}

void Connection::wait_for_bytes() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](auto failed) {
    if (!failed && !self->closed_) self->on_bytes();
  });
}

void Connection::on_bytes() {
  std::array<char, 4096> bytes;
  const std::size_t room = phase_ == Phase::lingering
                               ? bytes.size()
                               : std::min(bytes.size(), kHeaderBytesMax - input_.size());
  const ssize_t size = ::recv(socket_.native_handle(), bytes.data(), room, MSG_DONTWAIT);
  if (size == 0) return close();
  if (size < 0) {
    const bool again = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return again ? wait_for_bytes() : close();
  }
  const std::string_view read(bytes.data(), static_cast<std::size_t>(size));
  if (phase_ == Phase::lingering) return linger(read);
  if (input_.empty()) set_deadline(steady_now() + kHeaderWithin);
  input_ += read;
  read_request();
}

void Connection::linger(std::string_view bytes) {
  lingered_ += bytes.size();
  if (lingered_ > kLingerBytesMax) return close();
  wait_for_bytes();
}

void Connection::read_request() {
  while (input_.starts_with("\r\n")) input_.erase(0, 2);  // after the body of an earlier request
  const auto end = end_of_head(input_, searched_);
  if (!end) {
    searched_ = input_.size();
    if (input_.size() >= kHeaderBytesMax) return fail(too_long(input_));
    return wait_for_bytes();
  }
  const auto request = request_of(std::string_view(input_).substr(0, *end));
  input_.erase(0, *end);
  searched_ = 0;
  if (const auto* failure = std::get_if<Failure>(&request)) return fail(*failure);
  handle(std::get<Request>(request));
}

void Connection::handle(const Request& request) {
  phase_ = Phase::answering;
  set_deadline(std::nullopt);  // the host has one
  is_head_ = request.method == "HEAD";
  keep_alive_ = request.keep_alive;
  host_.handle(request, peer_, port_, [weak = weak_from_this()](Reply reply) {
    const auto self = weak.lock();
    if (self && !self->closed_) self->reply(std::move(reply));
  });
}

void Connection::reply(Reply reply) {
  if (auto* const answer = std::get_if<Answer>(&reply)) {
    host_.metrics().count_status(answer->status);
    keep_alive_ = keep_alive_ && !answer->closes;
    return write(text_of(*answer, !is_head_, keep_alive_));
  }
  auto& plan = std::get<Stream::Plan>(reply);
  if (is_head_) {
    keep_alive_ = false;
    return write(std::move(plan.head));
  }
  const auto self = shared_from_this();
  closed_ = true;
  place_ = {};
  // A pending wait would keep the old object alive, and there is none: it was reading.
  host_.open_stream(std::move(socket_), std::move(plan), input_);
  host_.ended(*this);
}

void Connection::fail(const Failure& failure) {
  is_head_ = false;
  keep_alive_ = false;
  reply(answer_of(failure));
}

void Connection::write(std::string text) {
  phase_ = Phase::writing;
  output_ = std::move(text);
  done_ = 0;
  set_deadline(steady_now() + kTakesWithin);
  write_rest();
}

void Connection::write_rest() {
  while (done_ < output_.size()) {
    const ssize_t sent = ::send(socket_.native_handle(), output_.data() + done_,
                                output_.size() - done_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return close();
    if (sent < 0) {
      return socket_.async_wait(Socket::wait_write, [self = shared_from_this()](auto failed) {
        if (!failed && !self->closed_) self->write_rest();
      });
    }
    done_ += static_cast<std::size_t>(sent);
    set_deadline(steady_now() + kTakesWithin);
  }
  written();
}

void Connection::written() {
  output_ = {};
  if (!keep_alive_) {
    // The client may still send what was not read. If the socket were closed now, the reset that
    // answers it could destroy the answer.
    phase_ = Phase::lingering;
    input_ = {};
    set_deadline(steady_now() + kLingersFor);
    boost::system::error_code failed;
    socket_.shutdown(Socket::shutdown_send, failed);
    return failed ? close() : wait_for_bytes();
  }
  phase_ = Phase::reading;
  host_.answered(*this);
  set_deadline(steady_now() + (input_.empty() ? kIdleAfter : kHeaderWithin));
  if (input_.empty()) {
    input_ = {};
    return wait_for_bytes();
  }
  // The next request is here already; others get their turn first.
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (!self->closed_) self->read_request();
  });
}

void Connection::close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  set_deadline(std::nullopt);
  place_ = {};
  boost::system::error_code ignored;
  socket_.close(ignored);
  host_.ended(*this);
}

}  // namespace laurel::web
