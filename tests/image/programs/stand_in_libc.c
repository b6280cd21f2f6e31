/* Stands for libheddle_libc.so: a private library that every image needs. */
int heddle_stand_in_state = 1;
