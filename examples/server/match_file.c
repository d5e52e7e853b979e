/* match_file.c - plays a CSV file of match events, from the first line to the last.
 *
 * The first line names the columns. Required, in any order: date (YYYY-MM-DD), team, scorer, minute
 * (a number or NA), own_goal and penalty (TRUE or FALSE). Other columns are ignored. Each line is
 * one event; fields with commas or quotes are quoted. Parsed by libcsv.
 */
#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "feed.h"

enum { DATE, TEAM, SCORER, MINUTE, OWN_GOAL, PENALTY, COLUMNS };
static const char *const kColumns[COLUMNS] = {"date",   "team",     "scorer",
                                              "minute", "own_goal", "penalty"};
enum { FIELDS_MAX = 64, FIELD_BYTES_MAX = 256 };

/* The fields of one line. */
typedef struct line {
  size_t count;
  char fields[FIELDS_MAX][FIELD_BYTES_MAX];
} line;

typedef struct goal {
  char *scorer;
  char *team;
  double time; /* Unix seconds */
  int own_goal;
  int penalty;
} goal;

typedef struct match_file {
  feed base;
  goal *goals;
  size_t count;
  size_t played;
  char text[96];
} match_file;

static void complain(const char *path, long number, const char *what, const char *value) {
  fprintf(stderr, "%s:%ld: %s%s%s%s; this line does not count\n", path, number, what,
          value ? " \"" : "", value ? value : "", value ? "\"" : "");
}

static void take_field(void *bytes, size_t size, void *context) {
  line *into = context;
  if (into->count < FIELDS_MAX) {
    char *field = into->fields[into->count];
    if (size > FIELD_BYTES_MAX - 1) size = FIELD_BYTES_MAX - 1;
    memcpy(field, bytes, size);
    field[size] = '\0';
  }
  ++into->count;
}

/* Returns 1 if the text is one complete, well-formed line of CSV. */
static int split(const char *text, size_t size, line *into) {
  struct csv_parser parser;
  int whole;
  into->count = 0;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0) return 0;
  whole = csv_parse(&parser, text, size, take_field, NULL, into) == size &&
          csv_fini(&parser, take_field, NULL, into) == 0;
  csv_free(&parser);
  return whole && into->count <= FIELDS_MAX;
}

/* The number of days from 1970-01-01 to a date of the Gregorian calendar.
 * Source: "chrono-Compatible Low-Level Date Algorithms", H. Hinnant: days_from_civil. */
static long days_from_date(long year, long month, long day) {
  long era, year_of_era, day_of_year, day_of_era;
  year -= month <= 2;
  era = (year >= 0 ? year : year - 399) / 400;
  year_of_era = year - era * 400;
  day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

static int parse_date(const char *text, double *seconds) {
  int year, month, day, end = 0;
  if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) != 3 || text[end] != '\0') return 0;
  if (month < 1 || month > 12 || day < 1 || day > 31) return 0;
  *seconds = (double)days_from_date(year, month, day) * 86400.0;
  return 1;
}

static int parse_minute(const char *text, double *minute) {
  char *end;
  *minute = 0;
  if (strcmp(text, "NA") == 0) return 1;
  *minute = strtod(text, &end);
  return end != text && *end == '\0' && *minute >= 0 && *minute <= 200;
}

static int parse_truth(const char *text, int *truth) {
  *truth = strcmp(text, "TRUE") == 0;
  return *truth || strcmp(text, "FALSE") == 0;
}

