"""The text of mpif.h and of module mpi."""
import api

KINDS = """\
INTEGER MPI_ADDRESS_KIND, MPI_COUNT_KIND, MPI_OFFSET_KIND
PARAMETER (MPI_ADDRESS_KIND=8, MPI_COUNT_KIND=8)
PARAMETER (MPI_OFFSET_KIND=8)
INTEGER MPI_INTEGER_KIND
PARAMETER (MPI_INTEGER_KIND=4)
LOGICAL MPI_SUBARRAYS_SUPPORTED
PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)
LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
""".splitlines()

# Variables whose addresses mean something: wrappers.h has the same block as a struct.
SENTINELS = """\
INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
INTEGER MPI_STATUS_IGNORE(8), MPI_STATUSES_IGNORE(8,1)
INTEGER MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED(1)
INTEGER MPI_WEIGHTS_EMPTY(1)
CHARACTER*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
COMMON /HEDDLE_MPI/ MPI_BOTTOM, MPI_IN_PLACE
COMMON /HEDDLE_MPI/ MPI_BUFFER_AUTOMATIC
COMMON /HEDDLE_MPI/ MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
COMMON /HEDDLE_MPI/ MPI_ERRCODES_IGNORE, MPI_UNWEIGHTED
COMMON /HEDDLE_MPI/ MPI_WEIGHTS_EMPTY
COMMON /HEDDLE_MPI/ MPI_ARGV_NULL, MPI_ARGVS_NULL
SAVE /HEDDLE_MPI/
""".splitlines()

# The standard's callbacks, which are procedures in Fortran.
PREDEFINED = [f"MPI_{kind}_{what}" for kind in ("COMM", "TYPE", "WIN")
              for what in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN")] + [
    "MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN", "MPI_CONVERSION_FN_NULL"]

FUNCTIONS = [("DOUBLE PRECISION", "MPI_WTIME"), ("DOUBLE PRECISION", "MPI_WTICK"),
             ("INTEGER(KIND=MPI_ADDRESS_KIND)", "MPI_AINT_ADD"), ("INTEGER(KIND=MPI_ADDRESS_KIND)", "MPI_AINT_DIFF")]


def constants():
    """(name, value, Fortran type) of the integer constants and the predefined handles."""
    known = {}
    for group in api.constants():
        for name, value, *_ in group["values"]:
            if name == "MPI_DISPLACEMENT_CURRENT":
                yield name, value, "INTEGER(KIND=MPI_OFFSET_KIND)"
            if group.get("typed") or name.startswith("MPI_T_"):
                continue
            try:
                number = known[value] if value in known else int(value, 0)
            except ValueError:      # C's MPI_Fint pointers
                continue
            known[name] = number
            if name == "MPI_F_STATUS_SIZE":
                yield "MPI_STATUS_SIZE", number, "INTEGER"
            elif name.startswith("MPI_F_"):         # places in a status, counted from 0
                yield name.replace("_F_", "_"), number + 1, "INTEGER"
            elif name.startswith("MPI_MAX_"):       # lengths of strings, without C's null
                yield name, number - 1, "INTEGER"
            else:
                yield name, number, "INTEGER"


def declarations():
    """One statement a line of at most 66 characters, so that fixed and free form can read them."""
    lines = list(KINDS)
    for name, value, type_ in constants():
        lines += [f"{type_} {name}", f"PARAMETER ({name}={value})"]
    return lines + SENTINELS


def mpif_h():
    """Columns 7 to 72, without continuation lines: right in fixed and in free form."""
    lines = ["! From spec/ by bindings/fortran.py. Do not edit."] + declarations()
    lines += [f"EXTERNAL {name}" for name in PREDEFINED]
    for type_, name in FUNCTIONS:
        for twin in (name, "P" + name):
            lines += [f"{type_} {twin}", f"EXTERNAL {twin}"]
    return "".join(f"      {line}\n" for line in lines)


def dummy(parameter, c_ptr):
    name, type_ = parameter["name"], parameter["type"]
    if type_ == "<type>":
        return ["!GCC$ ATTRIBUTES NO_ARG_CHECK :: " + name, f"type(*), dimension(*) :: {name}"]
    if c_ptr and name == "baseptr":
        return [f"type(heddle_c_ptr) :: {name}"]
    if type_ == "EXTERNAL":
        return [f"external :: {name}"]
    return [f"{type_} :: {name}{parameter['dims']}"]


def interface(procedure, prefix, c_ptr=False):
    name = prefix + procedure.name + ("_cptr" if c_ptr else "")
    word = "function" if procedure.returns else "subroutine"
    lines = [f"{word} {name}({', '.join(p['name'] for p in procedure.params)})", "import"]
    for parameter in procedure.params:
        lines += dummy(parameter, c_ptr)
    if procedure.returns:
        lines.append(f"{procedure.returns} :: {name}")
    return lines + [f"end {word}"]


def interfaces(procedure, prefix):
    if procedure.name == "MPI_Sizeof":      # of any rank and type: its length comes in a descriptor
        name = f"{prefix}MPI_Sizeof"
        return [f"interface {name}", f'subroutine {name}_any(x, size, ierror) bind(C, name="{name.lower()}_any_")',
                "type(*), dimension(..) :: x", "integer, intent(out) :: size, ierror", "end subroutine", "end interface"]
    if not procedure.has_c_ptr:
        return ["interface"] + interface(procedure, prefix) + ["end interface"]
    return [f"interface {prefix}{procedure.name}"] + interface(procedure, prefix) + \
        interface(procedure, prefix, c_ptr=True) + ["end interface"]


def wrapped(line, width=120):
    """A line of free form, continued."""
    out = []
    while len(line) > width:
        cut = line.rfind(",", 0, width) + 1
        out.append(line[:cut] + " &")
        line = "  " + line[cut:]
    return out + [line]


def module_mpi(procedures):
    lines = ["! From spec/ by bindings/fortran.py. Do not edit.", "module mpi",
             "use, intrinsic :: iso_c_binding, only : heddle_c_ptr => c_ptr", "implicit none",
             "private :: heddle_c_ptr"] + declarations()
    lines += [f"external :: {name}" for name in PREDEFINED]
    for procedure in procedures:
        for prefix in ("", "P"):
            lines += interfaces(procedure, prefix)
    lines.append("end module mpi")
    text = "\n".join(part for line in lines for part in wrapped(line))
    return text + "\n"
