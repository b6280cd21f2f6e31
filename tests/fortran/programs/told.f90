! A library that all ranks may share (mpiexec --share-library). It needs libgfortran, of which each rank has its own all the same.
integer function told(number)
  implicit none
  integer, intent(in) :: number
  if (number < 0) print *, 'negative'
  told = 2*number
end function
