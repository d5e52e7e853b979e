#include "remote/request/player_request.h"

namespace laurel {

namespace request {

ProfileFields SavePlayer::view() const {
  return {.id = id, .name = name, .email = email, .attributes = attributes};
}

NewSession RecordSession::view() const {
  return {.player = player,
          .game = game,
          .score = score,
          .seconds = seconds,
          .data = data,
          .at = at,
          .id = id};
}

}  // namespace request

}  // namespace laurel
