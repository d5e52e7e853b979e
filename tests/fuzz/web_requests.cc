// What browsers send to laurel-web: any head of a request is read or refused, and what is read
// has a route or an error.
//
// Input: the bytes of a connection.
#include <string>
#include <string_view>
#include <variant>

#include "fuzz/target.h"
#include "web/feed/state.h"
#include "web/http/address.h"
#include "web/http/limits.h"
#include "web/http/request.h"
#include "web/me.h"
#include "web/routes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laurel;
  std::string_view bytes(reinterpret_cast<const char*>(data), std::min(size, web::kHeaderBytesMax));
  while (const auto end = web::end_of_head(bytes, 0)) {
    const std::string head(bytes.substr(0, *end));  // a copy, so that sanitizers see its end
    bytes.remove_prefix(*end);
    for (const std::size_t cut : {*end / 2, *end - 1}) {
      fuzz::must(!web::end_of_head(std::string_view(head).substr(0, cut), 0), "no end before it");
      fuzz::must(web::end_of_head(head, cut) == *end, "the end is found from any cut");
    }
    const auto read = web::request_of(head);
    if (const auto* failure = std::get_if<web::Failure>(&read)) {
      fuzz::must(failure->status == 400, "what is not read is 400");
      continue;
    }
    const auto& request = std::get<web::Request>(read);
    fuzz::must(!request.path.empty(), "a path has a segment");
    const auto route = web::route_of(request);
    if (const auto* failure = std::get_if<web::Failure>(&route)) {
      fuzz::must(failure->status == 400 || failure->status == 404, "no route is 400 or 404");
      fuzz::must(!failure->error.empty(), "an error has a sentence");
    }
    (void)web::forwarded_for(request.forwarded_for);
    (void)web::bearer_token(request.authorization.value_or(""));
    const web::StateId id = web::state_id_of(request.last_event_id.value_or(""));
    if (id) fuzz::must(web::is_held(web::state_id_of(web::to_text(id)), id), "an id is read back");
  }
  return 0;
}
