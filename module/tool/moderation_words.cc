// The words of moderators: by the server that has the directory open, or in the directory itself.
#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "control/control_client.h"
#include "control/moderation.h"
#include "tool/words.h"
#include "tool/write_to_directory.h"

namespace laurel::tool {

namespace {

Result<std::string> moderate_here(const std::string& directory, const Moderation& order) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::path(directory) / "laurel.mdb", error)) {
    return Refusal(Code::unknown, "\"{}\" holds no boards", escaped(directory, 120));
  }
  std::string done;
  const Status written = write_to_directory(directory, {}, [&](Registry& registry) -> Status {
    const Result<std::string> outcome = moderate(registry, order);
    if (!outcome) return outcome.refusal();
    done = *outcome;
    return Done{};
  });
  if (!written) return written.refusal();
  return done;
}

}  // namespace

Result<Answer> moderate(const std::string& directory, const Moderation& order) {
  constexpr std::chrono::milliseconds kPatience(kControlAnswerWithin);
  auto given = ask_server(directory, order, kPatience);
  Result<std::string> done = given ? *given : moderate_here(directory, order);
  if (!given && !done && done.refusal().code() == Code::taken) {
    // A server may have begun meanwhile.
    given = ask_server(directory, order, kPatience);
    done = given ? *given
                 : Refusal(Code::taken, "{}; it takes no orders (control = false)",
                           done.refusal().message());
  }
  if (!done) return done.refusal();
  Answer answer;
  answer.notes.push_back(*done);
  return answer;
}

}  // namespace laurel::tool
