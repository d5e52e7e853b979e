/* race.c - a 24-hour race of 1,539 runners.
 *
 * Every runner has a final distance, one hundred metres less than that of the runner before. The
 * pace varies around the average, and the deviation is zero at the end. So the order changes all
 * day, and the followed runner, number 211, ends 211th of 1539.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

enum { RUNNERS = 1539, FOLLOWED = 211 };
static const double kHours = 24.0;
static const double kWinnerKm = 300.0;
static const double kBetweenKm = 0.1;
static const double kPi = 3.14159265358979323846;

static const char *const kFirst[] = {
    "Ada",  "Aino", "Arlo", "Bea",  "Bram", "Cleo", "Cora", "Dag",  "Dora", "Edda",
    "Eino", "Elio", "Enya", "Fay",  "Finn", "Gaia", "Hank", "Ida",  "Ilse", "Ivo",
    "Jara", "Jonas", "Juno", "Kaja", "Kai", "Lars", "Lena", "Lou",  "Mads", "Mika",
    "Nell", "Nils", "Odin", "Orla", "Pia",  "Rhea", "Runa", "Sven", "Tove", "Yara"};
static const char *const kLast[] = {
    "Abel",  "Berg",  "Bloom", "Brook", "Cole",  "Dahl",  "Dale",  "Falk",  "Field", "Finch",
    "Frost", "Grove", "Hale",  "Hart",  "Heath", "Holm",  "Hurst", "Kerr",  "Lake",  "Lind",
    "Marsh", "Moor",  "North", "Oaks",  "Park",  "Quill", "Reed",  "Ridge", "Rowe",  "Sand",
    "Stone", "Storm", "Thorn", "Vale",  "Voss",  "Ward",  "Wells", "West",  "Winter", "Wood"};
enum { FIRSTS = sizeof kFirst / sizeof *kFirst, LASTS = sizeof kLast / sizeof *kLast };

typedef struct runner {
  char name[24];
  double total_km;
  double wave;  /* how often the pace rises and falls */
  double sway_km; /* the maximum deviation from the average */
  long hectometres; /* distance so far */
} runner;

typedef struct race {
  feed base;
  double progress;
  char text[64];
  runner runners[RUNNERS];
} race;

static double distance_at(const runner *self, double progress) {
  return self->total_km * progress + self->sway_km * sin(kPi * self->wave * progress);
}

static void play(feed *base, double progress,
                 void (*emit)(void *, const char *, const laurel_value *, size_t), void *context) {
  race *self = (race *)base;
  int i;
  self->progress = progress;
  for (i = 0; i < RUNNERS; ++i) {
    runner *runs = &self->runners[i];
    const long reached = lround(distance_at(runs, progress) * 10);
    if (reached > runs->hectometres) {
      laurel_value values[2];
      values[0] = string_value(runs->name, strlen(runs->name));
      values[1] = number_value((double)(reached - runs->hectometres) / 10);
      runs->hectometres = reached;
      emit(context, "stride", values, 2);
    }
  }
}

static const char *describe(feed *base) {
  race *self = (race *)base;
  snprintf(self->text, sizeof self->text, "%.1f of %.0f hours", self->progress * kHours, kHours);
  return self->text;
}

static void close_race(feed *base) { free(base); }

feed *race_open(void) {
  race *self = calloc(1, sizeof *self);
  unsigned random = 1;
  int i;
  if (!self) return NULL;
  for (i = 0; i < RUNNERS; ++i) {
    runner *runs = &self->runners[i];
    const unsigned name = (unsigned)i * 421U % (FIRSTS * LASTS); /* 421 shares no divisor with 1600 */
    snprintf(runs->name, sizeof runs->name, "%s %s", kFirst[name % FIRSTS], kLast[name / FIRSTS]);
    random = random * 1664525U + 1013904223U;
    runs->total_km = kWinnerKm - kBetweenKm * i;
    runs->wave = 1 + (double)(random >> 16 & 3U);
    runs->sway_km = (double)(random >> 20 & 1023U) / 1023.0 * 4.0 - 2.0;
  }
  self->base.play = play;
  self->base.describe = describe;
  self->base.close = close_race;
  self->base.board = "race";
  self->base.follow = self->runners[FOLLOWED - 1].name;
  return &self->base;
}
