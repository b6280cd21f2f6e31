// operator new with an alignment, over sizes and alignments. Prints "ok" for each rank.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <new>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  for (std::size_t alignment = 8; alignment <= std::size_t{1} << 16; alignment *= 2) {
    for (const std::size_t bytes :
         {1, 24, 64, 128, 255, 256, 257, 512, 768, 1000, 1024, 1025, 2048, 4096, 100000}) {
      const auto as = static_cast<std::align_val_t>(alignment);
      void* const blocks[] = {::operator new(bytes, as), ::operator new(bytes, as, std::nothrow),
                              ::operator new[](bytes, as)};
      for (void* const block : blocks)
        wrong += reinterpret_cast<std::uintptr_t>(block) % alignment != 0;
      for (void* const block : blocks) ::operator delete(block, as);
    }
  }
  std::printf(wrong == 0 ? "ok\n" : "%d are wrong\n", wrong);
  MPI_Finalize();
}
