#if PCSC
  internal import CPCSC
  internal import Octets

  /// The state of a reader as the program knows it. The service answers as soon as the real state differs.
  struct PCSCKnownState {
    let reader: String
    /// The flags of the last report, or 0 when no state is known yet.
    let flags: UInt
  }

  /// The state of a reader as the service reports it.
  struct PCSCReportedState {
    /// The flags to pass as the known state of the next wait.
    let flags: UInt
    let status: PCSCReaderStatus

    /// Whether the reader is not connected any more.
    var isGone: Bool { flags & UInt(SCARD_STATE_UNKNOWN | SCARD_STATE_IGNORE) != 0 }
  }

  extension PCSCContext {
    /// The name under which the service reports that readers were plugged in or unplugged.
    static let readerNotification = #"\\?PnP?\Notification"#

    /// The state of all readers at this moment.
    public borrowing func readers() throws(PCSCError) -> [PCSCReaderStatus] {
      let names = try readerNames()
      guard !names.isEmpty else { return [] }
      let states = try states(after: names.map { PCSCKnownState(reader: $0, flags: 0) }, for: .zero)
      return states.filter { !$0.isGone }.map(\.status)
    }

    /// Waits until a state differs from the known one. Blocks every other call on this context except `cancel()`.
    ///
    /// - Throws: `PCSCError`: `.timedOut` when all stay true, `.cancelled`, `.unknownReader` when one is not there at
    ///   all. Wraps `SCardGetStatusChange`.
    borrowing func states(
      after known: [PCSCKnownState], for timeout: Duration
    ) throws(PCSCError) -> [PCSCReportedState] {
      var names: [CChar] = []
      var offsets: [Int] = []
      var states = unsafe [SCARD_READERSTATE](repeating: SCARD_READERSTATE(), count: known.count)
      for (index, state) in known.enumerated() {
        offsets.append(names.count)
        names += state.reader.utf8CString
        unsafe states[index].dwCurrentState = state.flags
      }
      // Each state points to its name, which does not move during the call; the offsets are those of the names.
      let code = unsafe names.withUnsafeBufferPointer { names in
        for (index, offset) in offsets.enumerated() {
          unsafe states[index].szReader = names.baseAddress.map { unsafe $0 + offset }
        }
        return unsafe SCardGetStatusChange(handle, Self.milliseconds(timeout), &states, DWORD(known.count))
      }
      try check(code)
      return unsafe zip(known, states).map { known, state in unsafe Self.report(on: known.reader, state) }
    }

    private static func report(on reader: String, _ state: SCARD_READERSTATE) -> PCSCReportedState {
      let flags = unsafe state.dwEventState
      let has = { (flag: Int32) in flags & UInt(flag) != 0 }
      var card: [UInt8]?
      if has(SCARD_STATE_PRESENT) {
        let count = min(unsafe Int(clamping: state.cbAtr), Int(MAX_ATR_SIZE))
        // The tuple is the C array of 33 bytes.
        card = unsafe withUnsafeBytes(of: state.rgbAtr) { unsafe Array($0.prefix(count)) }
      }
      // "Changed" describes this report, not the state: it must not be passed to the next wait.
      let state = flags & ~UInt(SCARD_STATE_CHANGED)
      return PCSCReportedState(
        flags: state,
        status: PCSCReaderStatus(
          name: reader, card: card, isInUse: has(SCARD_STATE_INUSE), isExclusive: has(SCARD_STATE_EXCLUSIVE),
          isUnresponsive: has(SCARD_STATE_UNAVAILABLE), generation: UInt16(truncatingIfNeeded: flags >> 16)))
    }

    /// Rounds up, so that a short wait is not zero, and limits the wait to one day.
    private static func milliseconds(_ timeout: Duration) -> DWORD {
      let nanoseconds = min(max(timeout.nanoseconds, 0), 86_400_000_000_000)
      return DWORD((nanoseconds + 999_999) / 1_000_000)
    }

    /// Ends a wait of another thread; has no effect on later waits. Wraps `SCardCancel`.
    borrowing func cancel() {
      _ = SCardCancel(handle)
    }
  }
#endif
