/* output.c - results as rows of a table or as lines of JSON; see common.h. */
#include "output.h"

#include <ctype.h>
#include <stdarg.h>

enum { TEXT = 512, PARAMETERS = 12, SAYS = 200 };

static struct {
  const Bench* bench;
  char library[64], version[64], both[130];
  char says[SAYS + 1];               /* MPI_Get_library_version, in one line */
  char heading[TEXT], columns[TEXT]; /* of the table, as they were printed last */
} out;

/* What is printed of a result. */
typedef struct {
  const Quantity* quantity;
  const double* values;
  int count, repeats;
  char parameters[TEXT]; /* "mode=threads pairs=4" */
} Result;

/* ---- the library ------------------------------------------------------------------------------ */

static void keep_what_it_says(const char* text) {
  size_t length = 0;
  for (; *text && length < SAYS; text++) {
    const char c = (unsigned char)*text < ' ' ? ' ' : *text;
    if (c != ' ' || (length && out.says[length - 1] != ' ')) out.says[length++] = c;
  }
  while (length && out.says[length - 1] == ' ') length--;
  out.says[length] = 0;
}

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
  keep_what_it_says(text);
  text[strcspn(text, "\n")] = 0;
  const char* rest = text;
  snprintf(out.library, sizeof out.library, "%.40s", text);
  for (size_t i = 0; i < sizeof kKnown / sizeof *kKnown; i++) {
    const char* found = strstr(text, kKnown[i][0]);
    if (!found) continue;
    snprintf(out.library, sizeof out.library, "%s", kKnown[i][1]);
    rest = found + strlen(kKnown[i][0]);
    break;
  }
  rest += strcspn(rest, "0123456789");
  snprintf(out.version, sizeof out.version, "%.*s", (int)strcspn(rest, " ,;\t"), rest);
  snprintf(out.both, sizeof out.both, "%s %s", out.library, out.version);
}

void output_begin(const Bench* bench) {
  out.bench = bench;
  find_library();
}

const char* output_library(void) {
  return out.both;
}

/* ---- statistics ------------------------------------------------------------------------------- */

typedef struct {
  double smallest, p25, median, p75, p99, largest;
} Summary;

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

static Summary summary(const double* values, int count) {
  double* sorted = malloc((size_t)count * sizeof *sorted);
  if (!sorted) abort();
  memcpy(sorted, values, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  const Summary s = {sorted[0],
                     quantile(sorted, count, 0.25),
                     quantile(sorted, count, 0.5),
                     quantile(sorted, count, 0.75),
                     quantile(sorted, count, 0.99),
                     sorted[count - 1]};
  free(sorted);
  return s;
}

/* ---- names and values --------------------------------------------------------------------------- */

typedef struct {
  const char *name, *value;
} Parameter;

/* Takes "mode=threads pairs=4" apart, in place. */
static int parameters_of(char* text, Parameter* found) {
  int count = 0;
  char* rest = NULL;
  for (char* word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char* value = strchr(word, '=');
    *value++ = 0;
    found[count++] = (Parameter){word, value};
  }
  return count;
}

static int is_number(const char* text) {
  char* end;
  strtod(text, &end);
  return *text && !*end;
}

/* The words for flags, one after the other. */
static const char* flag_word(int flag) {
  static const char* const kWords[] = {"slices", "two modes", "few samples"};
  return kWords[flag];
}

enum { FLAGS = 3 };

/* ---- JSON ------------------------------------------------------------------------------------- */

static void print_string(const char* text) {
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text >= ' ') putchar(*text);
  }
  putchar('"');
}

static void print_named(const char* name, const char* text) {
  printf("\"%s\":", name);
  print_string(text);
  putchar(',');
}

static void print_setting(const Bench* bench) {
  print_named("library", out.library);
  print_named("version", out.version);
  print_named("library_says", out.says);
  print_named("rank_is", bench->rank_is);
  print_named("level", bench_level_name(bench->level));
  print_named("binding", bench->binding);
  printf("\"ranks\":%d,\"strands\":%d,\"cores\":%d,", bench->ranks, bench->strands, bench->cores);
}

static void print_parameters(char* text) {
  Parameter found[PARAMETERS];
  const int count = parameters_of(text, found);
  printf("\"parameters\":{");
  for (int i = 0; i < count; i++) {
    printf("%s\"%s\":", i ? "," : "", found[i].name);
    if (is_number(found[i].value))
      printf("%s", found[i].value);
    else
      print_string(found[i].value);
  }
  printf("},");
}

static void print_flags(int flags) {
  const char* between = "";
  printf("\"flags\":[");
  for (int i = 0; i < FLAGS; i++) {
    if (!(flags & 1 << i)) continue;
    printf("%s\"%s\"", between, flag_word(i));
    between = ",";
  }
  printf("],");
}

