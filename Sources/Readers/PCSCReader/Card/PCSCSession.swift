internal import Octets

#if PCSC
  internal import Links
  internal import Octets

  /// A card in a transaction of this program. `SCardConnect` blocks while another program holds a transaction, and
  /// `SCardTransmit` blocks until the card answers.
  struct PCSCSession: ~Copyable, BlockingDevice {
    private let transaction: PCSCTransaction
    private let reader: String
    /// Whether the card is reset at the end; otherwise it keeps its state.
    private var resets = false

    init(reader: String, until deadline: Instant) throws(LinkError) {
      do throws(PCSCError) {
        transaction = try claimed(until: deadline) { () throws(PCSCError) in
          try PCSCContext().connect(to: reader).beginTransaction()
        }
      } catch {
        throw error.linkError(reader: reader)
      }
      self.reader = reader
    }

    /// Reads the card's identity. A card whose state the reader cannot report is not reset at the end: the reset could
    /// block without a limit.
    mutating func open() throws(LinkError) -> CardIdentity {
      do throws(PCSCError) {
        let status = try transaction.card.status()
        resets = true
        return CardIdentity(answerToReset: status.answerToReset, protocolName: status.protocolName)
      } catch {
        throw error.linkError(reader: reader)
      }
    }

    /// Sends the command of the request. Returns the length of the response, whose bytes are in the request.
    mutating func perform(_ request: PCSCRequest) -> Result<Int, LinkError> {
      do throws(PCSCError) {
        return examine(try request.transmit(over: transaction))
      } catch {
        return .failure(cause(of: error))
      }
    }

    /// Sends a command. Returns the length of the response.
    mutating func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(LinkError) -> Int {
      let count: Int
      do throws(PCSCError) {
        count = try transaction.card.transmit(command, into: &response)
      } catch {
        throw cause(of: error)
      }
      return try examine(count).get()
    }

    /// - Parameter count: The number of bytes of a response.
    private mutating func examine(_ count: Int) -> Result<Int, LinkError> {
      if count >= 2 { return .success(count) }
      // WORKAROUND: vpcd reports a card that is removed during a command as success without data. The service can
      // find the removal late; a card that really answers without a status word is reported after the wait.
      switch transaction.card.context.presence(in: reader, within: PCSCContext.pollPeriod * 10) {
      case .card: return .failure(.shortResponse(of: count, at: reader))
      case .empty: return .failure(cause(of: PCSCError.removedCard))
      case .unresponsive: return .failure(.unresponsive(reader))
      }
    }

    private mutating func cause(of error: PCSCError) -> LinkError {
      let error = transaction.card.context.linkError(for: error, in: reader)
      // WORKAROUND: pcscd 1.9.9: when it cannot reset a card, it marks the reader as empty without notifying its
      // polling thread, and then misses a card that is inserted within one poll period. So a removed card is not reset.
      resets = error.code != .cardRemoved
      return error
    }

    consuming func close() {
      if resets { return }
      do throws(PCSCError) {
        _ = try transaction.end(.leave).disconnect(.leave)
      } catch {
        // The card was removed or the service has ended, and with it the transaction.
      }
    }
  }

  extension PCSCContext {
    /// The service polls for the card every 400 ms, so a card that was just removed is still reported as present.
    fileprivate static let pollPeriod = Duration.milliseconds(400)

    /// Finds the cause of an error. For a removed card or an unplugged reader the library may only report a failed
    /// exchange or an invalid value (0x80100011).
    fileprivate borrowing func linkError(for error: PCSCError, in reader: String) -> LinkError {
      // pcscd refuses a call at a reader that has just been unplugged with the second one.
      if error == .readerUnavailable || hasLost(reader) {
        return LinkError(.readerUnavailable, "reader \"\(reader)\" was unplugged: plug it in again")
      }
      guard error == .notTransacted else { return error.linkError(reader: reader) }
      switch presence(in: reader) {
      case .card: return error.linkError(reader: reader)
      case .empty: return PCSCError.removedCard.linkError(reader: reader)
      case .unresponsive: return .unresponsive(reader)
      }
    }

    private borrowing func hasLost(_ reader: String) -> Bool {
      do throws(PCSCError) {
        return try !readerNames().contains(reader)
      } catch {
        // The service has ended, which the original error reports.
        return false
      }
    }

    /// What is in a reader. Blocks for up to the limit while it reports a card.
    fileprivate borrowing func presence(in reader: String, within limit: Duration = pollPeriod * 1.5) -> Presence {
      var known = PCSCKnownState(reader: reader, flags: 0)
      let deadline = SystemClock().now + limit
      repeat {
        do throws(PCSCError) {
          let rest = max(deadline - SystemClock().now, .zero)
          guard let state = try states(after: [known], for: rest).first else { return .card }
          if state.status.isUnresponsive { return .unresponsive }
          if state.isGone || state.status.card == nil { return .empty }
          known = PCSCKnownState(reader: reader, flags: state.flags)
        } catch {
          return error == .unknownReader ? .empty : .card
        }
      } while SystemClock().now < deadline
      return .card
    }
  }

  /// What is in a reader after an error.
  private enum Presence {
    case card
    case empty
    /// The driver cannot communicate with the reader.
    case unresponsive
  }

  /// Connects to a reader or a card, and repeats the attempt until a deadline while another program uses it
  /// exclusively.
  func claimed<Claim: ~Copyable>(
    until deadline: Instant, _ attempt: () throws(PCSCError) -> Claim
  ) throws(PCSCError) -> Claim {
    while true {
      do throws(PCSCError) {
        return try attempt()
      } catch PCSCError.sharingViolation where SystemClock().now < deadline {
        pause(for: retryInterval)
      }
    }
  }
#endif
