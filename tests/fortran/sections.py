#!/usr/bin/env python3
"""Writes a program that calls each procedure of mpi_f08 with choice buffers twice: with contiguous arrays, and with array
sections of the same elements. Both calls must have the same results, and leave the elements between the section's alone.
In the shape that can be cut anywhere, the sections are just long enough. Then each is one element too short: that is an error.

    sections.py BINDINGS SHAPE WHICH OUT    BINDINGS: the folder with the generator, whose table says which procedures
                                            there are; SHAPE: one of SHAPES; WHICH: windows or files, for the
                                            procedures that need one, or messages, for all others

A procedure that needs arguments which this program does not know is an error, so that a new one is not forgotten.
"""
import pathlib
import re
import sys

sys.path.insert(0, sys.argv[1])
import fortran  # noqa: E402
import fortran_interfaces  # noqa: E402
import fortran_wrappers  # noqa: E402

HEAD = """\
! From tests/fortran/sections.py. Do not edit.
program sections
  use mpi_f08
  implicit none
  integer, parameter :: k = 3
  integer :: rank, ranks, left, right, n, errors = 0, all, partner_left, i
  integer, asynchronous, allocatable :: p1(:), p2(:), s1(:,:,:), s2(:,:,:), got(:), message_of_partner(:)
  integer, asynchronous, allocatable :: counts(:), displs(:), byte_displs(:)
  integer(MPI_COUNT_KIND), asynchronous, allocatable :: counts_c(:)
  integer(MPI_ADDRESS_KIND), asynchronous, allocatable :: displs_c(:), byte_displs_c(:)
  type(MPI_Datatype), asynchronous, allocatable :: types(:)
  integer, allocatable :: kept(:)
  integer, asynchronous :: room(10000)
  type(MPI_Comm) :: comm, cart, own_cart
  type(MPI_Request) :: request, partner
  type(MPI_Message) :: message = MPI_MESSAGE_NULL
  logical :: flag
  integer, asynchronous, target :: memory(100)
  type(MPI_Win) :: win
  type(MPI_File) :: file
  character(20) :: file_name
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  n = 8*((k + 1)*max(ranks, 2))
  allocate (p1(n/2), p2(n/2), got(2*k), message_of_partner(2*k), kept(n + 2*k))
  allocate (s1(4, n, 2), s2(4, n, 2))
  i = max(ranks, 2)
  allocate (counts(i), displs(i), byte_displs(i), counts_c(i), displs_c(i), byte_displs_c(i), types(i))
  counts = k
  counts_c = k
  displs = [((k + 1)*(size(displs) - i), i=1, size(displs))]
  displs_c = displs
  byte_displs = 4*displs
  byte_displs_c = 4*displs
  types = MPI_INTEGER
  comm = MPI_COMM_WORLD
  call MPI_Cart_create(comm, 1, [ranks], [.true.], .false., cart)
  call MPI_Buffer_attach(room, 40000)
  call MPI_Cart_create(MPI_COMM_SELF, 1, [1], [.true.], .false., own_cart)
"""

TAIL = """\
  call MPI_Reduce(errors, all, 1, MPI_INTEGER, MPI_SUM, 0, comm)
  if (rank == 0) print '(i0,a,i0,a)', ranks, ' ranks, ', all, ' errors'
  call MPI_Finalize()

contains

  ! What is in the buffers before the first call.
  subroutine refresh()
    integer :: j
    p1 = [(1000*rank + j, j=1, size(p1))]
    p2 = [(-1000*rank - j, j=1, size(p2))]
    s1 = -1
    s2 = -2
    SECTION(s1) = reshape(p1, shape(SECTION(s1)))
    SECTION(s2) = reshape(p2, shape(SECTION(s2)))
    got = 0
    message_of_partner = [(77*rank + j, j=1, 2*k)]
  end subroutine

  subroutine change()
    p1 = p1 + 7
    SECTION(s1) = SECTION(s1) + 7
    message_of_partner = message_of_partner + 7
  end subroutine

  ! After the call with arrays, and after that with sections.
  subroutine judge(sectioned, name)
    logical, intent(in) :: sectioned
    character(*), intent(in) :: name
    if (.not. sectioned) then
      kept = [p1, p2, got]
      return
    end if
    p1 = reshape(SECTION(s1), shape(p1))
    p2 = reshape(SECTION(s2), shape(p2))
    SECTION(s1) = -1
    SECTION(s2) = -2
    if (all_of(kept, [p1, p2, got]) .and. count(s1 /= -1) == 0 .and. count(s2 /= -2) == 0) return
    errors = errors + 1
    print '(a,i0,2a)', 'rank ', rank, ': sections change ', name
  end subroutine

  ! Whether the calls to come return their errors.
  subroutine let_errors(return)
    logical, intent(in) :: return
    type(MPI_Errhandler) :: handler
    handler = MPI_ERRORS_ARE_FATAL
    if (return) handler = MPI_ERRORS_RETURN
    call MPI_Comm_set_errhandler(comm, handler)
    call MPI_Comm_set_errhandler(cart, handler)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler)
    call MPI_Comm_set_errhandler(own_cart, handler)
  end subroutine

  ! After a call with a section that is too short.
  subroutine judge_error(code, whole1, whole2, name)
    integer, intent(in) :: code, whole1(:,:,:), whole2(:,:,:)
    character(*), intent(in) :: name
    integer :: class
    call MPI_Error_class(code, class)
    if (class == MPI_ERR_BUFFER .and. count(s1 /= whole1) == 0 .and. count(s2 /= whole2) == 0) return
    errors = errors + 1
    print '(a,i0,3a,i0)', 'rank ', rank, ': ', name, ' with too short a section: error class ', class
  end subroutine

  logical function all_of(a, b)
    integer, intent(in) :: a(:), b(:)
    all_of = count(a /= b) == 0
  end function
"""

