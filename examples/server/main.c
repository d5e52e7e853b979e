/* main.c - a game server in C that uses laurel only through laurel.h.
 *
 *   server --laurel FILE --scripts DIR --rules DIR [--play FILE.csv] [--seconds N] [--port N]
 *          [--report FILE] [--budget N] [--path DIR] [--metrics FILE]
 *
 * It hosts the gameplay scripts of a directory, ticks at 20 Hz, sends them the events of the game,
 * and publishes the top ten. The first line on standard output is "port N"; then one line per
 * second has the progress. When the game is over and every client has acknowledged the last state,
 * it writes the final table and ends. Log lines go to standard error. With --budget, a call into
 * the scripts that runs more than N instructions is interrupted. With --path, the boards are kept in
 * that directory; with --metrics, they are measured for Prometheus in that file. If it is compiled
 * with LAUREL_MODULE, the path of laurel.so, --laurel may be left out.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LAUREL_LOADER
#include <laurel/laurel.h>

#include "feed.h"

enum { TICKS_A_SECOND = 20, TOP = 10, LAST_STATE_SECONDS_MAX = 5 };

typedef struct options {
  const char *laurel;
  const char *scripts;
  const char *rules;
  const char *play;
  const char *report;
  const char *path;
  const char *metrics;
  double seconds;
  unsigned port;
  uint64_t budget;
} options;

typedef struct server {
  const laurel_api *laurel;
  laurel_boards *boards;
  laurel_scripts *scripts;
  laurel_live *live;
  laurel_board board;
} server;

static volatile sig_atomic_t stopped = 0;
static void stop(int signal) {
  (void)signal;
  stopped = 1;
}

/* ---- callbacks of laurel */

static void on_log(void *context, int level, const char *text) {
  static const char *const kLevels[] = {"debug", "info", "warn", "error"};
  (void)context;
  fprintf(stderr, "%s: %s\n", kLevels[level], text);
}

/* Prints the events that scripts emit. */
static void on_emit(void *context, const char *event, const laurel_value *values, size_t count) {
  (void)context;
  if (strcmp(event, "banner") == 0 && count == 1 && values[0].type == LAUREL_STRING) {
    printf("%.*s\n", (int)values[0].string_size, values[0].string);
  }
}

static void emit(void *context, const char *event, const laurel_value *values, size_t count) {
  const server *self = context;
  self->laurel->emit(self->scripts, event, values, count);
}

/* ---- the server */

static int start(server *self, const options *chosen, const feed *game) {
  laurel_error error = {0};
  laurel_config config = {.struct_size = sizeof config, .log = on_log, .rules = chosen->rules,
                          .path = chosen->path, .metrics = chosen->metrics};
  laurel_scripts_config scripts = {
      .struct_size = sizeof scripts, .directory = chosen->scripts, .on_emit = on_emit,
      .instructions = chosen->budget};
  laurel_serve_config serve = {.struct_size = sizeof serve, .port = (uint16_t)chosen->port};
  char why[256];

  self->laurel = laurel_load(chosen->laurel, why, sizeof why);
  if (!self->laurel) {
    fprintf(stderr, "server: %s\n", why);
    return 0;
  }
  self->boards = self->laurel->open(&config, &error);
  if (self->boards) self->scripts = self->laurel->host_scripts(self->boards, &scripts, &error);
  if (self->scripts) self->live = self->laurel->serve(self->boards, &serve, &error);
  if (self->live &&
      !self->laurel->find(self->boards, game->board, &self->board)) {
    fprintf(stderr, "server: no script in %s keeps a board called \"%s\"\n", chosen->scripts,
            game->board);
    return 0;
  }
  if (!self->live ||
      self->laurel->publish(self->live, self->board, TOP, 0, &error) != LAUREL_OK) {
    fprintf(stderr, "server: %s\n", error.text);
    return 0;
  }
  printf("port %u\n", (unsigned)self->laurel->live_port(self->live));
  return 1;
}

static void tell_progress(const server *self, feed *game) {
  uint64_t rank = 0, size = 0;
  printf("%s", game->describe(game));
  if (game->follow &&
      self->laurel->rank(self->boards, self->board, game->follow, &rank, &size)) {
    const char *const suffix = rank % 100 / 10 == 1 ? "th"
                               : rank % 10 == 1     ? "st"
                               : rank % 10 == 2     ? "nd"
                               : rank % 10 == 3     ? "rd"
                                                    : "th";
    printf("; %s: %llu%s of %llu", game->follow, (unsigned long long)rank, suffix,
           (unsigned long long)size);
  }
  printf("\n");
}

