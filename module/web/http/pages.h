// pages.h - the pages, scripts and styles in module/web/pages, which are a part of the program.
//
//   threads   any: they are constants.
#pragma once

#include <string_view>

namespace laurel::web {

struct Page {
  std::string_view name;  // of the file
  std::string_view type;  // for Content-Type
  std::string_view etag;  // with its quotes; changes with the bytes
  std::string_view bytes;
};

// Null if there is no file of that name.
const Page* page(std::string_view name);

}  // namespace laurel::web
