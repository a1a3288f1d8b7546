#if PCSC
  internal import CPCSC
  internal import Glibc
  internal import Octets

  /// The only place where return codes become errors.
  func check(_ code: LONG) throws(PCSCError) {
    // All codes are 32 bits wide; a C long is wider on Linux, and signed elsewhere.
    let code = UInt32(truncatingIfNeeded: code)
    if code != 0 { throw PCSCError(rawValue: code) }
  }

  /// Sleeps between two attempts.
  func pause(for duration: Duration) {
    usleep(useconds_t(clamping: duration.nanoseconds / 1000))
  }
#endif