OPEN_WINDOW = """\
  call MPI_Win_create(memory, 400_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, win)
  call MPI_Win_lock_all(0, win)
"""
CLOSE_WINDOW = """\
  call MPI_Win_unlock_all(win)
  call MPI_Win_free(win)
"""

OPEN_FILE = """\
  write (file_name, '(a,i0)') 'sections.', rank
  call MPI_File_open(MPI_COMM_SELF, file_name, MPI_MODE_RDWR + MPI_MODE_CREATE + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
"""
CLOSE_FILE = "  call MPI_File_close(file)\n"
AROUND = {"windows": (OPEN_WINDOW, CLOSE_WINDOW), "files": (OPEN_FILE, CLOSE_FILE), "messages": ("", "")}


def subject_of(procedure):
    return {"rma": "windows", "io": "files"}.get(procedure.function.chapter, "messages")


def needs_whole(procedure):
    """A split collective, whose buffer no request returns: a section of it ends the job."""
    return procedure.name.endswith(("_begin", "_end"))


# n/2 elements of an array (4, n, 2): a row; runs of two elements, from the last plane to the first.
SHAPES = {"row": "(2, 1:n:2, 1)", "runs": "(2:3, 1:n/4:2, 2:1:-1)"}
FIRST = "(2, 1:2*({})-1:2, 1)"   # elements of a row

SENDS = re.compile(r"MPI_I?[bsr]?send(_init)?$", re.I)
RECEIVES = re.compile(r"MPI_I?m?recv(_init)?$", re.I)
OF_ONE_ELEMENT = ("MPI_Fetch_and_op", "MPI_Compare_and_swap")
ARRAYS = {"counts": "counts", "displs": "displs"}


def needed(procedure, buffer, ranks):
    """How many elements a call uses of this buffer, with the arguments of value() and so many ranks. The first displacement is the
    largest."""
    if procedure.name in OF_ONE_ELEMENT:
        return "1"
    name = re.sub(r"^i(?=neighbor|all|reduce|gather|scatter)|_init$", "", procedure.name.lower().removeprefix("mpi_"))
    if re.search("(gather|scatter|alltoall)[vw]$", name) and buffer == {"g": "recvbuf", "s": "sendbuf"}.get(name[0], buffer) \
            and ("allgather" not in name or buffer == "recvbuf"):
        return "(k + 1)*(size(displs) - 1) + k"
    if name.startswith("neighbor"):
        return "2*k" if buffer == "recvbuf" or "alltoall" in name else "k"
    blocks = {"allgather": ["recvbuf"], "alltoall": ["sendbuf", "recvbuf"], "gather": ["recvbuf"], "scatter": ["sendbuf"],
              "reduce_scatter": ["sendbuf"], "reduce_scatter_block": ["sendbuf"]}
    if buffer in blocks.get(name, ()):
        return f"{ranks}*k"
    return "2*k" if name in ("psend", "precv") else "k"


