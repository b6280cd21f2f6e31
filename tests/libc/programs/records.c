/* Prints what a rank gets of libc's static records and shift states, with argv[2] as its variant. Between
 * the calls it yields, so that ranks on one worker would disturb each other if they shared them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <locale.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <rpc/netdb.h>
#include <sched.h>
#include <shadow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

static int variant;

static void others(void) {
  sched_yield();
}

static void show_multibyte(void) {
  const char* const texts[] = {"\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80"};
  const char* const text = texts[variant % 3];
  setlocale(LC_ALL, "C.UTF-8");
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; text[i] != '\0'; ++i, others()) {
      wchar_t wide = 0;
      const int read = (int)mbrtowc(&wide, text + i, 1, NULL);
      others();
      printf("mbrtowc %d %x, mbrlen %d\n", read, (unsigned)wide, (int)mbrlen(text + i, 1, NULL));
      const char* rest = text + i;
      printf("mbsnrtowcs %d\n", (int)mbsnrtowcs(&wide, &rest, 1, 1, NULL));
    }
  }
  for (size_t i = 0; text[i] != '\0'; ++i, others()) {
    char16_t half = 0;
    char32_t whole = 0;
    const int read = (int)mbrtoc16(&half, text + i, 1, NULL);
    others();
    printf("mbrtoc16 %d %x, ", read, half);
    printf("mbrtoc32 %d %x\n", (int)mbrtoc32(&whole, text + i, 1, NULL), whole);
  }
  char16_t half = 0;
  printf("mbrtoc16 %d %x\n", (int)mbrtoc16(&half, "", 1, NULL), half);
  char16_t surrogates[] = {(char16_t)(0xd83d + variant % 2), 0xde00};
  for (int i = 0; i < 2; ++i, others()) {
    char bytes[16] = "";
    const int written = (int)c16rtomb(bytes, surrogates[i], NULL);
    others();
    printf("c16rtomb %d %s, c32rtomb %d\n", written, bytes, (int)c32rtomb(bytes, 0xe9, NULL));
  }
  wchar_t wide = 0;
  char bytes[16] = "";
  printf("mblen %d %d, mbtowc %d %d %x", mblen(NULL, 0), mblen(text, 4), mbtowc(NULL, NULL, 0),
         mbtowc(&wide, text, 4), (unsigned)wide);
  printf(", wctomb %d %d %s\n", wctomb(NULL, 0), wctomb(bytes, wide), bytes);
  printf("incomplete %d %d, wrong %d\n", mblen(text, 1), mblen(text, strlen(text)),
         mblen("\xff", 1));
}

/* What a pointer into a static variable still says after others have asked for something else. */
static void show_records(void) {
  static const char* const services[] = {"http", "ssh", "smtp"};
  static const char* const protocols[] = {"tcp", "udp", "icmp"};
  const struct servent* service = getservbyname(services[variant % 3], "tcp");
  const struct protoent* protocol = getprotobyname(protocols[variant % 3]);
  struct ether_addr address = {{1, 2, 3, 4, 5, (unsigned char)variant}};
  const char* ether = ether_ntoa(&address);
  int point = 0, sign = 0;
  const char* digits = qecvt(variant + 0.5L, 10, &point, &sign);
  const char* fixed = qfcvt(variant + 0.25L, 3, &point, &sign);
  char line[64];
  snprintf(line, sizeof line, "device%d /place%d kind options 0 %d\n", variant, variant, variant);
  FILE* table = tmpfile();
  fputs(line, table);
  rewind(table);
  const struct mntent* mount = getmntent(table);
  others();
  if (service != NULL)
    printf("service %s %d %s\n", service->s_name, service->s_port, service->s_proto);
  if (protocol != NULL) printf("protocol %s %d\n", protocol->p_name, protocol->p_proto);
  printf("ether %s %s %s\n", ether, digits, fixed);
  printf("mount %s %s %s %d\n", mount->mnt_fsname, mount->mnt_dir, mount->mnt_type,
         mount->mnt_passno);
  printf("no mount %d\n", getmntent(table) == NULL);
  fclose(table);
}

/* The same of functions that few programs call. The addresses need no network. */
static void show_rare_records(void) {
  static const char* const nets[] = {"default", "loopback", "link-local"};
  static const char* const programs[] = {"portmapper", "nfs", "mountd"};
  char text[32];
  snprintf(text, sizeof text, "127.0.0.%d", variant + 1);
  const struct hostent* host = gethostbyname2(text, AF_INET);
  others();
  printf("host %s %s\n", host->h_name, inet_ntoa(*(struct in_addr*)host->h_addr_list[0]));
  const struct in_addr four = {htonl(INADDR_LOOPBACK)};
  host = variant % 2 == 0 ? gethostbyaddr(&four, sizeof four, AF_INET)
                          : gethostbyaddr(&in6addr_loopback, sizeof in6addr_loopback, AF_INET6);
  others();
  if (host != NULL) printf("of an address of %d bytes: %s\n", host->h_length, host->h_name);
  char line[64];
  snprintf(line, sizeof line, "user%d:secret%d:1:2:3:4:5:6:7", variant, variant);
  const struct spwd* shadow = sgetspent(line);
  others();
  printf("shadow %s %s\n", shadow->sp_namp, shadow->sp_pwdp);
  FILE* const table = tmpfile();
  fprintf(table, "user%d:x:%d:2:name:/home:/bin/sh\ngroup%d:x:%d:\n%s\n", variant, variant, variant,
          variant, line);
  rewind(table);
  const struct passwd* user = fgetpwent(table);
  const struct group* group = fgetgrent(table);
  const struct spwd* password = fgetspent(table);
  others();
  printf("of a file %s %s %s\n", user->pw_name, group->gr_name, password->sp_namp);
  fclose(table);
  const struct netent* net = getnetbyname(nets[variant % 3]);
  const struct rpcent* rpc = getrpcbyname(programs[variant % 3]);
  others();
  printf("net %s, rpc %s\n", net != NULL ? net->n_name : "none",
         rpc != NULL ? rpc->r_name : "none");
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  char own[64] = "";
  const int error = ptsname_r(terminal, own, sizeof own);
  const char* kept = ptsname(terminal);
  others();
  printf("terminal %d\n", error == 0 && kept != NULL && strcmp(kept, own) == 0);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  variant = atoi(argv[2]);
  if (strcmp(argv[1], "multibyte") == 0) show_multibyte();
  if (strcmp(argv[1], "records") == 0) show_records();
  if (strcmp(argv[1], "rare") == 0) show_rare_records();
  return variant;
}