/* Sleeps until the next tick is due. Missed ticks are skipped. */
static void wait_for_tick(struct timespec *due) {
  struct timespec now;
  due->tv_nsec += 1000000000L / TICKS_A_SECOND;
  if (due->tv_nsec >= 1000000000L) {
    due->tv_nsec -= 1000000000L;
    ++due->tv_sec;
  }
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec > due->tv_sec || (now.tv_sec == due->tv_sec && now.tv_nsec > due->tv_nsec)) {
    *due = now;
  }
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL) == EINTR && !stopped) {
  }
}

static void run(const server *self, feed *game, double seconds) {
  const long ticks = (long)(seconds * TICKS_A_SECOND);
  struct timespec due;
  long tick, waited;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (tick = 1; tick <= ticks && !stopped; ++tick) {
    wait_for_tick(&due);
    game->play(game, (double)tick / (double)ticks, emit, (void *)self);
    self->laurel->tick(self->boards);
    if (tick % TICKS_A_SECOND == 0 || tick == ticks) tell_progress(self, game);
  }
  for (waited = 0; waited < LAST_STATE_SECONDS_MAX * TICKS_A_SECOND && !stopped; ++waited) {
    if (waited > 0 && self->laurel->live_settled(self->live)) break;
    wait_for_tick(&due);
    self->laurel->tick(self->boards);
  }
}

static void write_report(const server *self, const char *path) {
  laurel_board_entry entries[TOP];
  const size_t count = self->laurel->top(self->boards, self->board, entries, TOP);
  FILE *file = path ? fopen(path, "w") : stdout;
  size_t i;
  if (!file) {
    fprintf(stderr, "server: cannot write %s: %s\n", path, strerror(errno));
    return;
  }
  for (i = 0; i < count; ++i) {
    fprintf(file, "%2llu  %.*s  %.15g\n", (unsigned long long)entries[i].rank,
            (int)entries[i].player_size, entries[i].player, entries[i].score);
  }
  if (file != stdout) fclose(file);
}

static int parse(int count, char **words, options *chosen) {
  static const struct option kOptions[] = {
      {"laurel", required_argument, NULL, 'l'},  {"scripts", required_argument, NULL, 's'},
      {"rules", required_argument, NULL, 'r'},   {"play", required_argument, NULL, 'p'},
      {"seconds", required_argument, NULL, 't'}, {"port", required_argument, NULL, 'n'},
      {"report", required_argument, NULL, 'o'},  {"budget", required_argument, NULL, 'b'},
      {"path", required_argument, NULL, 'd'},    {"metrics", required_argument, NULL, 'm'},
      {NULL, 0, NULL, 0}};
  int option;
  while ((option = getopt_long(count, words, "", kOptions, NULL)) != -1) {
    switch (option) {
      case 'l': chosen->laurel = optarg; break;
      case 's': chosen->scripts = optarg; break;
      case 'r': chosen->rules = optarg; break;
      case 'p': chosen->play = optarg; break;
      case 'o': chosen->report = optarg; break;
      case 'd': chosen->path = optarg; break;
      case 'm': chosen->metrics = optarg; break;
      case 't': chosen->seconds = strtod(optarg, NULL); break;
      case 'b': chosen->budget = strtoull(optarg, NULL, 10); break;
      case 'n': chosen->port = (unsigned)strtoul(optarg, NULL, 10); break;
      default: return 0;
    }
  }
  return chosen->laurel && chosen->scripts && chosen->seconds > 0 && chosen->port <= 65535;
}

int main(int count, char **words) {
#ifdef LAUREL_MODULE
  options chosen = {.seconds = 20, .laurel = LAUREL_MODULE};
#else
  options chosen = {.seconds = 20};
#endif
  server self = {0};
  feed *game;
  int started;

  if (!parse(count, words, &chosen)) {
    fprintf(stderr, "usage: server --laurel FILE --scripts DIR [--rules DIR] [--play FILE.csv]\n"
                    "              [--seconds N] [--port N] [--report FILE] [--budget N]\n"
                    "              [--path DIR] [--metrics FILE]\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGINT, stop);
  signal(SIGTERM, stop);

  game = chosen.play ? match_file_open(chosen.play) : race_open();
  if (!game) return 1;
  started = start(&self, &chosen, game);
  if (started) {
    run(&self, game, chosen.seconds);
    write_report(&self, chosen.report);
  }
  if (self.boards) self.laurel->close(self.boards);
  game->close(game);
  return started ? 0 : 1;
}
