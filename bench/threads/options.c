/* options.c - what a program is told, and how it begins and ends: arguments, --help, sentences. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>

#include "common.h"
#include "output.h"

enum { TEXT = 512 };

static struct {
  char problem[TEXT]; /* empty: none */
  int help;
  const char* purpose;
  const Option* options;
  int count;
} state;

/* ---- reading ---------------------------------------------------------------------------------- */

/* Options of every program. */
static Bench* target;

enum { COMMON = 6 };

static void common_options(Option options[COMMON]) {
  const Option all[COMMON] = {
      {"seconds", SECONDS, &target->seconds, "how long each point is measured", NULL, 0, 0},
      {"warmup", SECONDS, &target->warmup,
       "what comes before the first point; a fifth of it before each other one", NULL, 0, 0},
      {"samples", NUMBER, &target->fewest,
       "fewest samples of a point, unless they take 5 times --seconds", NULL, 1, BENCH_SAMPLES},
      {"repeats", NUMBER, &target->repeats,
       "how often a point is measured again whose samples have two modes or are time slices", NULL,
       0, 100},
      {"bind", CHOICE, &target->bind, "whether each thread gets a core of its own, where they fit",
       "auto|none", 0, 0},
      {"output", CHOICE, &target->output, "a table, or a line of JSON for each result",
       "table|json", 0, 0}};
  memcpy(options, all, sizeof all);
}

