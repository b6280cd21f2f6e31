! Ends before MPI_Init, while other ranks are still being loaded: the runtime library then looks for names in the loaded files.
program early_end
  implicit none
  error stop 4
end program
