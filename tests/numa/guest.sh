#!/bin/bash
# guest.sh — runs a command in a small Linux guest with several NUMA nodes. qemu emulates it, so no rights are needed, and times mean nothing.
#
#   guest.sh -k KERNEL -n NODES -c CPUS -m MIB_OF_A_NODE -t SECONDS -f FILE… -- COMMAND
#
# All that the guest has is in an initramfs: busybox, and the files of -f with the libraries that ldd names, at the same paths as here. The exit
# status is COMMAND's, 125 if the guest did not get so far. numa_balancing is off, because the kernel would move pages by itself. Files are in a ramfs: those
# of a tmpfs have a policy each, which all mappings share.
set -eu
nodes=2 cpus=4 mib=512 limit=120 files=()
while getopts k:n:c:m:t:f: option; do
  case $option in
    k) kernel=$OPTARG ;; n) nodes=$OPTARG ;; c) cpus=$OPTARG ;; m) mib=$OPTARG ;; t) limit=$OPTARG ;;
    f) files+=("$OPTARG") ;; *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,tmp,etc}
cp /bin/busybox "$root/bin/busybox"
for name in sh mount poweroff mkdir; do ln -s busybox "$root/bin/$name"; done
echo 'root:x:0:0:root:/:/bin/sh' >"$root/etc/passwd"

# At its own path, without debug information.
add() {
  [ ! -e "$root$1" ] || return 0
  mkdir -p "$(dirname "$root$1")"
  cp -L "$1" "$root$1"
  strip --strip-debug "$root$1" 2>/dev/null || true
}
for file in "${files[@]}" /lib/x86_64-linux-gnu/libgcc_s.so.1; do  # libc opens that one when a thread ends
  add "$(realpath -s "$file")"
  for library in $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*'); do add "$(realpath -s "$library")"; done
done
printf '%s\n' "$*" >"$root/command"
cat >"$root/init" <<'END'
#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/shm; mount -t tmpfs shm /dev/shm
echo 0 >/proc/sys/kernel/printk
export PATH=/bin HOME=/
sh /command </dev/null 2>&1
echo "guest: exit $?"
poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initramfs"

# CPUs and memory in equal shares; a socket a node.
machine=()
for ((node = 0; node < nodes; node++)); do
  machine+=(-object "memory-backend-ram,id=m$node,size=${mib}M"
            -numa "node,nodeid=$node,cpus=$((node * cpus / nodes))-$(((node + 1) * cpus / nodes - 1)),memdev=m$node")
done
timeout "$limit" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max -m $((mib * nodes)) \
  -smp "$cpus,sockets=$nodes,cores=$((cpus / nodes)),threads=1" "${machine[@]}" \
  -nodefaults -no-user-config -display none -serial stdio -no-reboot -kernel "$kernel" -initrd "$work/initramfs" \
  -append "console=ttyS0 rootfstype=ramfs quiet panic=-1 numa_balancing=disable mitigations=off tsc=reliable no_timer_check nokaslr" \
  </dev/null 2>&1 | tr -d '\r' | tee "$work/console"
exit "$(sed -n 's/^guest: exit //p' "$work/console" | tail -1 | grep . || echo 125)"
