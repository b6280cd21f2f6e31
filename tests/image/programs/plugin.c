/* Loaded by a program with dlopen; uses a symbol of that program. */
extern int counter;
int plugin_counter = 3;
int* address_of_plugin_counter(void) {
  return &plugin_counter;
}
int* counter_seen_by_plugin(void) {
  return &counter;
}
