/* Callbacks to a host of 0.1.0: scripts, watches, clients, remote boards. */
#include <laurel/remote.h>
#include <laurel/watch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "old_host_server.h"

enum { TICKS_MAX = 20000 };

/* ---- hosted scripts, watches */

static void on_emit(void *context, const char *event, const laurel_value *values, size_t count) {
  server *self = context;
  if (count == 3 && values[0].type == LAUREL_STRING && values[1].type == LAUREL_NUMBER &&
      values[2].type == LAUREL_BOOLEAN) {
    snprintf(self->heard, sizeof self->heard, "%s %.*s %g %g", event, (int)values[0].string_size,
             values[0].string, values[1].number, values[2].number);
  }
}

static void on_script_counter(void *context, const char *name, double value) {
  server *self = context;
  if (strcmp(name, "interrupted") == 0) self->calls = (int)value;
}

const char *old_host_hosts_scripts(server *self) {
  const laurel_api *laurel = self->laurel;
  char directory[PATH_BYTES];
  laurel_scripts_config config = {.struct_size = sizeof config,
                                  .directory = old_host_path(self, "scripts", directory),
                                  .context = self,
                                  .on_emit = on_emit,
                                  .instructions = 100000};
  const laurel_value goal[] = {{LAUREL_STRING, 0, "ada", 3},
                               {LAUREL_NUMBER, 2.5, NULL, 0},
                               {LAUREL_BOOLEAN, 1, NULL, 0}};
  laurel_scripts *scripts;

  CHECK(old_host_writes(self, "scripts/match.lua",
                   "laurel.on('goal', function(player, points, counts)\n"
                   "  local held = boards:board('season'):add(player, points)\n"
                   "  laurel.emit('held', player, held, counts)\n"
                   "end)\n"
                   "laurel.on('hang', function() while true do end end)\n"));
  scripts = laurel->host_scripts(self->boards, &config, NULL);
  CHECK(scripts != NULL);
  CHECK(laurel->emit(scripts, "goal", goal, 3) == 1);
  CHECK(strcmp(self->heard, "held ada 2.5 1") == 0);
  CHECK(laurel->emit(scripts, "hang", NULL, 0) == 1);
  self->calls = 0;
  laurel->script_stats(scripts, on_script_counter, self);
  CHECK(self->calls == 1);
  laurel->scripts_close(scripts);
  config.instructions = 1;
  CHECK(laurel->host_scripts(self->boards, &config, NULL) == NULL);
  return NULL;
}

static void on_change(void *context, const laurel_watch_event *event) {
  server *self = context;
  ++self->calls;
  snprintf(self->heard, sizeof self->heard, "%s: %d top, %d in, %d out, %d moved from %d",
           event->board, (int)event->top_count, (int)event->entered_count, (int)event->left_count,
           (int)event->moved_count, event->moved_count ? (int)event->moved[0].previous_rank : 0);
}

const char *old_host_watches(server *self) {
  const laurel_api *laurel = self->laurel;
  laurel_watch watch = 0;

  CHECK(laurel->watching->struct_size >= sizeof *laurel->watching);
  CHECK(laurel->watching->watch(self->boards, self->season, 0, on_change, self, NULL, NULL) ==
        LAUREL_INVALID);
  laurel->tick(self->boards);
  CHECK(laurel->watching->watch(self->boards, self->season, 2, on_change, self, &watch, NULL) ==
        LAUREL_OK);
  CHECK(laurel->submit(self->boards, self->season, "bea", 10, NULL, NULL, NULL) == LAUREL_OK);
  self->calls = 0;
  laurel->tick(self->boards);
  CHECK(self->calls == 1);
  CHECK(strcmp(self->heard, "season: 2 top, 1 in, 0 out, 1 moved from 1") == 0);
  laurel->watching->unwatch(self->boards, watch);
  CHECK(laurel->submit(self->boards, self->season, "cleo", 9, NULL, NULL, NULL) == LAUREL_OK);
  laurel->tick(self->boards);
  CHECK(self->calls == 1);
  return NULL;
}

/* ---- the live channel */

static void on_top(void *context, const char *board, const laurel_top_entry *entries, size_t count,
                   uint64_t size, uint64_t version, const char *refusal) {
  server *self = context;
  (void)version;
  if (!count) {
    snprintf(self->heard, sizeof self->heard, "%.7s", refusal ? refusal : "nobody");
  } else {
    snprintf(self->heard, sizeof self->heard, "%s: %d of %d, first %.*s (%.*s)", board, (int)count,
             (int)size, (int)entries[0].player_size, entries[0].player, (int)entries[0].name_size,
             entries[0].name_size ? entries[0].name : "");
  }
}

/* Ticks until the client has received that; 0 if it does not. */
static int hears(server *self, laurel_client *client, const char *what) {
  for (int ticks = 0; ticks < TICKS_MAX && strcmp(self->heard, what) != 0; ++ticks) {
    self->laurel->tick(self->boards);
    self->laurel->client_tick(client);
    usleep(500); /* one frame */
  }
  return strcmp(self->heard, what) == 0;
}

static const char *fetch_token(void *context) { return context; }

