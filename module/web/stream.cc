#include "web/stream.h"

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/steady_clock.h"
#include "web/http/limits.h"

namespace laurel::web {

namespace {

constexpr std::string_view kComment = ":\n\n";

std::string retry() {
  return fmt::format("retry: {}\n\n", kRetryMinMs + random_u64() % (kRetryMaxMs - kRetryMinMs + 1));
}

// The frame of a close: its status, and nothing for people.
std::string close_frame(unsigned status) {
  return frame_head(Opcode::close, 2) + static_cast<char>(status >> 8) +
         static_cast<char>(status & 0xff);
}

std::size_t size_of(const State::Pieces& pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  return size;
}

// The stretches of memory that are not sent yet. Neighbours are one.
class Rest {
 public:
  void add(std::string_view bytes, std::size_t& skipped) {
    const std::size_t done = std::min(skipped, bytes.size());
    skipped -= done;
    bytes.remove_prefix(done);
    if (bytes.empty()) return;
    left_ += bytes.size();
    if (count_ > 0) {
      iovec& last = parts_[count_ - 1];
      if (static_cast<const char*>(last.iov_base) + last.iov_len == bytes.data()) {
        last.iov_len += bytes.size();
        return;
      }
    }
    parts_[count_++] = {const_cast<char*>(bytes.data()), bytes.size()};
  }

  std::size_t left() const { return left_; }
  ssize_t send(int socket) {
    constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
    // The kernel copies a msghdr in about 0.1 us.
    if (count_ == 1) return ::send(socket, parts_[0].iov_base, parts_[0].iov_len, kFlags);
    msghdr message{};
    message.msg_iov = parts_.data();
    message.msg_iovlen = count_;
    return ::sendmsg(socket, &message, kFlags);
  }

 private:
  std::array<iovec, 4> parts_{};
  std::size_t count_ = 0, left_ = 0;
};

}  // namespace

Stream::Stream(Socket socket, Plan plan, Host& host)
    : Timed(host.deadlines()),
      socket_(std::move(socket)),
      host_(host),
      head_(std::move(plan.head)),
      grant_(std::move(plan.grant)),
      place_(std::move(plan.place)),
      n_(static_cast<std::uint8_t>(plan.n)) {
  parts_.reserve(plan.topics.size());
  for (std::size_t i = 0; i < plan.topics.size(); ++i) {
    Part& part = parts_.emplace_back();
    part.topic = plan.topics[i];
    if (i < plan.held.size()) part.sent = plan.held[i];
    part.topic->join(*this, static_cast<std::uint8_t>(i), part.place);
  }
  if (plan.form == Form::frames) frames_ = std::make_unique<FrameReader>();
}

void Stream::begin(std::string_view early) {
  const auto self = shared_from_this();
  const Time now = steady_now();
  comment_at_ = now + kCommentEvery;
  std::string lead = std::exchange(head_, {});
  if (!frames_) lead += retry();
  for (std::size_t i = 0; i < parts_.size() && !closed_; ++i) {
    if (!is_due(parts_[i])) continue;
    if (in_flight_) {
      parts_[i].waits = true;
    } else {
      send_state(static_cast<std::uint8_t>(i), std::exchange(lead, {}), now);
    }
  }
  if (!lead.empty()) send({std::move(lead), nullptr, {}});
  if (!take(early)) return;
  set_next_deadline();
  wait_for_bytes();
}

// A viewer that never had the board is not told that it is gone.
bool Stream::is_due(const Part& part) const {
  const StatePtr& state = part.topic->state();
  if (!state) return false;
  return state->is_gone() ? static_cast<bool>(part.sent) : !is_held(part.sent, state->id());
}

void Stream::offer(std::uint8_t index, Time now) {
  Part& part = parts_[index];
  if (closed_ || !is_due(part)) return;
  if (in_flight_) {
    if (std::exchange(part.waits, true)) ++host_.metrics().conflated;
    return;
  }
  if (part.sent_at != 0 && now < part.sent_at + host_.pacer().interval()) {
    return host_.pacer().again(*part.topic);
  }
  send_state(index, {}, now);
}

void Stream::send_state(std::uint8_t index, std::string lead, Time now) {
  Part& part = parts_[index];
  Message message{std::move(lead), part.topic->state(), {}};
  part.sent = message.state->id();
  part.sent_at = now;
  part.waits = false;
  if (frames_) {
    message.pieces = message.state->json(n_);
    message.lead += frame_head(Opcode::text, size_of(message.pieces));
  } else if (parts_.size() == 1) {
    message.pieces = message.state->event(n_);
  } else {
    message.pieces = message.state->event_without_id(n_);
    message.lead += joined_ids();
  }
  ++host_.metrics().events;
  send(std::move(message));
}

std::string Stream::joined_ids() const {
  std::string line = "id: ";
  for (const Part& part : parts_) {
    if (&part != &parts_.front()) line += ',';
    line += to_text(part.sent);
  }
  line += '\n';
  return line;
}

void Stream::send(Message message) {
  std::size_t done = 0;
  if (!write(message, done)) return;
  if (done == message.lead.size() + size_of(message.pieces)) return;
  in_flight_ = std::make_unique<InFlight>(InFlight{std::move(message), done, steady_now()});
  set_next_deadline();
  wait_for_room();
}

void Stream::send_control(std::string frame) {
  if (!in_flight_) return send({std::move(frame), nullptr, {}});
  control_ = std::make_unique<std::string>(std::move(frame));  // only the last one is of use
}

// Writes what the socket takes. Returns false if it was closed.
bool Stream::write(const Message& message, std::size_t& done) {
  while (true) {
    Rest rest;
    std::size_t skipped = done;
    rest.add(message.lead, skipped);
    for (const std::string_view piece : message.pieces) rest.add(piece, skipped);
    if (rest.left() == 0) return true;
    const ssize_t sent = rest.send(socket_.native_handle());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (sent < 0) {
      close(Closed::left);
      return false;
    }
    done += static_cast<std::size_t>(sent);
    host_.metrics().sent_bytes += static_cast<std::uint64_t>(sent);
    if (static_cast<std::size_t>(sent) < rest.left()) return true;  // it is full
  }
}

void Stream::wait_for_room() {
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](auto failed) {
    if (!failed && !self->closed_) self->on_room();
  });
}