def value(procedure, name, declaration):
    """The argument `name`, of the type that `declaration` gives it; None: a buffer."""
    parameter = procedure.function.param(name)
    kind = parameter.kind if parameter else None
    large = "KIND=" in declaration
    if name == "ierror":
        return "ierror"
    if kind and kind.startswith(("XFER_NUM_ELEM", "DTYPE_NUM_ELEM")):
        if "(*)" in declaration:
            return "counts_c" if large else "counts"
        return f"int(k, {re.search(r'KIND=(.*?)[)]', declaration)[1]})" if large else "k"
    if kind == "DISPLACEMENT" and "(*)" in declaration:
        return ("byte_" if "alltoallw" in procedure.name.lower() else "") + "displs" + ("_c" if large else "")
    if kind == "DATATYPE":
        return "types" if "(*)" in declaration else "MPI_INTEGER"
    if name == "position":
        return "position"
    if name in ("outsize", "insize"):
        return f"int(4*k, {re.search(r'KIND=(.*?)[)]', declaration)[1]})" if large else "4*k"
    known = {"COMMUNICATOR": "cart" if "eighbor" in procedure.name else "comm", "OPERATION": "MPI_SUM", "TAG": "5", "INFO": "MPI_INFO_NULL",
             "REQUEST": "request", "STATUS": "MPI_STATUS_IGNORE", "MESSAGE": "message", "PARTITION": "2", "STRING": "'external32'",
             "WINDOW": "win", "RMA_DISPLACEMENT_NNI": "0_MPI_ADDRESS_KIND"}
    if kind in known:
        return known[kind]
    if kind == "FILE":
        return "file"
    if kind == "OFFSET":
        return "0_MPI_OFFSET_KIND"
    if name in ("root", "dest", "source", "target_rank"):
        return {"root": "0", "source": "left"}.get(name, "right")
    sys.exit(f"sections.py does not know argument {name} of {procedure.name}, which is a {kind}")


def buffers_of(declarations):
    return [name for name, declaration in declarations.items() if "DIMENSION(..)" in declaration]


def fitting(procedure, declarations, numbers, shape):
    """The sections of s1, s2 that a call needs."""
    if shape != "row":
        return [f"SECTION(s{i})" for i in numbers]
    return [f"s{i}" + FIRST.format(needed(procedure, buffer, "ranks")) for i, buffer in zip(numbers, buffers_of(declarations))]


def call(procedure, declarations, buffers):
    """With these expressions as the buffers."""
    left = list(buffers)
    arguments = []
    for name, declaration in declarations.items():
        if "DIMENSION(..)" in declaration:
            arguments.append(left.pop(0))
        elif name != "ierror":
            arguments.append(value(procedure, name, declaration))
    return f"call {procedure.name}({', '.join(arguments)})"


def around(procedure):
    """What the partner does: (once before, before each call or start, after it)."""
    name = procedure.name
    if name == "MPI_Psend_init":
        return ["call MPI_Precv_init(got, 2, int(k, MPI_COUNT_KIND), MPI_INTEGER, left, 5, comm, MPI_INFO_NULL, partner)"], \
            ["call MPI_Start(partner)"], ["call MPI_Wait(partner, MPI_STATUS_IGNORE)"]
    if name == "MPI_Precv_init":
        return ["call MPI_Psend_init(message_of_partner, 2, int(k, MPI_COUNT_KIND), MPI_INTEGER, right, 5, comm, MPI_INFO_NULL, partner)"], \
            ["call MPI_Start(partner)", "call MPI_Pready_range(0, 1, partner)"], ["call MPI_Wait(partner, MPI_STATUS_IGNORE)"]
    if SENDS.match(name):
        return [], ["call MPI_Irecv(got, k, MPI_INTEGER, left, 5, comm, partner)", "call MPI_Barrier(comm)"], \
            ["call MPI_Wait(partner, MPI_STATUS_IGNORE)"]
    if RECEIVES.match(name):
        probe = ["call MPI_Mprobe(left, 5, comm, message, MPI_STATUS_IGNORE)"] if "mrecv" in name.lower() else []
        return [], ["call MPI_Isend(message_of_partner, k, MPI_INTEGER, right, 5, comm, partner)", *probe], \
            ["call MPI_Wait(partner, MPI_STATUS_IGNORE)"]
    if procedure.function.chapter == "rma":
        return [], ["call MPI_Barrier(comm)", "memory = [(50*rank + i, i=1, size(memory))]", "call MPI_Barrier(comm)"], \
            ["call MPI_Win_flush_all(win)", "call MPI_Barrier(comm)", "got(1:k) = memory(1:k)"]
    if procedure.function.chapter == "io":
        rewind = [f"call MPI_File_seek{pointer}(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)" for pointer in ("", "_shared")]
        fill = ["call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, message_of_partner, k, MPI_INTEGER, MPI_STATUS_IGNORE)"]
        read_back = ["call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, got, k, MPI_INTEGER, MPI_STATUS_IGNORE)"]
        return [], rewind + fill, [] if reads_file(procedure) else read_back
    return [], [], []


def reads_file(procedure):
    return "_read" in procedure.name or "_iread" in procedure.name


