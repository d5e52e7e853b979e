#include "tool/answer.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fmt/core.h>

#include "base/text.h"
#include "base/time.h"
#include "tool/text_width.h"
#include "transfer/csv.h"

namespace laurel::tool {

namespace {

constexpr std::size_t kCellBytesMax = 120;  // of text in a table; JSON and CSV have all of it

bool is_right(const Column& column) {
  return column.kind == Column::Kind::number || column.kind == Column::Kind::score ||
         column.kind == Column::Kind::percentage;
}

std::string number_text(const Json& value) {
  return value.is_number_float() ? shown(value.get<double>()) : value.dump();
}

// A score of columns as it is read again: its values with commas.
std::string score_text(const Json& value) {
  if (!value.is_array()) return number_text(value);
  std::string text;
  for (const Json& each : value) text += (text.empty() ? "" : ",") + number_text(each);
  return text;
}

std::string time_text(const Json& value) {
  const std::optional<Time> time = time_from_seconds(value.get<double>());
  return time ? iso_time(*time) : "";
}

const Json* cell_of(const Json& row, const Column& column) {
  const auto found = row.find(column.field);
  return found == row.end() || found->is_null() ? nullptr : &*found;
}

// The bytes of a cell, without escapes and quotes.
std::string plain_text(const Json& value, const Column& column, bool for_people) {
  using Kind = Column::Kind;
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) {
    if (column.kind == Kind::time) return time_text(value);
    if (column.kind == Kind::percentage && for_people) {
      return fmt::format("{:.2f}", value.get<double>());
    }
    return number_text(value);
  }
  if (const std::optional<std::string> text = text_of(value)) return *text;
  return value.is_array() ? score_text(value) : value.dump();
}

std::string table_cell(const Json& row, const Column& column) {
  const Json* const value = cell_of(row, column);
  return value == nullptr ? "" : escaped(plain_text(*value, column, true), kCellBytesMax);
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t own = text_width(text);
  const std::string room(width > own ? width - own : 0, ' ');
  return right ? room + text : text + room;
}

// A message that was cut in the middle of a character is still written.
std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write(std::FILE* out, std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); }

void write_line(std::FILE* out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  write(out, line + '\n');
}

void show_table(const Table& table, bool colours, std::FILE* out) {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) {
    widths.push_back(table.has_header ? text_width(column.title) : 0);
  }
  for (const Json& row : table.rows) {
    auto& line = cells.emplace_back();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      line.push_back(table_cell(row, table.columns[i]));
      widths[i] = std::max(widths[i], text_width(line.back()));
    }
  }
  if (table.has_header) {
    std::string header;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      header += (i == 0 ? "" : "  ") + padded(column.title, widths[i], is_right(column));
    }
    header.erase(header.find_last_not_of(' ') + 1);
    write(out, colours ? "\x1b[1m" + header + "\x1b[0m\n" : header + '\n');
  }
  for (const auto& line : cells) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += (i == 0 ? "" : "  ") + padded(line[i], widths[i], is_right(table.columns[i]));
    }
    write_line(out, std::move(text));
  }
}

// Characters that Markdown or HTML would take for their own.
std::string markdown_text(const std::string& text) {
  std::string marked;
  for (const char c : text) {
    if (std::strchr("|\\`*_<>[]#~", c) != nullptr) marked += '\\';
    marked += c;
  }
  return marked;
}

void show_markdown(const Table& table, std::FILE* out) {
  std::string header = "|";
  std::string rule = "|";
  for (const Column& column : table.columns) {
    header += ' ' + (table.has_header ? column.title : column.field) + " |";
    rule += is_right(column) ? "---:|" : "---|";
  }
  write(out, header + '\n' + rule + '\n');
  for (const Json& row : table.rows) {
    std::string line = "|";
    for (const Column& column : table.columns) {
      line += ' ' + markdown_text(table_cell(row, column)) + " |";
    }
    write(out, line + '\n');
  }
}

void show_csv(const Table& table, std::FILE* out) {
  std::string line;
  for (const Column& column : table.columns) line += (line.empty() ? "" : ",") + column.field;
  write(out, line + '\n');
  for (const Json& row : table.rows) {
    line.clear();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) line += ',';
      const Column& column = table.columns[i];
      const Json* const value = cell_of(row, column);
      if (value != nullptr) line += csv_text(plain_text(*value, column, false));
    }
    write(out, line + '\n');
  }
}

}  // namespace

Status show(const Answer& answer, Form form, bool colours, std::FILE* out) {
  if (form == Form::json || (form == Form::jsonl && !answer.json.is_array())) {
    write(out, dumped(answer.json) + '\n');
  } else if (form == Form::jsonl) {
    for (const Json& each : answer.json) write(out, dumped(each) + '\n');
  } else if (form == Form::csv) {
    for (const std::string& line : answer.csv) write(out, line + '\n');
    if (answer.csv.empty() && !answer.tables.empty()) show_csv(answer.tables.front(), out);
  } else {
    for (std::size_t i = 0; i < answer.tables.size(); ++i) {
      if (i > 0) write(out, "\n");
      if (form == Form::md) {
        show_markdown(answer.tables[i], out);
      } else {
        show_table(answer.tables[i], colours, out);
      }
    }
    if (!answer.notes.empty() && !answer.tables.empty()) write(out, "\n");
    for (const std::string& note : answer.notes) write(out, note + '\n');
    if (!answer.caveat.empty()) write(out, "\n" + answer.caveat + '\n');
  }
  if (std::fflush(out) == 0 && std::ferror(out) == 0) return Done{};
  return Refusal(Code::unavailable, "writing the answer: {}", std::strerror(errno));
}

}  // namespace laurel::tool
