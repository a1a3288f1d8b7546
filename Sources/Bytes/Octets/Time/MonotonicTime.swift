internal import Glibc

/// The time of `CLOCK_MONOTONIC` in microseconds, which service managers compare with their own. It does not run while the
/// machine is suspended, unlike `SystemClock`.
package func systemMonotonicMicroseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
