#!/usr/bin/env python3
"""What a rank of a hello costs in C and in Fortran: memory (PSS) and mappings of its host, the difference of two numbers of ranks.

  bench/fortran/memory.py                     build/release
  bench/fortran/memory.py --prefix DIR --fc gfortran,flang-22
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile

FEW, MANY = 64, 320

C = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("hello from %d\\n", rank);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) fputs("ready\\n", stderr);
  pause();
}
"""
FORTRAN = """
program hello
  use mpi_f08
  use iso_c_binding
  interface
    integer(c_int) function pause() bind(c)
      import c_int
    end function
  end interface
  integer :: rank
  integer(c_int) :: ignored
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  print *, 'hello from', rank
  flush (6)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) write (0, '(a)') 'ready'
  flush (0)
  ignored = pause()
end program
"""


def host(mpiexec, program, ranks):
    """(KiB, mappings) of the host of so many ranks."""
    with subprocess.Popen([mpiexec, "-n", str(ranks), program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as job:
        job.stderr.readline()
        memory = re.search(r"^Pss: +(\d+)", pathlib.Path(f"/proc/{job.pid}/smaps_rollup").read_text(), re.M)
        mappings = pathlib.Path(f"/proc/{job.pid}/maps").read_text().count("\n")
        job.kill()
        return int(memory[1]), mappings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default="build/release")
    parser.add_argument("--fc", default="gfortran", help="compilers of Fortran")
    arguments = parser.parse_args()
    bin_folder = pathlib.Path(arguments.prefix).resolve() / "bin"
    with tempfile.TemporaryDirectory() as folder:
        for compiler in ["", *arguments.fc.split(",")]:
            source, program = pathlib.Path(folder, "hello.f90" if compiler else "hello.c"), pathlib.Path(folder, "hello")
            source.write_text(FORTRAN if compiler else C)
            subprocess.run([bin_folder / ("mpifort" if compiler else "mpicc"), "-O2", "-o", program, source], check=True,
                           env={**os.environ, "HEDDLE_FC": compiler})
            few, many = (host(bin_folder / "mpiexec", program, ranks) for ranks in (FEW, MANY))
            memory, mappings = ((many[i] - few[i]) / (MANY - FEW) for i in (0, 1))
            print(f"{compiler or 'C':12} {memory:6.1f} KiB {mappings:5.1f} mappings a rank", flush=True)


if __name__ == "__main__":
    main()
