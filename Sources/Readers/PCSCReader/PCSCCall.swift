#if PCSC
  internal import CPCSC
  internal import Links

  /// The only place where return codes become errors.
  func check(_ code: LONG) throws(PCSCError) {
    // All codes are 32 bits wide; a C long is wider on Linux, and signed elsewhere.
    let code = UInt32(truncatingIfNeeded: code)
    if code != 0 { throw PCSCError(rawValue: code) }
  }

  /// Claims a reader or a card, again and again until a deadline while another program has it to itself.
  func claimed<Claim: ~Copyable>(
    until deadline: ContinuousClock.Instant, _ attempt: () throws(PCSCError) -> Claim
  ) throws(PCSCError) -> Claim {
    while true {
      do throws(PCSCError) {
        return try attempt()
      } catch PCSCError.sharingViolation where ContinuousClock.now < deadline {
        pause(for: retryInterval)
      }
    }
  }
#endif
