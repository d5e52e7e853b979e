/* c_host.c - a host in C11 that loads the real laurel.so, in a process without a Lua: the header,
 * the loader and the library fit together. It opens, plays and closes several times, and must leave
 * no thread and no file open.
 *
 *   c_host FILE
 */
#define LAUREL_LOADER
#include <dirent.h>
#include <laurel/laurel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 50, PATH_BYTES = 256 };

#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) {                                              \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      return 0;                                                      \
    }                                                                \
  } while (0)

typedef struct folders {
  char root[PATH_BYTES];
  char scripts[2 * PATH_BYTES];
  char boards[2 * PATH_BYTES];
} folders;

/* One registry, with what its scripts and its log said. */
typedef struct host {
  const laurel_api *laurel;
  laurel_boards *boards;
  laurel_scripts *scripts;
  char said[512];
  int interrupted; /* lines of the log that say so */
  double counted;
} host;

static const char kFirst[] =
    "local run = boards:board('run', { keep = 'sum' })\n"
    "laurel.state.strides = laurel.state.strides or 0\n"
    "laurel.on('stride', function(runner, km, counts)\n"
    "  laurel.state.strides = laurel.state.strides + 1\n"
    "  if counts then laurel.emit('held', runner, (run:submit(runner, km))) end\n"
    "end)\n"
    "laurel.on('hang', function() while true do end end)\n"
    "run:watch(3, function(change) laurel.emit('leads', change.top[1].player) end)\n";

static const char kSecond[] =
    "laurel.on('stride', function(runner)\n"
    "  laurel.emit('second', runner, laurel.state.strides, true)\n"
    "end)\n";

static int write_file(const char *folder, const char *name, const char *text) {
  char path[3 * PATH_BYTES];
  FILE *file;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  file = fopen(path, "w");
  CHECK(file != NULL);
  CHECK(fputs(text, file) >= 0);
  CHECK(fclose(file) == 0);
  return 1;
}

static int count_entries(const char *folder) {
  int count = 0;
  DIR *directory = opendir(folder);
  if (!directory) return -1;
  while (readdir(directory)) ++count;
  closedir(directory);
  return count;
}

static void on_log(void *context, int level, const char *line) {
  host *self = context;
  (void)level;
  if (strstr(line, "interrupted after 100000 instructions")) ++self->interrupted;
}

static void on_emit(void *context, const char *event, const laurel_value *values, size_t count) {
  host *self = context;
  size_t i, used = strlen(self->said);
  used += (size_t)snprintf(self->said + used, sizeof self->said - used, "%s", event);
  for (i = 0; i < count && used < sizeof self->said; ++i) {
    const laurel_value *value = &values[i];
    used += value->type == LAUREL_STRING
                ? (size_t)snprintf(self->said + used, sizeof self->said - used, " %.*s",
                                   (int)value->string_size, value->string)
                : (size_t)snprintf(self->said + used, sizeof self->said - used, " %g",
                                   value->number);
  }
  if (used < sizeof self->said) snprintf(self->said + used, sizeof self->said - used, ";");
}

static void on_counter(void *context, const char *name, double value) {
  host *self = context;
  if (strcmp(name, "interrupted") == 0) self->counted = value;
}

/* 1 if exactly this was said since the last call. */
static int said(host *self, const char *wanted) {
  const int same = strcmp(self->said, wanted) == 0;
  if (!same) fprintf(stderr, "said \"%s\", not \"%s\"\n", self->said, wanted);
  self->said[0] = '\0';
  return same;
}

static int start(host *self, const folders *where, const char *path) {
  laurel_config config = {.struct_size = sizeof config, .context = self, .log = on_log,
                          .path = path};
  laurel_scripts_config scripts = {.struct_size = sizeof scripts,
                                   .directory = where->scripts,
                                   .context = self,
                                   .on_emit = on_emit,
                                   .instructions = 100000};
  laurel_serve_config serve = {.struct_size = sizeof serve};
  laurel_error error;
  self->boards = self->laurel->open(&config, &error);
  CHECK(self->boards != NULL);
  self->scripts = self->laurel->host_scripts(self->boards, &scripts, &error);
  CHECK(self->scripts != NULL);
  CHECK(self->laurel->serve(self->boards, &serve, &error) != NULL);
  return 1;
}

static size_t stride(host *self, const char *runner, double km, int counts) {
  const laurel_value values[] = {{LAUREL_STRING, 0, runner, strlen(runner)},
                                 {LAUREL_NUMBER, km, NULL, 0},
                                 {LAUREL_BOOLEAN, counts, NULL, 0}};
  return self->laurel->emit(self->scripts, "stride", values, 3);
}