/* Appends the goal of the line. If the line is not valid, prints that and skips it. */
static int take_goal(match_file *self, const char *path, long number, const line *from,
                     const size_t *columns, size_t width) {
  goal taken;
  double minute;
  if (from->count != width) {
    complain(path, number, "another number of fields than the first line has", NULL);
    return 1;
  }
  if (!parse_date(from->fields[columns[DATE]], &taken.time)) {
    complain(path, number, "no date (YYYY-MM-DD):", from->fields[columns[DATE]]);
    return 1;
  }
  if (!parse_minute(from->fields[columns[MINUTE]], &minute)) {
    complain(path, number, "no minute (a number or NA):", from->fields[columns[MINUTE]]);
    return 1;
  }
  if (!parse_truth(from->fields[columns[OWN_GOAL]], &taken.own_goal) ||
      !parse_truth(from->fields[columns[PENALTY]], &taken.penalty)) {
    complain(path, number, "own_goal and penalty are TRUE or FALSE", NULL);
    return 1;
  }
  taken.time += minute * 60;
  if ((self->count & (self->count - 1)) == 0) { /* the array is full at every power of two */
    goal *larger = realloc(self->goals, (self->count ? self->count * 2 : 1) * sizeof *larger);
    if (!larger) return 0;
    self->goals = larger;
  }
  taken.scorer = strdup(from->fields[columns[SCORER]]);
  taken.team = strdup(from->fields[columns[TEAM]]);
  self->goals[self->count++] = taken;
  return taken.scorer && taken.team;
}

/* Finds the index of each column; returns 0 if one is missing. */
static int find_columns(const char *path, const line *header, size_t *columns) {
  size_t wanted, i;
  for (wanted = 0; wanted < COLUMNS; ++wanted) {
    for (i = 0; i < header->count && strcmp(header->fields[i], kColumns[wanted]) != 0; ++i) {
    }
    if (i == header->count) {
      fprintf(stderr, "%s:1: no column is called \"%s\"\n", path, kColumns[wanted]);
      return 0;
    }
    columns[wanted] = i;
  }
  return 1;
}

static int read_goals(match_file *self, const char *path, FILE *file) {
  static line parts;
  size_t columns[COLUMNS], width = 0, capacity = 0;
  char *text = NULL;
  long number = 0;
  ssize_t size;
  int going = 1;
  while (going && (size = getline(&text, &capacity, file)) > 0) {
    ++number;
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) text[--size] = '\0';
    if (size == 0) continue;
    if (!split(text, (size_t)size, &parts)) {
      complain(path, number, "no well-formed CSV", NULL);
    } else if (width == 0) {
      going = find_columns(path, &parts, columns);
      width = parts.count;
    } else {
      going = take_goal(self, path, number, &parts, columns, width);
    }
  }
  free(text);
  if (going && width == 0) fprintf(stderr, "%s: the file has no header line\n", path);
  return going && width > 0;
}

static void play(feed *base, double progress,
                 void (*emit)(void *, const char *, const laurel_value *, size_t), void *context) {
  match_file *self = (match_file *)base;
  const size_t until = progress >= 1 ? self->count : (size_t)(progress * (double)self->count);
  for (; self->played < until; ++self->played) {
    const goal *scored = &self->goals[self->played];
    laurel_value values[5];
    values[0] = string_value(scored->scorer, strlen(scored->scorer));
    values[1] = string_value(scored->team, strlen(scored->team));
    values[2] = number_value(scored->time);
    values[3] = boolean_value(scored->own_goal);
    values[4] = boolean_value(scored->penalty);
    emit(context, "goal", values, 5);
  }
}

static const char *describe(feed *base) {
  match_file *self = (match_file *)base;
  const time_t last = self->played ? (time_t)self->goals[self->played - 1].time : 0;
  struct tm date;
  char day[16] = "not begun";
  if (self->played && gmtime_r(&last, &date)) strftime(day, sizeof day, "%Y-%m-%d", &date);
  snprintf(self->text, sizeof self->text, "%s, %zu of %zu goals (%zu %%)", day, self->played,
           self->count, self->count ? self->played * 100 / self->count : 100);
  return self->text;
}

static void close_match_file(feed *base) {
  match_file *self = (match_file *)base;
  size_t i;
  for (i = 0; i < self->count; ++i) {
    free(self->goals[i].scorer);
    free(self->goals[i].team);
  }
  free(self->goals);
  free(self);
}

feed *match_file_open(const char *path) {
  match_file *self = calloc(1, sizeof *self);
  FILE *file = fopen(path, "rb");
  if (!self || !file) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    free(self);
    if (file) fclose(file);
    return NULL;
  }
  self->base.play = play;
  self->base.describe = describe;
  self->base.close = close_match_file;
  self->base.board = "goals";
  if (!read_goals(self, path, file)) {
    fclose(file);
    close_match_file(&self->base);
    return NULL;
  }
  fclose(file);
  return &self->base;
}
