#include "remote/dynamodb/net/http.h"

#include <algorithm>
#include <curl/curl.h>
#include <deque>
#include <unordered_map>
#include <utility>

#include "base/steady_clock.h"
#include "remote/limits.h"

namespace laurel::dynamodb {

namespace {

constexpr long kConnectWithinMs = 1'000;
constexpr std::string_view kTooLarge = "the response is larger than DynamoDB's limit";

// Once per process, and never undone: other libraries in it may use libcurl too.
void begin_curl() {
  static const CURLcode begun = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)begun;
}

struct Easy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct Headers {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

struct Call {
  std::unique_ptr<CURL, Easy> easy;
  std::unique_ptr<curl_slist, Headers> headers;
  std::string target;
  std::string body;
  Time begun = 0;
  Time deadline = 0;
  Http::Ended ended;
  HttpAnswer answer;
  bool too_large = false;
};

std::size_t receive(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& call = *static_cast<Call*>(user);
  if (call.answer.body.size() + size > kDynamoAnswerBytesMax) {
    call.too_large = true;
    return 0;
  }
  call.answer.body.append(bytes, size);
  return size;
}

}  // namespace

class Http::State {
 public:
  explicit State(Place place) : place_(std::move(place)) {
    begin_curl();
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(kDynamoConnections));
    user_ = place_.credentials.key + ":" + place_.credentials.secret;
    signer_ = "aws:amz:" + place_.region + ":dynamodb";
  }

  ~State() {
    for (const auto& [easy, call] : calls_) curl_multi_remove_handle(multi_, easy);
    calls_.clear();
    idle_.clear();
    curl_multi_cleanup(multi_);
  }

  void post(std::string_view target, std::string body, Time timeout, Ended ended) {
    auto call = std::make_unique<Call>();
    call->target = target;
    call->body = std::move(body);
    call->begun = steady_now();
    call->deadline = call->begun + std::max<Time>(timeout, 1'000);
    call->ended = std::move(ended);
    queue_.push_back(std::move(call));
  }

  void turn(Time at_most) {
    begin_queued();
    int running = 0;
    curl_multi_perform(multi_, &running);
    if (!tell_ended()) {
      if (const std::optional<Time> next = next_deadline()) {
        at_most = std::min(at_most, std::max<Time>(*next - steady_now(), 0));
      }
      const int ms = static_cast<int>((at_most + 999) / 1'000);
      curl_multi_poll(multi_, nullptr, 0, ms, nullptr);
      curl_multi_perform(multi_, &running);
      tell_ended();
    }
    expire_queued();
  }

  void wake() { curl_multi_wakeup(multi_); }
  std::size_t under_way() const { return calls_.size() + queue_.size(); }

 private:
  void begin_queued() {
    while (!queue_.empty() && calls_.size() < kDynamoConnections) {
      std::unique_ptr<Call> call = std::move(queue_.front());
      queue_.pop_front();
      begin(std::move(call));
    }
  }

  // Signs as late as possible: a signature is valid only for minutes.
  void begin(std::unique_ptr<Call> call) {
    const Time left = call->deadline - steady_now();
    if (left <= 0) return expire(std::move(call));
    if (idle_.empty()) {
      call->easy.reset(curl_easy_init());
    } else {
      call->easy = std::move(idle_.back());
      idle_.pop_back();
    }
    CURL* easy = call->easy.get();
    curl_slist* list = nullptr;
    list = curl_slist_append(list, "Content-Type: application/x-amz-json-1.0");
    list = curl_slist_append(list, ("X-Amz-Target: " + call->target).c_str());
    list = curl_slist_append(list, "Expect:");
    if (!place_.credentials.session.empty()) {
      const std::string token = "X-Amz-Security-Token: " + place_.credentials.session;
      list = curl_slist_append(list, token.c_str());
    }
    call->headers.reset(list);
    curl_easy_setopt(easy, CURLOPT_URL, (place_.endpoint + "/").c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(easy, CURLOPT_USERPWD, user_.c_str());
    curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, signer_.c_str());
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(call->body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body.c_str());
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call.get());
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectWithinMs);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>((left + 999) / 1'000));
    curl_multi_add_handle(multi_, easy);
    calls_.emplace(easy, std::move(call));
  }

  static void expire(std::unique_ptr<Call> call) {
    call->answer.error = "the call waited too long for a connection";
    call->answer.timed_out = true;
    call->answer.took = steady_now() - call->begun;
    call->ended(std::move(call->answer));
  }

  void expire_queued() {
    const Time now = steady_now();
    while (!queue_.empty() && queue_.front()->deadline <= now) {
      std::unique_ptr<Call> call = std::move(queue_.front());
      queue_.pop_front();
      expire(std::move(call));
    }
  }

  std::optional<Time> next_deadline() const {
    if (queue_.empty()) return std::nullopt;
    return queue_.front()->deadline;
  }

  // Returns whether any call had ended.
  bool tell_ended() {
    bool any = false;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      any = true;
      const auto found = calls_.find(message->easy_handle);
      std::unique_ptr<Call> call = std::move(found->second);
      const CURLcode code = message->data.result;  // freed with its handle
      calls_.erase(found);
      curl_multi_remove_handle(multi_, call->easy.get());
      finish(*call, code);
      idle_.push_back(std::move(call->easy));
      call->ended(std::move(call->answer));
    }
    return any;
  }

  static void finish(Call& call, CURLcode code) {
    long status = 0;
    curl_off_t connected = 0;
    CURL* easy = call.easy.get();
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
    call.answer.took = steady_now() - call.begun;
    call.answer.sent = code == CURLE_OK || connected > 0;
    if (code == CURLE_OK) {
      call.answer.status = static_cast<int>(status);
    } else {
      call.answer.error = call.too_large ? kTooLarge : curl_easy_strerror(code);
      call.answer.timed_out = code == CURLE_OPERATION_TIMEDOUT;
    }
    curl_easy_reset(easy);  // keeps its connection
  }

  Place place_;
  std::string user_;
  std::string signer_;
  CURLM* multi_ = nullptr;
  std::deque<std::unique_ptr<Call>> queue_;  // in the order of posting
  std::unordered_map<CURL*, std::unique_ptr<Call>> calls_;
  std::vector<std::unique_ptr<CURL, Easy>> idle_;
};

Http::Http(Place place) : state_(std::make_unique<State>(std::move(place))) {}
Http::~Http() = default;
void Http::post(std::string_view target, std::string body, Time timeout, Ended ended) {
  state_->post(target, std::move(body), timeout, std::move(ended));
}
void Http::turn(Time at_most) { state_->turn(at_most); }
void Http::wake() { state_->wake(); }
std::size_t Http::under_way() const { return state_->under_way(); }
bool Http::is_full() const { return under_way() >= kDynamoCallsMax; }

}  // namespace laurel::dynamodb
