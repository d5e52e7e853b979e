// stream.h - a viewer: an open event stream or WebSocket that shows the newest states of topics.
//
//   state     each message is a whole state. While one is being taken at most the newest of each
//             topic waits; those between are not sent.
//   written   at once, into the socket. Only if the socket is full the rest is kept, and the stream
//             waits. The bytes are those of the state, which all viewers share.
//   ended     when the viewer leaves, takes nothing for kTakesWithin, or breaks a rule.
//   memory    about 0.9 KB, besides the kernel's.
//   owner     the host, until ended() is called.
//   threads   one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/container/small_vector.hpp>

#include "web/deadlines.h"
#include "web/feed/pacer.h"
#include "web/feed/topic.h"
#include "web/grants.h"
#include "web/http/websocket.h"
#include "web/metrics.h"
#include "web/places.h"

namespace laurel::web {

using Socket = boost::asio::ip::tcp::socket;

class Stream final : public std::enable_shared_from_this<Stream>, private Viewer, private Timed {
 public:
  class Host {
   public:
    virtual Pacer& pacer() = 0;
    virtual Metrics& metrics() = 0;
    virtual Deadlines& deadlines() = 0;
    // The stream uses nothing of the host from now on.
    virtual void ended(Stream& stream) = 0;

   protected:
    ~Host() = default;
  };
  enum class Form : std::uint8_t { events, frames };

  // What a stream shows, and how.
  struct Plan {
    Form form = Form::events;
    std::string head;  // of the answer; sent first
    std::vector<Topic*> topics;
    unsigned n = 0;             // entries, as State takes them
    std::vector<StateId> held;  // of each topic: the state that the viewer has
    Places::Place place;
    std::unique_ptr<Grants::Stream> grant;
  };

  Stream(Socket socket, Plan plan, Host& host);
  ~Stream() override = default;

  // Sends the head and the first states.
  //   early   what the viewer sent after its request
  void begin(std::string_view early);

  // Tells the viewer to come again, and ends.
  void send_away();

 private:
  struct Part {
    Topic* topic = nullptr;
    StateId sent;  // what the viewer has
    Time sent_at = 0;
    std::uint32_t place = 0;  // in the topic
    bool waits = false;       // for the message in flight
  };
  // A message: the lead, and pieces of a state.
  struct Message {
    std::string lead;
    StatePtr state;
    State::Pieces pieces{};
  };
  // A message that the socket did not take whole.
  struct InFlight {
    Message message;
    std::size_t done = 0;  // bytes
    Time since = 0;        // when the viewer took some last
  };

  void offer(std::uint8_t part, Time now) override;
  void on_deadline(Time now) override;

  bool is_due(const Part& part) const;
  void send_state(std::uint8_t part, std::string lead, Time now);
  std::string joined_ids() const;
  void send(Message message);
  void send_control(std::string frame);
  bool write(const Message& message, std::size_t& done);
  void wait_for_room();
  void on_room();
  void wait_for_bytes();
  void on_bytes();
  bool take(std::string_view bytes);
  void set_next_deadline();
  void close(Closed why);

  Socket socket_;
  Host& host_;
  boost::container::small_vector<Part, 1> parts_;
  std::string head_;
  std::unique_ptr<InFlight> in_flight_;
  std::unique_ptr<FrameReader> frames_;   // of a WebSocket
  std::unique_ptr<std::string> control_;  // a frame that waits for the message in flight
  std::unique_ptr<Grants::Stream> grant_;
  Places::Place place_;
  Time comment_at_ = 0;
  std::uint32_t stray_ = 0;  // bytes from the viewer since the last comment
  std::uint8_t n_ = 0;
  bool closed_ = false;
};

}  // namespace laurel::web
