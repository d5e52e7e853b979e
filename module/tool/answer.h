// answer.h - what a word of the command line has found, and the forms in which it is written.
//
//   json     one value, on one line. Its fields are those of the Lua API.
//   jsonl    the items of an array, one a line; any other value on one line.
//   table    for people: numbers right, text left. Control bytes are escaped, and wide characters
//            are measured (text_width.h).
//   md       the same as Markdown tables.
//   csv      lines that the word made, or the first table with the names of its fields as header.
//   colours  of headers, on terminals only.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/result.h"
#include "transfer/json_line.h"

namespace laurel::tool {

enum class Form : std::uint8_t { table, json, jsonl, csv, md };

struct Column {
  enum class Kind : std::uint8_t { text, number, score, time, percentage };

  std::string title;  // in tables
  std::string field;  // of the rows
  Kind kind = Kind::text;
};

struct Table {
  std::vector<Column> columns;
  Json rows = Json::array();  // objects; a field that is missing is an empty cell
  bool has_header = true;     // else the first column names the second one
};

struct Answer {
  Json json;
  std::vector<Table> tables;
  std::vector<std::string> csv;    // lines; none: the first table
  std::vector<std::string> notes;  // sentences below the tables
  // A sentence that no form leaves out: below the tables, else in a line on standard error.
  std::string caveat;
  std::vector<std::string> problems;  // what was found; then the status is 1
};

// Writes the answer. Fails with unavailable.
Status show(const Answer& answer, Form form, bool colours, std::FILE* out);

}  // namespace laurel::tool
