#if PCSC
  internal import CPCSC
  internal import Octets

  /// What a program believes of a reader; the service answers as soon as that is no longer true.
  struct PCSCBelief {
    let reader: String
    /// The flags of the last answer, or 0 when nothing is known yet.
    let flags: UInt
  }

  /// What the service answers.
  struct PCSCSight {
    /// To be given back as belief the next time.
    let flags: UInt
    let status: PCSCReaderStatus

    /// The reader is not there any more.
    var isGone: Bool { flags & UInt(SCARD_STATE_UNKNOWN | SCARD_STATE_UNAVAILABLE | SCARD_STATE_IGNORE) != 0 }
  }

  extension PCSCContext {
    /// The name under which the service reports readers that come and go.
    static let readerNotification = #"\\?PnP?\Notification"#

    /// The state of all readers at this moment.
    public borrowing func readers() throws(PCSCError) -> [PCSCReaderStatus] {
      let names = try readerNames()
      guard !names.isEmpty else { return [] }
      let sights = try sights(unless: names.map { PCSCBelief(reader: $0, flags: 0) }, for: .zero)
      return sights.filter { !$0.isGone }.map(\.status)
    }

    /// Waits until one of the beliefs is wrong. Blocks every other call on this context but `cancel()`.
    ///
    /// - Throws: `PCSCError`: `.timedOut` when all stay true, `.cancelled`, `.unknownReader` when one is not there at
    ///   all. Wraps `SCardGetStatusChange`.
    borrowing func sights(
      unless beliefs: [PCSCBelief], for timeout: Duration
    ) throws(PCSCError) -> [PCSCSight] {
      var names: [CChar] = []
      var offsets: [Int] = []
      var states = unsafe [SCARD_READERSTATE](repeating: SCARD_READERSTATE(), count: beliefs.count)
      for (index, belief) in beliefs.enumerated() {
        offsets.append(names.count)
        names += belief.reader.utf8CString
        unsafe states[index].dwCurrentState = belief.flags
      }
      // Each state points at its name, which stays where it is during the call; the offsets are those of the names.
      let code = unsafe names.withUnsafeBufferPointer { names in
        for (index, offset) in offsets.enumerated() {
          unsafe states[index].szReader = names.baseAddress.map { unsafe $0 + offset }
        }
        return unsafe SCardGetStatusChange(handle, Self.milliseconds(timeout), &states, DWORD(beliefs.count))
      }
      try check(code)
      return unsafe zip(beliefs, states).map { belief, state in unsafe Self.sight(of: belief.reader, state) }
    }

    private static func sight(of reader: String, _ state: SCARD_READERSTATE) -> PCSCSight {
      let flags = unsafe state.dwEventState
      let has = { (flag: Int32) in flags & UInt(flag) != 0 }
      var card: [UInt8]?
      if has(SCARD_STATE_PRESENT) {
        let count = min(unsafe Int(clamping: state.cbAtr), Int(MAX_ATR_SIZE))
        // The tuple is the C array of 33 octets.
        card = unsafe withUnsafeBytes(of: state.rgbAtr) { unsafe Array($0.prefix(count)) }
      }
      // "Changed" is news, not state: it must not be believed the next time.
      let belief = flags & ~UInt(SCARD_STATE_CHANGED)
      return PCSCSight(
        flags: belief,
        status: PCSCReaderStatus(
          name: reader, card: card, isInUse: has(SCARD_STATE_INUSE), isExclusive: has(SCARD_STATE_EXCLUSIVE),
          generation: UInt16(truncatingIfNeeded: flags >> 16)))
    }

    /// Rounded up, so that a short wait is none of zero; at most a day, which no wait here exceeds.
    private static func milliseconds(_ timeout: Duration) -> DWORD {
      let nanoseconds = min(max(timeout.nanoseconds, 0), 86_400_000_000_000)
      return DWORD((nanoseconds + 999_999) / 1_000_000)
    }

    /// Ends the wait of another thread, if there is one; does nothing to later waits. Wraps `SCardCancel`.
    borrowing func cancel() {
      _ = SCardCancel(handle)
    }
  }
#endif