static void print_line(const Bench* bench, Result* r) {
  const Summary s = summary(r->values, r->count);
  putchar('{');
  print_named("bench", bench->name);
  print_named("quantity", r->quantity->quantity);
  print_setting(bench);
  print_parameters(r->parameters);
  print_named("unit", r->quantity->unit);
  print_named("better", r->quantity->better);
  print_named("statistic", r->quantity->statistic);
  printf("\"median\":%.6g,\"p25\":%.6g,\"p75\":%.6g,\"min\":%.6g,\"max\":%.6g,", s.median, s.p25,
         s.p75, s.smallest, s.largest);
  print_flags(r->quantity->flags);
  printf("\"samples\":%d,\"batch\":%ld,\"repeats\":%d", r->count,
         r->quantity->batch ? r->quantity->batch : 1, r->repeats);
  if (r->quantity->series) {
    printf(",\"p99\":%.6g,\"series\":[", s.p99);
    for (int i = 0; i < r->count; i++) printf("%s%.5g", i ? "," : "", r->values[i]);
    printf("]");
  }
  printf("}\n");
}

/* ---- the table -------------------------------------------------------------------------------- */

static void print_title(const Bench* bench) {
  static const char* const kBindings[][2] = {
      {"cores", "each thread bound to a core of its own"},
      {"none", "not bound"},
      {"library", "carried by the library's kernel threads"}};
  const char* binding = "";
  for (int i = 0; i < 3; i++)
    if (is(bench->binding, kBindings[i][0])) binding = kBindings[i][1];
  printf("# %s with %s: %d rank%s, %s, MPI_THREAD_", bench->name, out.both, bench->ranks,
         bench->ranks == 1 ? "" : "s",
         is(bench->rank_is, "thread") ? "threads of one process"
         : bench->ranks == 1          ? "a process"
                                      : "each a process");
  for (const char* c = bench_level_name(bench->level); *c; c++) putchar(toupper((unsigned char)*c));
  printf("\n# threads at the same time: %d; cores: %d%s; %s\n", bench->strands, bench->cores,
         bench->strands > bench->cores ? ": MORE THREADS THAN CORES" : "", binding);
}

/* Parameters that change from row to row have a column; the others stand in the heading. */
static int is_column(const Parameter* p) {
  return is(p->name, "size") || is(p->name, "depth") || is(p->name, "beside");
}

/* Prints a heading if this row's is another than the latest. */
static void print_heading(const Parameter* found, int count) {
  char heading[TEXT] = "", columns[TEXT] = "";
  for (int i = 0; i < count; i++) {
    const int column = is_column(&found[i]);
    char* at = column ? columns : heading;
    const size_t length = strlen(at);
    if (column)
      snprintf(at + length, TEXT - length, "%-12s", found[i].name);
    else
      snprintf(at + length, TEXT - length, " %s=%s", found[i].name, found[i].value);
  }
  if (is(heading, out.heading) && is(columns, out.columns)) return;
  if (!*out.heading) print_title(out.bench);
  memcpy(out.heading, heading, sizeof heading);
  memcpy(out.columns, columns, sizeof columns);
  printf("#%s\n%s%-28s %11s %11s %11s  %-10s %7s  %s\n", heading, columns, "quantity", "median",
         "25 %", "75 %", "unit", "samples", "remarks");
}

static void print_row(Result* r) {
  const Quantity* q = r->quantity;
  const Summary s = summary(r->values, r->count);
  Parameter found[PARAMETERS];
  const int count = parameters_of(r->parameters, found);
  print_heading(found, count);
  for (int i = 0; i < count; i++)
    if (is_column(&found[i])) printf("%-12s", found[i].value);
  printf("%-28s %11.6g ", q->quantity, s.median);
  if (r->count > 1)
    printf("%11.6g %11.6g", s.p25, s.p75);
  else
    printf("%11s %11s", "", "");
  printf("  %-10s %7d ", q->unit, r->count);
  if (is(q->statistic, "mean")) printf(" the mean");
  for (int i = 0; i < FLAGS; i++)
    if (q->flags & 1 << i) printf(" %s!", flag_word(i));
  printf("\n");
}

static void print_result(const Bench* bench, Result* result) {
  if (is(bench->output, "json"))
    print_line(bench, result);
  else if (!result->quantity->series)
    print_row(result);
  fflush(stdout);
}

/* ---- results ---------------------------------------------------------------------------------- */

void bench_result(const Member* member, const Samples* samples, Figure figure, double factor,
                  const char* quantity, const char* unit, const char* format, ...) {
  if (member->bench->rank != 0 || member->thread != 0) return;
  double values[BENCH_SAMPLES];
  for (int i = 0; i < samples->count; i++)
    values[i] = figure == AS_TIME   ? factor * samples->value[i]
                : figure == AS_RATE ? factor / samples->value[i]
                                    : factor * samples->rate[i];
  const Quantity what = {
      quantity,       unit,          figure == AS_TIME ? "less" : "more", "median of batches", 0,
      samples->flags, samples->batch};
  Result result = {&what, values, samples->count, samples->repeats, ""};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(result.parameters, sizeof result.parameters, format, arguments);
  va_end(arguments);
  print_result(member->bench, &result);
}

void bench_figures(const Member* member, const Quantity* quantity, const double* values, int count,
                   const char* format, ...) {
  if (member->bench->rank != 0 || member->thread != 0) return;
  Result result = {quantity, values, count, 0, ""};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(result.parameters, sizeof result.parameters, format, arguments);
  va_end(arguments);
  print_result(member->bench, &result);
}
