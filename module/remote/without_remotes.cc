// In a library without remotes: in place of remote_factory.cc and the folders redis and dynamodb.
#include "registry/remotes.h"
#include "remote/remote.h"

namespace laurel {

Status remotes_are_built() {
  return Refusal(Code::unsupported,
                 "this laurel was built without remotes, which LAUREL_REMOTES of its build adds");
}

Result<std::unique_ptr<Remote>> open_remote(std::string_view) {
  return remotes_are_built().refusal();
}

}  // namespace laurel
