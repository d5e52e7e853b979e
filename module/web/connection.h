// connection.h - a connection that sends requests, until it ends or becomes a stream.
//
//   requests  one after the other. A request's head has kHeaderBytesMax and kHeaderWithin.
//   answers   are written at once. What the socket does not take waits, and the next request, too.
//   ended     after kIdleAfter without a request, when it takes nothing of an answer for
//             kTakesWithin, and after an answer that says so.
//   memory    what is not read yet: none while it is idle, kHeaderBytesMax at most.
//   owner     the host, until ended() is called.
//   threads   one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/ip/address.hpp>

#include "web/deadlines.h"
#include "web/http/answer.h"
#include "web/http/request.h"
#include "web/metrics.h"
#include "web/places.h"
#include "web/stream.h"

namespace laurel::web {

// An answer; or the connection becomes a stream.
using Reply = std::variant<Answer, Stream::Plan>;
using OnReply = std::function<void(Reply)>;

class Connection final : public std::enable_shared_from_this<Connection>, private Timed {
 public:
  // What it may be asked for.
  enum class Port : std::uint8_t { site, metrics };

  class Host {
   public:
    virtual Metrics& metrics() = 0;
    virtual Deadlines& deadlines() = 0;
    // Calls back once, now or later.
    virtual void handle(const Request& request, const boost::asio::ip::address& peer, Port port,
                        OnReply on_reply) = 0;
    // The connection has become a stream.
    //   early   what it sent after its request
    virtual void open_stream(Socket socket, Stream::Plan plan, std::string_view early) = 0;
    // It was answered: it is not the one that is silent for longest.
    virtual void answered(Connection& connection) = 0;
    // It uses nothing of the host from now on.
    virtual void ended(Connection& connection) = 0;

   protected:
    ~Host() = default;
  };

  Connection(Socket socket, const boost::asio::ip::address& peer, Port port, Places::Place place,
             Host& host);
  ~Connection() override = default;

  void begin();
  // Ends it. What is not written yet is lost.
  void close();

 private:
  enum class Phase : std::uint8_t { reading, answering, writing, lingering };

  void on_deadline(Time now) override;
  void wait_for_bytes();
  void on_bytes();
  void linger(std::string_view bytes);
  void read_request();
  void handle(const Request& request);
  void reply(Reply reply);
  void fail(const Failure& failure);
  void write(std::string text);
  void write_rest();
  void written();

  Socket socket_;
  boost::asio::ip::address peer_;
  Port port_;
  Places::Place place_;
  Host& host_;
  Phase phase_ = Phase::reading;
  std::string input_;         // not handled yet
  std::size_t searched_ = 0;  // of input_, for the end of a head
  std::string output_;
  std::size_t done_ = 0;      // of output_
  std::size_t lingered_ = 0;  // bytes
  bool is_head_ = false;      // the request is HEAD
  bool keep_alive_ = true;
  bool closed_ = false;
};

}  // namespace laurel::web
