#include "old_host.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "old_host_server.h"

static int64_t now(void *context) { return ((server *)context)->now; }

static void on_log(void *context, int level, const char *line) {
  (void)level;
  ((server *)context)->lines += line != NULL;
}

const char *old_host_path(const server *self, const char *name, char out[PATH_BYTES]) {
  snprintf(out, PATH_BYTES, "%s/%s", self->folder, name);
  return out;
}

int old_host_writes(const server *self, const char *name, const char *text) {
  char path[PATH_BYTES];
  FILE *file = fopen(old_host_path(self, name, path), "w");
  return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

static int is(const laurel_board_entry *entry, const char *player, double score, uint64_t rank) {
  return entry->player_size == strlen(player) &&
         memcmp(entry->player, player, entry->player_size) == 0 && entry->score == score &&
         entry->rank == rank;
}

/* ---- opening: in a directory, with rules, a clock, a log, and a remote that does not answer */

static const char *opens(server *self) {
  char rules[PATH_BYTES], path[PATH_BYTES];
  const laurel_remote remotes[] = {{"main", "redis://127.0.0.1:1"}};
  laurel_config config = {.struct_size = sizeof config,
                          .context = self,
                          .now = now,
                          .log = on_log,
                          .rules = old_host_path(self, "rules", rules),
                          .path = old_host_path(self, "boards", path),
                          .durability = "tick",
                          .remotes = remotes,
                          .remote_count = 1,
                          .remote_timeout = 0.05};
  laurel_error error;

  config.durability = "sometimes";
  CHECK(self->laurel->open(&config, &error) == NULL && error.code == LAUREL_INVALID);
  config.durability = "tick";
  self->boards = self->laurel->open(&config, &error);
  CHECK(self->boards != NULL);
  CHECK(self->laurel->open(&config, &error) == NULL && error.code == LAUREL_TAKEN);
  return NULL;
}

/* ---- boards and results */

static const char *makes_boards(server *self) {
  const laurel_api *laurel = self->laurel;
  const laurel_field fields[] = {{"shards", NULL, 4}, {"of", "ranked", 0}, {"archive", NULL, 3}};
  laurel_spec spec = {.struct_size = sizeof spec,
                      .engine = "sharded",
                      .order = "asc",
                      .keep = "sum",
                      .ties = "player",
                      .ranking = "dense",
                      .decimals = "2",
                      .meta = "laps",
                      .fields = fields,
                      .field_count = 3};
  laurel_board laps, found, short_lived;
  laurel_error error;

  CHECK(laurel->board(self->boards, "season", NULL, &self->season, &error) == LAUREL_OK);
  CHECK(laurel->board(self->boards, "laps", &spec, &laps, &error) == LAUREL_OK);
  spec.order = "desc";
  CHECK(laurel->board(self->boards, "laps", &spec, &laps, &error) == LAUREL_INVALID);
  CHECK(strstr(error.text, "'order'") != NULL);
  CHECK(laurel->find(self->boards, "laps", &found) == 1);
  CHECK(found.slot == laps.slot && found.generation == laps.generation);
  CHECK(laurel->find(self->boards, "lap", &found) == 0);

  CHECK(laurel->board(self->boards, "short-lived", NULL, &short_lived, NULL) == LAUREL_OK);
  CHECK(laurel->drop(self->boards, "short-lived") == 1);
  CHECK(laurel->submit(self->boards, short_lived, "ada", 1, NULL, NULL, &error) == LAUREL_UNKNOWN);

  for (int i = 0; i < 10; ++i) {
    CHECK(laurel->submit(self->boards, laps, "ada", 0.1, NULL, NULL, NULL) == LAUREL_OK);
  }
  double score = 0;
  CHECK(laurel->score(self->boards, laps, "ada", &score) == 1 && score == 1);
  return NULL;
}

static const char *takes_results(server *self) {
  const laurel_api *laurel = self->laurel;
  laurel_details details = {.struct_size = sizeof details,
                            .data = "map\0one",
                            .data_size = 7,
                            .at = -5000001,
                            .has_at = 1};
  laurel_outcome outcome = {0};
  laurel_result results[] = {{"bea", 20, 0}, {"", 1, 0}, {"cleo", 30, 0}, {"bea", NAN, 0}};
  laurel_board_entry entries[8];
  laurel_error error;
  uint64_t rank = 0, size = 0;

  CHECK(laurel->submit(self->boards, self->season, "ada", 10, &details, &outcome, &error) ==
        LAUREL_OK);
  CHECK(error.code == LAUREL_OK && error.text[0] == '\0');
  CHECK(outcome.score == 10 && outcome.changed == 1 && outcome.shown == 1);
  CHECK(laurel->submit(self->boards, self->season, "ada", 9, NULL, &outcome, NULL) == LAUREL_OK);
  CHECK(outcome.score == 10 && outcome.changed == 0);
  CHECK(laurel->submit(self->boards, self->season, "ada", INFINITY, NULL, NULL, &error) ==
        LAUREL_NOT_FINITE);
  CHECK(strstr(error.text, "not_finite: ") == error.text);
  CHECK(laurel->submit_all(self->boards, self->season, results, 4) == 2);
  CHECK(results[0].code == LAUREL_OK && results[1].code == LAUREL_BAD_PLAYER);
  CHECK(results[2].code == LAUREL_OK && results[3].code == LAUREL_NOT_FINITE);

  CHECK(laurel->rank(self->boards, self->season, "ada", &rank, &size) == 1);
  CHECK(rank == 3 && size == 3);
  CHECK(laurel->top(self->boards, self->season, entries, 8) == 3);
  CHECK(is(&entries[0], "cleo", 30, 1) && entries[0].data == NULL && entries[0].data_size == 0);
  CHECK(is(&entries[1], "bea", 20, 2) && is(&entries[2], "ada", 10, 3));
  CHECK(entries[2].at == -5000001 && entries[2].data_size == 7);
  CHECK(memcmp(entries[2].data, "map\0one", 7) == 0);
  CHECK(laurel->page(self->boards, self->season, 2, entries, 1) == 1 && is(entries, "bea", 20, 2));
  CHECK(laurel->around(self->boards, self->season, "cleo", 1, entries) == 3);

  CHECK(laurel->add(self->boards, self->season, "ada", 15, NULL, &outcome, NULL) == LAUREL_OK);
  CHECK(outcome.score == 25);
  CHECK(laurel->set(self->boards, self->season, "ada", 5, NULL, &outcome, NULL) == LAUREL_OK);
  CHECK(outcome.score == 5);
  CHECK(laurel->remove(self->boards, self->season, "cleo") == 1);
  CHECK(laurel->remove(self->boards, self->season, "cleo") == 0);
  CHECK(laurel->ban(self->boards, self->season, "bea", NULL) == LAUREL_OK);
  CHECK(laurel->submit(self->boards, self->season, "bea", 1, NULL, NULL, NULL) == LAUREL_BANNED);
  CHECK(laurel->size(self->boards, self->season) == 1);
  CHECK(laurel->unban(self->boards, self->season, "bea", NULL) == LAUREL_OK);
  CHECK(laurel->size(self->boards, self->season) == 2);
  return NULL;
}

static const char *asks_who_may_play(server *self) {
  const laurel_api *laurel = self->laurel;
  laurel_spec cup_spec = {.struct_size = sizeof cup_spec,
                          .join = "required",
                          .opens = self->now + 1000000,
                          .closes = self->now + 9000000};
  laurel_spec best_spec = {.struct_size = sizeof best_spec,
                           .engine = "capped",
                           .fields = &(laurel_field){"cap", NULL, 1},
                           .field_count = 1};
  laurel_spec judged_spec = {.struct_size = sizeof judged_spec, .rule = "low"};
  laurel_board cup, best, judged;
  laurel_outcome outcome;

  CHECK(laurel->board(self->boards, "cup", &cup_spec, &cup, NULL) == LAUREL_OK);
  CHECK(laurel->submit(self->boards, cup, "ada", 1, NULL, NULL, NULL) == LAUREL_CLOSED);
  self->now += 2000000;
  CHECK(laurel->submit(self->boards, cup, "ada", 1, NULL, NULL, NULL) == LAUREL_NOT_JOINED);
  CHECK(laurel->join(self->boards, cup, "ada", NULL) == LAUREL_OK);
  CHECK(laurel->submit(self->boards, cup, "ada", 1, NULL, NULL, NULL) == LAUREL_OK);
  CHECK(laurel->leave(self->boards, cup, "ada", NULL) == LAUREL_OK);
  CHECK(laurel->size(self->boards, cup) == 0);

  CHECK(laurel->board(self->boards, "best", &best_spec, &best, NULL) == LAUREL_OK);
  CHECK(laurel->submit(self->boards, best, "ada", 2, NULL, &outcome, NULL) == LAUREL_OK);
  CHECK(laurel->submit(self->boards, best, "bea", 1, NULL, &outcome, NULL) == LAUREL_OK);
  CHECK(outcome.shown == 0 && isnan(outcome.score));
  CHECK(laurel->add(self->boards, best, "bea", 1, NULL, NULL, NULL) == LAUREL_UNSUPPORTED);

  CHECK(laurel->board(self->boards, "judged", &judged_spec, &judged, NULL) == LAUREL_OK);
  CHECK(laurel->submit(self->boards, judged, "ada", 5, NULL, NULL, NULL) == LAUREL_OK);
  CHECK(laurel->submit(self->boards, judged, "ada", 50, NULL, NULL, NULL) == LAUREL_REJECTED);
  return NULL;
}

/* ---- seasons, players, counters, the disk */

static void on_counter(void *context, const char *name, double value) {
  server *self = context;
  if (strcmp(name, "boards") == 0) self->calls += (int)value;
}

static void on_rule_error(void *context, const char *rule, const char *error) {
  server *self = context;
  snprintf(self->heard, sizeof self->heard, "%s: %s", rule, error);
}

static const char *ends_seasons(server *self) {
  const laurel_api *laurel = self->laurel;
  laurel_board_entry entry;
  uint64_t ended = 0;

  CHECK(laurel->season(self->boards, self->season) == 1);
  CHECK(laurel->reset(self->boards, self->season, &ended, NULL) == LAUREL_OK && ended == 1);
  CHECK(laurel->season(self->boards, self->season) == 2);
  CHECK(laurel->size(self->boards, self->season) == 0);
  CHECK(laurel->archived(self->boards, self->season, 1, 2, &entry, 1) == 1);
  CHECK(is(&entry, "ada", 5, 2));
  CHECK(laurel->archived(self->boards, self->season, 7, 1, &entry, 1) == 0);
  return NULL;
}

static const char *operates(server *self) {
  const laurel_api *laurel = self->laurel;
  laurel_disk disk = {.struct_size = sizeof disk};
  laurel_error error;
  char path[PATH_BYTES], lines[PATH_BYTES];

  CHECK(laurel->save_player(self->boards, "ada", "Ada", "ada@example.org", NULL) == LAUREL_OK);
  CHECK(laurel->save_player(self->boards, "bea", NULL, "ada@example.org", &error) == LAUREL_TAKEN);
  CHECK(strstr(error.text, "taken: ") == error.text);

  self->calls = 0;
  laurel->stats(self->boards, on_counter, self);
  CHECK(self->calls == 5);

  CHECK(old_host_writes(self, "rules/low.lua", "return {"));
  CHECK(laurel->reload_rules(self->boards, on_rule_error, self) == 1);
  CHECK(strstr(self->heard, "low: ") == self->heard && self->lines > 0);
  CHECK(old_host_writes(self, "rules/low.lua", "return {}"));
  CHECK(laurel->reload_rules(self->boards, NULL, NULL) == 0);

  CHECK(laurel->flush(self->boards, &error) == LAUREL_OK);
  laurel->disk(self->boards, &disk);
  CHECK(disk.struct_size == sizeof disk && disk.writable == 1);
  CHECK(disk.waiting_submissions == 0 && disk.transactions > 0 && disk.failures == 0);
  CHECK(disk.file_bytes > 0);
  CHECK(laurel->backup(self->boards, old_host_path(self, "copy", path), &error) == LAUREL_OK);
  CHECK(laurel->backup(self->boards, path, &error) == LAUREL_TAKEN);
  CHECK(laurel->export_to(self->boards, old_host_path(self, "lines", lines), &error) == LAUREL_OK);
  CHECK(laurel->import_from(self->boards, lines, &error) == LAUREL_TAKEN);

  laurel_boards *fresh = laurel->open(NULL, &error);
  laurel_board season;
  CHECK(fresh != NULL);
  CHECK(laurel->import_from(fresh, lines, &error) == LAUREL_OK);
  CHECK(laurel->find(fresh, "season", &season) == 1 && laurel->season(fresh, season) == 2);
  CHECK(laurel->backup(fresh, path, &error) == LAUREL_UNSUPPORTED);
  CHECK(laurel->forget(fresh, "ada", NULL) == LAUREL_OK);
  CHECK(laurel->archived(fresh, season, 1, 2, &(laurel_board_entry){0}, 1) == 0);
  laurel->close(fresh);
  return NULL;
}

/* ---- the whole scenario, and the contents at its end */

static const char *plays(server *self) {
  char path[PATH_BYTES];
  laurel_config config = {.struct_size = sizeof config};
  laurel_boards *boards;
  laurel_board season;
  laurel_board_entry entries[3];

  CHECK(self->laurel->struct_size >= sizeof(laurel_api));
  CHECK(self->laurel->abi_version == LAUREL_ABI_VERSION);
  CHECK(self->laurel->version[0] != '\0');
  CHECK(mkdir(old_host_path(self, "rules", path), 0700) == 0);
  CHECK(mkdir(old_host_path(self, "scripts", path), 0700) == 0);
  CHECK(old_host_writes(self, "rules/low.lua",
                   "return { accept = function(submission) return submission.score < 10 end }"));
  PASSES(opens(self));
  PASSES(makes_boards(self));
  PASSES(takes_results(self));
  PASSES(asks_who_may_play(self));
  PASSES(ends_seasons(self));
  PASSES(operates(self));
  PASSES(old_host_hosts_scripts(self));
  PASSES(old_host_watches(self));
  PASSES(old_host_serves(self));
  PASSES(old_host_asks_a_remote(self));
  self->laurel->close(self->boards);
  self->boards = NULL;

  config.path = old_host_path(self, "boards", path);
  boards = self->laurel->open(&config, NULL);
  CHECK(boards != NULL);
  CHECK(self->laurel->find(boards, "season", &season) == 1);
  CHECK(self->laurel->top(boards, season, entries, 3) == 3);
  CHECK(is(&entries[0], "ada", 90, 1) && is(&entries[1], "bea", 10, 2));
  CHECK(is(&entries[2], "cleo", 9, 3));
  self->laurel->close(boards);
  return NULL;
}

const char *old_host_plays(const laurel_api *laurel, const char *folder) {
  server self = {.laurel = laurel, .folder = folder, .now = 1000000000000};
  const char *failed = plays(&self);
  laurel->close(self.boards);
  return failed;
}
