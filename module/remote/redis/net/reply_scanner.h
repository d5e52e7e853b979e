// reply_scanner.h - checks a server's bytes before hiredis reads them. hiredis allocates a list as
// soon as its length is announced, and some versions have no limit for it.
//
//   limits    of one answer, with what is nested in it: kRedisAnswerElementsMax and
//             kRedisAnswerBytesMax; of a text kRedisTextBytesMax; of a line kRedisLineBytesMax.
//   types     of RESP 2 only: laurel never asks for RESP 3.
//   threads   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::redis {

class ReplyScanner {
 public:
  // Reads the next bytes of the stream. Returns why the connection must end; empty: it need not.
  // After that, nothing more can be scanned.
  std::string scan(std::string_view bytes);

  // Answers that have come whole.
  std::uint64_t replies() const { return replies_; }

 private:
  std::string read_line();
  std::string begin_text(std::int64_t size);
  std::string begin_list(std::int64_t size);
  std::string add_bytes(std::size_t bytes);
  void end_element();

  std::string line_;            // the first bytes of a line that has not ended
  std::size_t text_left_ = 0;   // bytes of a text to come, with its end
  std::uint64_t expected_ = 1;  // elements of the current answer to come; it is one itself
  std::size_t elements_ = 0;    // announced in the current answer
  std::size_t bytes_ = 0;       // of the current answer: lines and announced texts
  std::uint64_t replies_ = 0;
};

}  // namespace laurel::redis