const char *old_host_serves(server *self) {
  const laurel_api *laurel = self->laurel;
  laurel_serve_config serve = {.struct_size = sizeof serve,
                               .bind = "127.0.0.1",
                               .clients = 8,
                               .rate = 200,
                               .auth = LAUREL_AUTH_TOKEN,
                               .checksum = 1};
  laurel_live_counters counters = {.struct_size = sizeof counters};
  char token[LAUREL_TOKEN_SIZE];
  laurel_connect_config connect = {.struct_size = sizeof connect,
                                   .host = "127.0.0.1",
                                   .fetch_token = fetch_token,
                                   .context = token,
                                   .checksum = 1};
  laurel_live *live = laurel->serve(self->boards, &serve, NULL);
  laurel_client *client;
  int ticks;

  CHECK(live != NULL);
  CHECK(laurel->publish(live, self->season, 10, 1, NULL) == LAUREL_OK);
  CHECK(laurel->token(live, "ada", 60, 1, token, NULL) == LAUREL_OK && strlen(token) == 40);
  CHECK(laurel->token(live, "ada", -1, 1, token, NULL) == LAUREL_OUT_OF_RANGE);
  connect.port = laurel->live_port(live);
  client = laurel->connect(&connect, NULL);
  CHECK(client != NULL);
  CHECK(laurel->subscribe(client, "season", 0, on_top, self, NULL) == LAUREL_OUT_OF_RANGE);
  CHECK(laurel->subscribe(client, "season", 2, on_top, self, NULL) == LAUREL_OK);
  CHECK(hears(self, client, "season: 2 of 3, first bea ()"));
  CHECK(laurel->submit(self->boards, self->season, "ada", 90, NULL, NULL, NULL) == LAUREL_OK);
  CHECK(hears(self, client, "season: 2 of 3, first ada (Ada)"));
  CHECK(strcmp(laurel->client_state(client), "connected") == 0);
  for (ticks = 0; ticks < TICKS_MAX && !laurel->live_settled(live); ++ticks) {
    laurel->tick(self->boards);
    laurel->client_tick(client);
    usleep(500);
  }
  CHECK(laurel->live_settled(live) == 1);
  laurel->unsubscribe(client, "season");
  CHECK(laurel->follow(client, "season", 1, on_top, self, NULL) == LAUREL_OK);
  CHECK(hears(self, client, "season: 3 of 3, first ada (Ada)"));
  laurel->live_counters(live, &counters);
  CHECK(counters.struct_size == sizeof counters && counters.clients == 1);
  CHECK(counters.subscriptions == 1 && counters.sent > 0 && counters.denied == 0);
  laurel->unpublish(live, self->season);
  CHECK(hears(self, client, "unknown"));
  laurel->client_close(client);
  laurel->live_close(live);
  return NULL;
}

/* ---- remote boards, whose remote never answers */

static void on_answer(void *context, const laurel_answer *answer) {
  server *self = context;
  ++self->calls;
  snprintf(self->heard, sizeof self->heard, "%d %.12s", answer->code, answer->text);
}

const char *old_host_asks_a_remote(server *self) {
  const laurel_api *laurel = self->laurel;
  const laurel_remote_api *remote = laurel->remote;
  laurel_spec spec = {.struct_size = sizeof spec, .engine = "ranked", .remote = "main"};
  laurel_remote_state state = {.struct_size = sizeof state};
  laurel_board world;
  int ticks;

  CHECK(remote->struct_size >= sizeof *remote);
  CHECK(laurel->board(self->boards, "world", &spec, &world, NULL) == LAUREL_OK);
  CHECK(laurel->submit(self->boards, world, "ada", 1, NULL, NULL, NULL) == LAUREL_UNSUPPORTED);
  CHECK(remote->post(self->boards, world, "ada", 1, NULL, NULL) == LAUREL_OK);
  CHECK(remote->state(self->boards, self->season, &state) == 0);
  CHECK(remote->state(self->boards, world, &state) == 1);
  CHECK(state.struct_size == sizeof state && state.pending == 1 && state.refused == 0);
  CHECK(remote->rank(self->boards, self->season, "ada", on_answer, self, NULL) == LAUREL_INVALID);
  CHECK(remote->count(self->boards, world, NAN, 1, on_answer, self, NULL) == LAUREL_NOT_FINITE);

  self->calls = 0;
  CHECK(remote->submit(self->boards, world, "ada", 1, NULL, on_answer, self, NULL) == LAUREL_OK);
  CHECK(remote->top(self->boards, world, 3, on_answer, self, NULL) == LAUREL_OK);
  CHECK(remote->archived(self->boards, world, 1, 1, 5, on_answer, self, NULL) == LAUREL_OK);
  CHECK(remote->drop(self->boards, world, on_answer, self, NULL) == LAUREL_OK);
  CHECK(self->calls == 0);
  for (ticks = 0; ticks < TICKS_MAX && self->calls < 4; ++ticks) {
    laurel->tick(self->boards);
    usleep(500);
  }
  CHECK(self->calls == 4 && strcmp(self->heard, "14 unavailable:") == 0);
  return NULL;
}