/* Two registries at once, one of them in a directory. Each has a live channel and its own scripts
 * from the same files. */
static int play(const laurel_api *laurel, const folders *where, int round) {
  host one = {.laurel = laurel}, two = {.laurel = laurel};
  laurel_board run;
  laurel_board_entry first;
  laurel_error error;
  char held[64];

  CHECK(write_file(where->scripts, "race.lua", kFirst));
  CHECK(start(&one, where, NULL));
  CHECK(start(&two, where, where->boards));

  CHECK(stride(&one, "ada", 3, 1) == 1);
  CHECK(said(&one, "held ada 3;"));
  CHECK(stride(&one, "bea", 9, 0) == 1);
  CHECK(said(&one, ""));
  CHECK(stride(&two, "cleo", 1, 1) == 1);
  snprintf(held, sizeof held, "held cleo %d;", round); /* the board on disk keeps the sum of all
                                                        * rounds */
  CHECK(said(&two, held));

  CHECK(laurel->emit(one.scripts, "hang", NULL, 0) == 1);
  CHECK(one.interrupted == 1 && two.interrupted == 0);
  laurel->script_stats(one.scripts, on_counter, &one);
  CHECK(one.counted == 1);

  laurel->tick(one.boards);
  CHECK(said(&one, "leads ada;"));
  laurel->tick(two.boards);
  CHECK(said(&two, "leads cleo;"));

  CHECK(write_file(where->scripts, "race.lua", "laurel.emit('broken') error('no')"));
  laurel->tick(one.boards);
  CHECK(said(&one, "broken;"));
  CHECK(stride(&one, "ada", 3, 1) == 1);
  CHECK(said(&one, "held ada 6;"));
  CHECK(write_file(where->scripts, "race.lua", kSecond));
  laurel->tick(one.boards);
  CHECK(stride(&one, "ada", 3, 1) == 1);
  CHECK(said(&one, "second ada 3 1;"));

  CHECK(laurel->find(one.boards, "run", &run) == 1);
  CHECK(laurel->top(one.boards, run, &first, 1) == 1);
  CHECK(first.player_size == 3 && memcmp(first.player, "ada", 3) == 0 && first.score == 6);
  CHECK(laurel->around(one.boards, run, "ada", 1, &first) == 1);
  CHECK(laurel->flush(two.boards, &error) == LAUREL_OK);
  laurel->scripts_close(two.scripts);
  laurel->close(two.boards);
  laurel->close(one.boards);
  return 1;
}

static int run(const laurel_api *laurel, const folders *where) {
  int threads = 0, files = 0, round;
  for (round = 1; round <= ROUNDS; ++round) {
    CHECK(play(laurel, where, round));
    if (round == 1) {
      threads = count_entries("/proc/self/task");
      files = count_entries("/proc/self/fd");
    }
  }
  CHECK(threads == 3); /* this thread, and the entries "." and ".." */
  CHECK(count_entries("/proc/self/task") == threads);
  CHECK(count_entries("/proc/self/fd") == files);
  return 1;
}

static int load_and_run(const char *library, const folders *where) {
  char why[256] = "";
  const laurel_api *laurel;
  CHECK(laurel_load("./no_such_file.so", why, sizeof why) == NULL);
  CHECK(strstr(why, "no_such_file") != NULL);
  laurel = laurel_load(library, why, sizeof why);
  if (!laurel) fprintf(stderr, "%s\n", why);
  CHECK(laurel != NULL);
  CHECK(laurel->struct_size >= sizeof(laurel_api));
  return run(laurel, where);
}

static void remove_folder(const char *path) {
  char entry[3 * PATH_BYTES];
  struct dirent *each;
  DIR *directory = opendir(path);
  while (directory && (each = readdir(directory)) != NULL) {
    if (each->d_name[0] == '.') continue;
    snprintf(entry, sizeof entry, "%.*s/%.*s", 2 * PATH_BYTES, path, PATH_BYTES - 2, each->d_name);
    if (remove(entry) != 0) remove_folder(entry);
  }
  if (directory) closedir(directory);
  rmdir(path);
}

int main(int count, char **words) {
  folders where = {.root = "/tmp/laurel_c_host_XXXXXX"};
  int passed;
  if (count != 2 || !mkdtemp(where.root)) return 2;
  snprintf(where.scripts, sizeof where.scripts, "%s/scripts", where.root);
  snprintf(where.boards, sizeof where.boards, "%s/boards", where.root);
  passed = mkdir(where.scripts, 0700) == 0 && load_and_run(words[1], &where);
  remove_folder(where.root);
  if (passed) puts("a C host keeps boards, runs scripts, and leaves nothing behind");
  return passed ? 0 : 1;
}
