/* options.c - what a program is told and what it says: arguments, --help, sentences, JSON lines. */
#include <ctype.h>
#include <stdarg.h>

#include "common.h"

enum { TEXT = 512 };

static struct {
  char problem[TEXT]; /* empty: none */
  int help;
  const char* purpose;
  const Option* options;
  int count;
  char library[64], version[64];
} state;

/* ---- reading ---------------------------------------------------------------------------------- */

static const Option kSeconds = {"seconds", SECONDS, NULL, "how long each point is measured",
                                NULL,      0,       0};

static int among(const char* choices, const char* word) {
  const size_t length = strlen(word);
  for (const char* at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
    if (strncmp(at, word, length) == 0 && (at[length] == '|' || at[length] == 0)) return 1;
  return 0;
}

/* Null, or where the text goes on after the number. */
static const char* read_number(const char* text, long* value) {
  char* end;
  *value = strtol(text, &end, 10);
  return end == text || !isdigit((unsigned char)end[-1]) ? NULL : end;
}

static int read_list(const Option* option, const char* text) {
  List list = {0};
  for (;;) {
    long value;
    const char* end = read_number(text, &value);
    if (!end || (*end && *end != ',') || list.count == BENCH_LIST || value < option->smallest ||
        value > option->largest)
      return 0;
    list.value[list.count++] = value;
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
      snprintf(text, size, "up to %d numbers from %ld to %ld with commas between", BENCH_LIST,
               option->smallest, option->largest);
      return;
    case SECONDS:
      snprintf(text, size, "seconds");
      return;
    case CHOICE:
      snprintf(text, size, "%s", option->choices);
      return;
  }
}

static const Option* find(const char* word) {
  if (strncmp(word, "--", 2) != 0) return NULL;
  if (is(word + 2, kSeconds.name)) return &kSeconds;
  for (int i = 0; i < state.count; i++)
    if (is(word + 2, state.options[i].name)) return &state.options[i];
  return NULL;
}

void bench_options(Bench* bench, int argc, char** argv, const char* name, const char* purpose,
                   const Option* options, int count) {
  bench->name = name;
  bench->seconds = 0.3;
  state.purpose = purpose;
  state.options = options;
  state.count = count;
  for (int i = 1; i < argc; i++) {
    if (is(argv[i], "--help") || is(argv[i], "-h")) {
      state.help = 1;
      return;
    }
    const Option* found = find(argv[i]);
    char text[TEXT / 2];
    if (!found) {
      snprintf(state.problem, TEXT, "there is no option '%.100s'; --help lists them", argv[i]);
      return;
    }
    Option option = *found;
    if (found == &kSeconds) option.target = &bench->seconds;
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
      printf("0.3");
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
  print_option(&kSeconds);
  printf("\nEach result is a line of JSON on standard output; README.md says what is in it.\n");
  fflush(stdout);
}

/* ---- beginning and ending --------------------------------------------------------------------- */

/* The library's name and version, of the first words in which each describes itself. */
static void find_library(void) {
  static const char* const kKnown[][2] = {{"MPICH Version:", "MPICH"},
                                          {"Open MPI v", "Open MPI"},
                                          {"Intel(R) MPI Library", "Intel MPI"},
                                          {"MVAPICH Version:", "MVAPICH"},
                                          {"Heddle", "Heddle"}};
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(text, &length);
  text[strcspn(text, "\n")] = 0;
  const char* rest = text;
  snprintf(state.library, sizeof state.library, "%.40s", text);
  for (size_t i = 0; i < sizeof kKnown / sizeof *kKnown; i++) {
    const char* found = strstr(text, kKnown[i][0]);
    if (!found) continue;
    snprintf(state.library, sizeof state.library, "%s", kKnown[i][1]);
    rest = found + strlen(kKnown[i][0]);
    break;
  }
  rest += strcspn(rest, "0123456789");
  snprintf(state.version, sizeof state.version, "%.*s", (int)strcspn(rest, " ,;\t"), rest);
}

static _Noreturn void leave(int status) {
  MPI_Finalize();
  exit(status);
}

void bench_begin(Bench* bench, int level) {
  int provided;
  MPI_Init_thread(NULL, NULL, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &bench->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &bench->ranks);
  if (state.help) {
    if (bench->rank == 0) print_help(bench->name);
    leave(0);
  }
  bench_require(bench, !*state.problem, "%s", state.problem);
  find_library();
  if (provided < level) {
    if (bench->rank == 0)
      fprintf(stderr, "%s: %s %s does not provide the thread level that this needs (%d, not %d)\n",
              bench->name, state.library, state.version, provided, level);
    leave(4);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &bench->control);
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
  MPI_Comm_free(&bench->control);
  MPI_Finalize();
  return 0;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void print_string(const char* text) {
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text >= ' ') putchar(*text);
  }
  putchar('"');
}

/* "mode=threads pairs=4" becomes {"mode":"threads","pairs":4}. */
static void print_parameters(char* text) {
  printf("\"parameters\":{");
  char* rest = NULL;
  for (char* word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    if (word != text) putchar(',');
    char* value = strchr(word, '=');
    *value++ = 0;
    char* end;
    strtod(value, &end);
    printf("\"%s\":", word);
    if (*value && !*end)
      printf("%s", value);
    else
      print_string(value);
  }
  putchar('}');
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double quantile(const double* sorted, int count, double part) {
  const double at = part * (count - 1);
  const int low = (int)at;
  return low + 1 < count ? sorted[low] + (at - low) * (sorted[low + 1] - sorted[low])
                         : sorted[count - 1];
}

static void print_line(const Bench* bench, const double* values, int count, int series,
                       const char* quantity, const char* unit, const char* better,
                       char* parameters) {
  double* sorted = malloc((size_t)count * sizeof *sorted);
  memcpy(sorted, values, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  printf("{\"bench\":\"%s\",\"quantity\":\"%s\",\"library\":", bench->name, quantity);
  print_string(state.library);
  printf(",\"version\":");
  print_string(state.version);
  printf(",\"ranks\":%d,", bench->ranks);
  print_parameters(parameters);
  printf(",\"unit\":\"%s\",\"better\":\"%s\",\"median\":%.6g,\"p25\":%.6g,\"p75\":%.6g", unit,
         better, quantile(sorted, count, 0.5), quantile(sorted, count, 0.25),
         quantile(sorted, count, 0.75));
  printf(",\"min\":%.6g,\"max\":%.6g,\"samples\":%d", sorted[0], sorted[count - 1], count);
  if (series) {
    printf(",\"p99\":%.6g,\"series\":[", quantile(sorted, count, 0.99));
    for (int i = 0; i < count; i++) printf("%s%.5g", i ? "," : "", values[i]);
    printf("]");
  }
  printf("}\n");
  fflush(stdout);
  free(sorted);
}

void bench_result(const Member* member, const Samples* samples, Figure figure, double factor,
                  const char* quantity, const char* unit, const char* format, ...) {
  if (member->bench->rank != 0 || member->thread != 0) return;
  char parameters[TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parameters, sizeof parameters, format, arguments);
  va_end(arguments);
  double values[BENCH_SAMPLES];
  for (int i = 0; i < samples->count; i++)
    values[i] = figure == AS_TIME ? factor * samples->value[i] : factor / samples->value[i];
  print_line(member->bench, values, samples->count, 0, quantity, unit,
             figure == AS_TIME ? "less" : "more", parameters);
}

void bench_figures(const Member* member, const double* values, int count, int series,
                   const char* quantity, const char* unit, const char* better, const char* format,
                   ...) {
  if (member->bench->rank != 0 || member->thread != 0) return;
  char parameters[TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parameters, sizeof parameters, format, arguments);
  va_end(arguments);
  print_line(member->bench, values, count, series, quantity, unit, better, parameters);
}
