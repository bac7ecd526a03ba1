program numbers
  implicit none
  real(8) :: matrix(8, 8)
  integer :: i, j
  do i = 1, 8
     do j = 1, 8
        matrix(i, j) = i * 10 + j
     end do
  end do
  print '(F10.2)', sum(matmul(matrix, transpose(matrix)))
end program numbers
