// An exception that nothing catches: libstdc++ ends the rank.
#include <mpi.h>

#include <stdexcept>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  throw std::runtime_error("not caught");
}