static int among(const char* choices, const char* word) {
  const size_t length = strlen(word);
  for (const char* at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
    if (strncmp(at, word, length) == 0 && (at[length] == '|' || at[length] == 0)) return 1;
  return 0;
}

/* Null, or where the text goes on after the number: 8, 64K, 1M. */
static const char* read_number(const char* text, long* value) {
  static const char kUnits[] = "KMG";
  char* end;
  errno = 0;
  *value = strtol(text, &end, 10);
  if (end == text || !isdigit((unsigned char)end[-1]) || errno) return NULL;
  const char* unit = *end ? strchr(kUnits, toupper((unsigned char)*end)) : NULL;
  for (long i = 0; unit && i <= unit - kUnits; i++)
    if (__builtin_mul_overflow(*value, 1024L, value)) return NULL;
  return unit ? end + 1 : end;
}

static int append(const Option* option, List* list, long value) {
  if (list->count == BENCH_LIST || value < option->smallest || value > option->largest) return 0;
  list->value[list->count++] = value;
  return 1;
}

/* From `first` to `last`: doubling, or times the factor that follows another colon. */
static const char* read_range(const Option* option, const char* text, long first, List* list) {
  long last, factor = 2;
  const char* end = read_number(text, &last);
  if (end && *end == ':') end = read_number(end + 1, &factor);
  if (!end || factor < 2 || last < first || last > option->largest) return NULL;
  for (long value = first;; value = value ? value * factor : 1) {
    if (!append(option, list, value)) return NULL;
    if (value > last / factor && value > 0) return end;
    if (value == 0 && last == 0) return end;
  }
}

/* 8,64,1K or 8:1M or a mixture. */
static int read_list(const Option* option, const char* text) {
  List list = {0};
  for (;;) {
    long value;
    const char* end = read_number(text, &value);
    if (!end) return 0;
    if (*end == ':')
      end = read_range(option, end + 1, value, &list);
    else if (!append(option, &list, value))
      return 0;
    if (!end || (*end && *end != ',')) return 0;
    if (!*end) break;
    text = end + 1;
  }
  *(List*)option->target = list;
  return 1;
}

static int read_value(const Option* option, const char* text) {
  switch (option->kind) {
    case NUMBER: {
      long value;
      const char* end = read_number(text, &value);
      if (!end || *end || value < option->smallest || value > option->largest) return 0;
      *(long*)option->target = value;
      return 1;
    }
    case NUMBERS:
      return read_list(option, text);
    case SECONDS: {
      char* end;
      const double value = strtod(text, &end);
      if (end == text || *end || !(value > 0) || value > 3600) return 0;
      *(double*)option->target = value;
      return 1;
    }
    case CHOICE:
      if (!among(option->choices, text)) return 0;
      *(const char**)option->target = text;
      return 1;
  }
  return 0;
}

static void wanted(const Option* option, char* text, size_t size) {
  switch (option->kind) {
    case NUMBER:
      snprintf(text, size, "a number from %ld to %ld", option->smallest, option->largest);
      return;
    case NUMBERS:
      snprintf(text, size, "up to %d numbers from %ld to %ld, as 8,64K or 8:1M (doubling)",
               BENCH_LIST, option->smallest, option->largest);
      return;
    case SECONDS:
      snprintf(text, size, "seconds");
      return;
    case CHOICE:
      snprintf(text, size, "%s", option->choices);
      return;
  }
}

static int find(const char* word, Option* found) {
  Option common[COMMON];
  common_options(common);
  if (strncmp(word, "--", 2) != 0) return 0;
  for (int i = 0; i < state.count + COMMON; i++) {
    *found = i < state.count ? state.options[i] : common[i - state.count];
    if (is(word + 2, found->name)) return 1;
  }
  return 0;
}

void bench_options(Bench* bench, int argc, char** argv, const char* name, const char* purpose,
                   const Option* options, int count) {
  *bench = (Bench){.name = name,
                   .seconds = 0.3,
                   .warmup = 0.2,
                   .fewest = 10,
                   .repeats = 2,
                   .bind = "auto",
                   .output = "table",
                   .rank_is = "process",
                   .binding = "none"};
  target = bench;
  state.purpose = purpose;
  state.options = options;
  state.count = count;
  for (int i = 1; i < argc; i++) {
    if (is(argv[i], "--help") || is(argv[i], "-h")) {
      state.help = 1;
      return;
    }
    Option option;
    char text[TEXT / 2];
    if (!find(argv[i], &option)) {
      snprintf(state.problem, TEXT, "there is no option '%.100s'; --help lists them", argv[i]);
      return;
    }
    wanted(&option, text, sizeof text);
    if (i + 1 == argc || !read_value(&option, argv[i + 1])) {
      snprintf(state.problem, TEXT, "--%s wants %s, not '%.100s'", option.name, text,
               i + 1 == argc ? "" : argv[i + 1]);
      return;
    }
    i++;
  }
}

static void print_default(const Option* option) {
  switch (option->kind) {
    case NUMBER:
      printf("%ld", *(long*)option->target);
      return;
    case NUMBERS: {
      const List* list = option->target;
      for (int i = 0; i < list->count; i++) printf("%s%ld", i ? "," : "", list->value[i]);
      return;
    }
    case SECONDS:
      printf("%g", *(double*)option->target);
      return;
    case CHOICE:
      printf("%s", *(const char**)option->target);
      return;
  }
}

static void print_option(const Option* option) {
  char text[TEXT / 2];
  wanted(option, text, sizeof text);
  printf("  --%-12s %s\n  %14s %s; default: ", option->name, option->help, "", text);
  print_default(option);
  printf("\n");
}

static void print_help(const char* name) {
  printf("%s: %s\n\n", name, state.purpose);
  for (int i = 0; i < state.count; i++) print_option(&state.options[i]);
  printf("\nEvery program has:\n");
  Option common[COMMON];
  common_options(common);
  for (int i = 0; i < COMMON; i++) print_option(&common[i]);
  printf("\nREADME.md says what is in a result.\n");
  fflush(stdout);
}

/* ---- beginning and ending --------------------------------------------------------------------- */

static _Noreturn void leave(int status) {
  MPI_Finalize();
  exit(status);
}

const char* bench_level_name(int level) {
  if (level == MPI_THREAD_SINGLE) return "single";
  if (level == MPI_THREAD_FUNNELED) return "funneled";
  return level == MPI_THREAD_SERIALIZED ? "serialized" : "multiple";
}

void bench_begin(Bench* bench, int level) {
  int provided;
  if (level == BY_MPI_INIT) {
    MPI_Init(NULL, NULL);
    MPI_Query_thread(&provided);
    level = provided;
  } else {
    MPI_Init_thread(NULL, NULL, level, &provided);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &bench->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &bench->ranks);
  if (state.help) {
    if (bench->rank == 0) print_help(bench->name);
    leave(0);
  }
  bench_require(bench, !*state.problem, "%s", state.problem);
  output_begin(bench);
  bench->level = level;
  if (provided < level) {
    if (bench->rank == 0)
      fprintf(stderr, "%s: %s does not provide the thread level that this needs (%s, not %s)\n",
              bench->name, output_library(), bench_level_name(provided), bench_level_name(level));
    leave(4);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &bench->control);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &bench->node);
}

void bench_require(const Bench* bench, int holds, const char* format, ...) {
  if (holds) return;
  if (bench->rank == 0) {
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: %s\n", bench->name, text);
  }
  leave(2);
}

void bench_wrong(const Bench* bench, const char* format, ...) {
  char text[TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s: rank %d: %s\n", bench->name, bench->rank, text);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 3);
  exit(3);
}

int bench_end(Bench* bench) {
  MPI_Comm_free(&bench->node);
  MPI_Comm_free(&bench->control);
  MPI_Finalize();
  return 0;
}
