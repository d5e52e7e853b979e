# Writes the table of pages (http/pages.h) from the files of a folder.
#
#   cmake -DFOLDER=FOLDER -DOUTPUT=FILE -P embed_pages.cmake

file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_json "application/json; charset=utf-8")
set(type_txt "text/plain; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_png "image/png")
set(type_ico "image/x-icon")
set(type_woff2 "font/woff2")
set(arrays "")
set(rows "")
set(number 0)
foreach(file ${files})
  string(REGEX REPLACE "^.*\\." "" ending ${file})
  if(NOT DEFINED type_${ending})
    message(FATAL_ERROR "${file}: no content type is known for \"${ending}\"")
  endif()
  file(READ ${FOLDER}/${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
    "\\1\n" bytes "${bytes}")
  file(SHA256 ${FOLDER}/${file} hash)
  string(SUBSTRING ${hash} 0 16 etag)
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${file}\", \"${type_${ending}}\", \"\\\"${etag}\\\"\", view(kFile${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${OUTPUT}.new "// Made by module/web/embed_pages.cmake.
#include \"web/http/pages.h\"

#include <cstddef>

namespace laurel::web {

namespace {

${arrays}
// Without the zero that ends each.
template <std::size_t n>
std::string_view view(const unsigned char (&bytes)[n]) {
  return {reinterpret_cast<const char*>(bytes), n - 1};
}

}  // namespace

const Page* page(std::string_view name) {
  static const Page pages[] = {
${rows}  };
  for (const Page& each : pages) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace laurel::web
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
