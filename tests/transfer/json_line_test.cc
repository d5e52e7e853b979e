// Text in JSON: UTF-8 stays readable, and other bytes survive.
#include "transfer/json_line.h"

#include <random>

#include <doctest/doctest.h>

namespace laurel {

TEST_CASE("UTF-8 text is a JSON string") {
  for (const std::string_view text : {"", "alice", "émile", "\xF0\x9F\x8F\x86", "a\nb\"\\\x01"}) {
    CAPTURE(text);
    CHECK(json_text(text).is_string());
    CHECK(text_of(json_text(text)) == text);
  }
}

TEST_CASE("bytes that are not UTF-8 are base64 and are read back") {
  CHECK(json_text("\xFF").dump() == R"({"base64":"/w=="})");
  CHECK(json_text("\xC3(").dump() == R"({"base64":"wyg="})");
  CHECK(json_text("\xED\xA0\x80").is_object());  // half of a surrogate pair
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    CHECK(text_of(Json::parse(json_text(bytes).dump())) == bytes);
  }
}

TEST_CASE("a JSON value that is not text reads as absent") {
  for (const char* damaged :
       {"1", "null", "[]", "{}", R"({"base64":1})", R"({"base64":"a"})", R"({"base64":"a==="})",
        R"({"base64":"=aaa"})", R"({"base64":"a b="})", R"({"base64":"aaaa","more":1})"}) {
    CAPTURE(damaged);
    CHECK_FALSE(text_of(Json::parse(damaged)));
  }
}

TEST_CASE("an object reports its first error") {
  const Json value = Json::parse(R"({"a":1,"b":"x","c":1.5,"d":18446744073709551615})");
  JsonObject object("thing", value);
  CHECK(object.integer("a") == 1);
  CHECK(object.text("b") == "x");
  CHECK(object.number("c") == 1.5);
  CHECK(object.status());
  CHECK(object.integer("d") == 0);
  CHECK(object.text("missing").empty());
  CHECK(object.status().refusal().text() == "bad_data: thing: 'd' takes a whole number");
}

}  // namespace laurel
