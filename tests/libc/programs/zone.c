/* Prints what dates are in a series of time zones that begins elsewhere for each argv[2]. Between the
 * calls it yields, so that ranks would see each other's zones if they shared one.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

extern char** environ;

static const char* const zones[] = {"EST5EDT,M3.2.0,M11.1.0",
                                    "Europe/Berlin",
                                    "",
                                    "JST-9",
                                    NULL,
                                    ":Asia/Kathmandu",
                                    "right/UTC",
                                    "Nonsense",
                                    "<+0330>-3:30:15<+0430>,J79/24,J263/24",
                                    "America/New_York"};
enum { ZONES = sizeof zones / sizeof *zones };

/* Winter, summer, before there were zones, about a change of 2023 in Berlin and New York, far ahead. */
static const time_t moments[] = {1000000000, 1721000000, -3000000000, 1679792399,
                                 1679792400, 1699164000, 1500000000,  9000000000};
enum { MOMENTS = sizeof moments / sizeof *moments };

static void others(void) {
  sched_yield();
}

static void set_zone(const char* zone) {
  static char put[100];
  if (zone == NULL) {
    unsetenv("TZ");
  } else if (strlen(zone) % 2 == 0) {
    setenv("TZ", zone, 1);
  } else {
    snprintf(put, sizeof put, "TZ=%s", zone);
    putenv(put);
  }
}

static void show_variables(const char* after) {
  others();
  printf("%s: %s %s %ld %d\n", after, tzname[0], tzname[1], timezone, daylight);
}

static void show(const char* what, const struct tm* time) {
  others();
  char text[100];
  strftime(text, sizeof text, "%F %T %Z %z %s %c", time);
  others();
  printf("%s: %s, %d %ld %s\n", what, text, time->tm_isdst, time->tm_gmtoff, time->tm_zone);
}

static void show_moment(time_t moment) {
  struct tm own, *shared;
  show("localtime_r", localtime_r(&moment, &own));
  shared = localtime(&moment);
  show("localtime", shared);
  show_variables("after it");
  others();
  printf("mktime %lld\n", (long long)mktime(&own) - moment);
  own.tm_isdst = -1;
  own.tm_mon += 5;
  others();
  printf("five months later %lld\n", (long long)timelocal(&own));
  show("normal", &own);
  char text[64];
  others();
  printf("ctime %s", ctime(&moment));
  printf("ctime_r %s", ctime_r(&moment, text));
  show("gmtime", gmtime(&moment));
  others();
  printf("timegm %lld\n", (long long)timegm(gmtime_r(&moment, &own)));
}

static void show_texts(void) {
  wchar_t wide[100];
  struct tm time = {.tm_year = 123, .tm_mon = 6, .tm_mday = 1, .tm_isdst = 1};
  others();
  wcsftime(wide, 100, L"%s %Z", &time);
  printf("wcsftime %ls\n", wide);
  others();
  memset(&time, 0, sizeof time);
  strptime("1699164000", "%s", &time);
  show("strptime", &time);
  others();
  printf("getdate %d %d\n", getdate("12:00") != NULL, getdate_err);
}

/* What a child of fork and a program find. */
static void show_children(void) {
  const time_t moment = 1721000000;
  struct tm time;
  char line[100] = "";
  fflush(stdout);
  int ends[2];
  if (pipe(ends) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    localtime_r(&moment, &time);
    int size = snprintf(line, sizeof line, "%d %s, ", time.tm_hour, tzname[0]);
    setenv("TZ", "XYZ-7", 1);
    tzset();
    localtime_r(&moment, &time);
    size += snprintf(line + size, sizeof line - (size_t)size, "%d %s", time.tm_hour, tzname[0]);
    _exit(write(ends[1], line, (size_t)size) != size);
  }
  close(ends[1]);
  for (size_t size = 0; (size += (size_t)read(ends[0], line + size, 99 - size)) < 5;) others();
  close(ends[0]);
  waitpid(child, NULL, 0);
  printf("child %s\n", line);
  FILE* pipe = popen("echo ${TZ-unset}; date -d @1721000000", "r");
  while (fgets(line, sizeof line, pipe) != NULL) printf("program %s", line);
  pclose(pipe);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int variant = atoi(argv[2]);
  show_variables("at first");
  for (char** v = environ; *v != NULL; ++v) {
    if (strncmp(*v, "TZ=", 3) == 0) printf("given %s\n", *v);
  }
  show_moment(moments[variant % MOMENTS]);
  for (int i = 0; i < 2 * ZONES; ++i) {
    struct tm time;
    const char* zone = zones[(i + 3 * variant) % ZONES];
    set_zone(zone);
    others();
    printf("zone %s, not yet %d\n", zone != NULL ? zone : "unset",
           localtime_r(moments, &time)->tm_hour);
    show_variables("before tzset");
    if (i % 3 != 0) tzset();
    show_variables("after tzset");
    for (int k = 0; k < MOMENTS; ++k) show_moment(moments[(k + variant) % MOMENTS]);
    show_texts();
    if (i % 8 == variant % 8) show_children();
  }
  return 0;
}