def end_of(procedure):
    """What ends the operation."""
    if not any("TYPE(MPI_Request)" in d for d in procedure.f08.values()):
        return []
    ready = ["call MPI_Pready(0, request)", "call MPI_Pready_list(1, [1], request)"] if procedure.name == "MPI_Psend_init" else []
    if procedure.name == "MPI_Precv_init":
        ready = ["flag = .false.", "do while (.not. flag)", "call MPI_Parrived(request, 1, flag)", "end do",
                 "p2 = p2 + 1", "SECTION(s2) = SECTION(s2) + 1"]   # the partition is the program's again
        ready = ready[:4]
    start = ["call MPI_Start(request)"] if procedure.name.endswith("_init") else []
    return start + ready + ["call MPI_Wait(request, MPI_STATUS_IGNORE)"]


def test_short(procedure, declarations, suffix):
    """Each of its sections in turn has an element less than it needs. Of a call with a root, the calling rank is the only one."""
    subroutine, lines = f"short_{procedure.name[4:]}{suffix}", ["integer :: code, position"]
    position = re.search(r"KIND=(.*?)[)]", declarations.get("position", ""))
    if position:
        lines = ["integer :: code", f"integer({position[1]}) :: position"]
    alone = "root" in declarations or procedure.name.startswith(("MPI_Neighbor", "MPI_Ineighbor"))
    lines += ["integer, allocatable :: whole1(:,:,:), whole2(:,:,:)", "call refresh()", "call let_errors(.true.)", "whole1 = s1", "whole2 = s2"]
    names = buffers_of(declarations)
    for short in range(len(names)):
        sections = [f"s{i + 1}" + FIRST.format(needed(procedure, name, "1" if alone else "ranks") + (" - 1" if i == short else ""))
                    for i, name in enumerate(names)]
        text = call(procedure, declarations, sections)
        if alone:
            text = re.sub(r"\bcart\b", "own_cart", re.sub(r"\bcomm\b", "MPI_COMM_SELF", text))
        lines += ["position = 0", f"{text[:-1]}, code)", f"call judge_error(code, whole1, whole2, '{procedure.name}{suffix}, {names[short]}')"]
    return subroutine, ["subroutine " + subroutine + "()", *lines, "call let_errors(.false.)", "end subroutine"]


def test(procedure, declarations, suffix, shape):
    once, before, after = around(procedure)
    number = len(buffers_of(declarations))
    receives = number == 1 and (RECEIVES.match(procedure.name) or procedure.name == "MPI_Precv_init" or reads_file(procedure))
    names = ["2"] if receives else ["1", "1", "2"] if number == 3 else ["1", "2"][:number]
    both = ["if (sectioned) then", call(procedure, declarations, fitting(procedure, declarations, names, shape)), "else",
            call(procedure, declarations, [f"p{i}" for i in names]), "end if"]
    position = re.search(r"KIND=(.*?)[)]", declarations.get("position", ""))
    subroutine = f"test_{procedure.name[4:]}{suffix}"
    lines = [f"subroutine {subroutine}()", f"integer{f'({position[1]})' if position else ''} :: position", "integer :: way, round",
             "logical :: sectioned", "do way = 1, 2", "sectioned = way == 2", "call refresh()", "position = 0", *once]
    if procedure.name.endswith("_init"):
        lines += [*both, "do round = 1, 2", *before, *end_of(procedure), *after, "call change()", "end do", "call MPI_Request_free(request)"]
        lines += ["call MPI_Request_free(partner)"] if once else []
    else:
        lines += [*before, *both, *end_of(procedure), *after]
    return subroutine, lines + [f"call judge(sectioned, '{procedure.name}{suffix}')", "end do", "end subroutine"]


def main():
    calls, bodies = [], []
    for procedure in fortran.procedures():
        if not procedure.has_descriptors or procedure.name in fortran_wrappers.ADDRESS_ONLY or needs_whole(procedure):
            continue
        if subject_of(procedure) != sys.argv[3]:
            continue
        sizes = [(procedure.f08, "")]
        if procedure.f08_c and not fortran_interfaces.ambiguous(procedure.f08, procedure.f08_c):
            sizes.append((procedure.f08_c, "_c"))
        for declarations, suffix in sizes:
            tests = [test(procedure, declarations, suffix, sys.argv[2])]
            if sys.argv[2] == "row" and procedure.name not in OF_ONE_ELEMENT:  # without elements a section is contiguous
                tests.append(test_short(procedure, declarations, suffix))
            for name, lines in tests:
                calls.append(f"  call {name}()\n")
                bodies += [f"  {part}\n" for line in lines for part in fortran_interfaces.wrapped(line)]
    opens, closes = AROUND[sys.argv[3]]
    text = HEAD + opens + "".join(calls) + closes + TAIL + "".join(bodies) + "end program\n"
    pathlib.Path(sys.argv[4]).write_text(re.sub(r"SECTION[(](\w+)[)]", rf"\1{SHAPES[sys.argv[2]]}", text))


main()
