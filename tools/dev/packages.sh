# Debian packages, and how they come. Sourced by ./dev.

# Each list is all that a command needs.
build_packages=(gcc g++ gfortran cmake ninja-build ccache pkg-config python3 libhwloc-dev libdw-dev libfabric-dev libmimalloc-dev libomp5-14 libpmix-dev)
guest_packages=(busybox-static cpio qemu-system-x86)
test_packages=("${build_packages[@]}" "${guest_packages[@]}" libgtest-dev libgmock-dev clang-format-14 libjemalloc2 libsqlite3-dev libtcmalloc-minimal4 make manpages-dev meson python3-matplotlib python3-pip spin tzdata)
tidy_packages=("${test_packages[@]}" clang-tidy-14)
fuzz_packages=("${build_packages[@]}" clang-14 libclang-rt-14-dev)
demo_packages=("${build_packages[@]}" python3-matplotlib)
bench_packages=("${build_packages[@]}" python3-venv python3-matplotlib libbenchmark-dev make valgrind)
instructions_packages=("${build_packages[@]}" valgrind)
acceptance_packages=("${build_packages[@]}" autoconf automake dpkg-dev git libboost-dev libopenblas-dev libtool make python3-dev python3-venv zlib1g-dev)
slurm_packages=(libpmix2 munge slurm-client slurmctld slurmd)

# need_packages NAME... installs those that are missing. Without root, names them and stops.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "./dev: this is not Debian; these packages' contents are needed: $*" >&2
    return
  fi
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "./dev: Debian packages are missing; install them as root, then call ./dev again:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  echo "./dev: installing Debian packages: ${missing[*]}" >&2
  # On a fresh machine apt has no lists yet, and no package is found at first: only what it says the
  # second time is an error.
  install_packages "${missing[@]}" 2>/dev/null ||
    { apt-get -qq update >&2 && install_packages "${missing[@]}"; } || {
    echo "./dev: could not install ${missing[*]}" >&2
    exit 1
  }
}

install_packages() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}
