#include "remote_host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RUNNERS = 40, TICKS_MAX = 10000 };

#define TEXT_OF_(line) #line
#define TEXT_OF(line) TEXT_OF_(line)
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) return "remote_host.c:" TEXT_OF(__LINE__) ": " #condition; \
  } while (0)

/* One game server. */
typedef struct server {
  const laurel_api *laurel;
  laurel_boards *boards;
  laurel_board world;
  int waiting; /* pending calls */
  int refused;
  uint64_t rank;
  uint64_t size;
  double sum;
  char top[128];
} server;

static void on_rank(void *context, const laurel_answer *answer) {
  server *self = context;
  --self->waiting;
  if (answer->code != LAUREL_OK || !answer->found) ++self->refused;
  self->rank = answer->rank;
  self->size = answer->size;
}

/* Asks for a rank in the callback of each submission. */
static void on_submitted(void *context, const laurel_answer *answer) {
  server *self = context;
  laurel_error error;
  --self->waiting;
  if (answer->code != LAUREL_OK || !answer->changed) ++self->refused;
  self->sum += answer->score;
  if (self->laurel->remote->rank(self->boards, self->world, "runner 1", on_rank, self, &error) ==
      LAUREL_OK) {
    ++self->waiting;
  } else {
    ++self->refused;
  }
}

static void on_top(void *context, const laurel_answer *answer) {
  server *self = context;
  size_t i, used = 0;
  --self->waiting;
  self->top[0] = '\0';
  for (i = 0; i < answer->entry_count && used < sizeof self->top; ++i) {
    const laurel_board_entry *entry = &answer->entries[i];
    used += (size_t)snprintf(self->top + used, sizeof self->top - used, "%d %.*s %g;",
                             (int)entry->rank, (int)entry->player_size, entry->player,
                             entry->score);
  }
}

static int until_answered(server *self) {
  int ticks;
  for (ticks = 0; self->waiting > 0 && ticks < TICKS_MAX; ++ticks) {
    self->laurel->tick(self->boards);
    usleep(1000); /* a frame; the answer ends the loop */
  }
  return self->waiting == 0;
}

/* Ticks until all posts of this server are acknowledged. */
static int until_posted(server *self) {
  laurel_remote_state state = {.struct_size = sizeof state, .pending = 1};
  int ticks;
  for (ticks = 0; state.pending > 0 && ticks < TICKS_MAX; ++ticks) {
    self->laurel->tick(self->boards);
    usleep(1000);
    if (!self->laurel->remote->state(self->boards, self->world, &state)) return 0;
  }
  return state.pending == 0 && state.refused == 0 && state.up;
}

static const char *start(server *self, const char *url, const char *board) {
  laurel_remote there = {"main", NULL};
  laurel_config config = {.struct_size = sizeof config, .remotes = &there, .remote_count = 1,
                          .remote_timeout = 5};
  laurel_spec spec = {.struct_size = sizeof spec, .engine = "ranked", .keep = "sum",
                      .remote = "main"};
  laurel_error error;
  there.url = url;
  self->boards = self->laurel->open(&config, &error);
  CHECK(self->boards != NULL);
  CHECK(self->laurel->board(self->boards, board, &spec, &self->world, &error) == LAUREL_OK);
  return NULL;
}

static const char *play(server *one, server *two) {
  const laurel_remote_api *remote = one->laurel->remote;
  laurel_error error;
  char player[32];
  int i;
  for (i = 1; i <= RUNNERS; ++i) {
    snprintf(player, sizeof player, "runner %d", i);
    CHECK(remote->submit(one->boards, one->world, player, i, NULL, on_submitted, one, &error) ==
          LAUREL_OK);
    ++one->waiting;
  }
  CHECK(until_answered(one));
  CHECK(one->refused == 0);
  CHECK(one->sum == RUNNERS * (RUNNERS + 1) / 2);
  CHECK(one->rank == RUNNERS && one->size == RUNNERS);

  CHECK(remote->post(two->boards, two->world, "runner 1", 100, NULL, &error) == LAUREL_OK);
  CHECK(remote->post(two->boards, two->world, "runner 1", 100, NULL, &error) == LAUREL_OK);
  CHECK(until_posted(two));
  CHECK(remote->top(one->boards, one->world, 2, on_top, one, &error) == LAUREL_OK);
  ++one->waiting;
  CHECK(until_answered(one));
  CHECK(strcmp(one->top, "1 runner 1 201;2 runner 40 40;") == 0);
  return NULL;
}

const char *play_remote(const laurel_api *laurel, const char *url, const char *board) {
  server one = {.laurel = laurel}, two = {.laurel = laurel};
  const char *wrong = start(&one, url, board);
  if (!wrong) wrong = start(&two, url, board);
  if (!wrong) wrong = play(&one, &two);
  if (two.boards) laurel->close(two.boards);
  if (one.boards) laurel->close(one.boards);
  return wrong;
}