void Stream::on_room() {
  const Time now = steady_now();
  const std::size_t before = in_flight_->done;
  if (!write(in_flight_->message, in_flight_->done)) return;
  if (in_flight_->done != before) in_flight_->since = now;
  const Message& message = in_flight_->message;
  if (in_flight_->done < message.lead.size() + size_of(message.pieces)) {
    set_next_deadline();
    return wait_for_room();
  }
  in_flight_.reset();
  set_next_deadline();
  if (const auto control = std::exchange(control_, nullptr)) send({*control, nullptr, {}});
  for (std::size_t i = 0; i < parts_.size() && !closed_ && !in_flight_; ++i) {
    offer(static_cast<std::uint8_t>(i), now);
  }
}

void Stream::set_next_deadline() {
  if (closed_) return;
  set_deadline(in_flight_ ? in_flight_->since + kTakesWithin : comment_at_);
}

void Stream::on_deadline(Time now) {
  const auto self = shared_from_this();
  if (in_flight_) return close(Closed::slow);
  comment_at_ = now + kCommentEvery;
  stray_ = 0;
  send_control(frames_ ? frame_head(Opcode::ping, 0) : std::string(kComment));
  set_next_deadline();
}

void Stream::wait_for_bytes() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](auto failed) {
    if (!failed && !self->closed_) self->on_bytes();
  });
}

void Stream::on_bytes() {
  std::array<char, 2048> bytes;
  const ssize_t size = ::recv(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size == 0) return close(Closed::left);
  if (size < 0) {
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return close(Closed::left);
  } else if (!take({bytes.data(), static_cast<std::size_t>(size)})) {
    return;
  }
  wait_for_bytes();
}

// Takes what the viewer sent. Returns false if the stream was closed.
bool Stream::take(std::string_view bytes) {
  stray_ += static_cast<std::uint32_t>(bytes.size());
  if (stray_ > kStrayBytesMax) {
    close(Closed::abuse);
    return false;
  }
  while (frames_ && !bytes.empty() && !closed_) {
    switch (frames_->read(bytes)) {
      case FrameReader::Read::more: break;
      case FrameReader::Read::broken:
        send_control(close_frame(1002));
        close(Closed::abuse);
        break;
      case FrameReader::Read::control: {
        const FrameReader::Control& control = frames_->control();
        if (control.opcode == Opcode::ping) {
          send_control(frame_head(Opcode::pong, control.payload.size()) + control.payload);
        } else if (control.opcode == Opcode::close) {
          send_control(control.payload.empty() ? frame_head(Opcode::close, 0) : close_frame(1000));
          close(Closed::left);
        }
      }
    }
  }
  return !closed_;
}

void Stream::send_away() {
  const auto self = shared_from_this();
  if (!in_flight_) send({frames_ ? close_frame(1012) : retry(), nullptr, {}});
  close(Closed::ending);
}

void Stream::close(Closed why) {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  host_.metrics().count(why);
  set_deadline(std::nullopt);
  for (Part& part : parts_) part.topic->leave(part.place);
  parts_.clear();
  in_flight_.reset();
  grant_.reset();
  place_ = {};
  boost::system::error_code ignored;
  socket_.close(ignored);
  host_.ended(*this);
}

}  // namespace laurel::web
