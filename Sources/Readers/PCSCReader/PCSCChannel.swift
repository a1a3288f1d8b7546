#if PCSC
  internal import ISO7816
  public import Links

  /// A card in a PC/SC reader, ours alone: connected exclusively and held in one transaction. Letting go of the channel
  /// resets the card.
  public struct PCSCChannel: ~Copyable, CardChannel {
    /// What the reader says of the card.
    public let identity: CardIdentity

    private let reader: String
    private var transaction: PCSCTransaction?
    private var failure: LinkError?

    /// Connects to the card in a reader. Blocks, never longer than `patience` because of others.
    ///
    /// - Parameters:
    ///   - reader: The full name; see `PCSCService.reader(matching:)`.
    ///   - patience: How long to wait while another program uses the card.
    /// - Throws: `LinkError`: `.busy` when it still does then, `.cardRemoved` without a card, `.readerUnavailable`,
    ///   `.serviceUnavailable`.
    public init(reader: String, patience: Duration = .seconds(5)) throws(LinkError) {
      let transaction = try PCSCAttempt.run(reader: reader, patience: patience)
      do throws(PCSCError) {
        let status = try transaction.card.status()
        identity = CardIdentity(answerToReset: status.answerToReset, protocolName: status.protocolName)
      } catch {
        throw error.linkError(reader: reader)
      }
      self.reader = reader
      self.transaction = consume transaction
    }

    /// Sends a command to the card and waits for the response, without a limit: libpcsclite has none, and the card's own
    /// reader ends the wait. A session that must end in time leaves this thread, and the channel with it, behind.
    ///
    /// - Returns: The length of the response, at least 2.
    /// - Throws: `LinkError`: `.cardRemoved`, `.serviceUnavailable`, `.transmissionFailed`; the channel is closed after
    ///   any of them.
    public mutating func transmit(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(LinkError) -> Int {
      if let failure { throw failure }
      do throws(LinkError) {
        return try transmitted(command, into: &response)
      } catch {
        failure = error
        leave(resetting: error.code != .cardRemoved)
        throw error
      }
    }

    private mutating func transmitted(
      _ command: Span<UInt8>, into response: inout MutableRawSpan
    ) throws(LinkError) -> Int {
      guard command.count <= Self.maximumCommandCount else {
        throw LinkError(
          .transmissionFailed, "a command of \(command.count) octets: the limit is \(Self.maximumCommandCount)")
      }
      guard let count = try transaction?.exchanged(command, into: &response, reader: reader) else {
        throw LinkError(.cardRemoved, "the channel to reader \"\(reader)\" is closed; open a new one")
      }
      // WORKAROUND: vpcd reports a card torn out during a command as success with nothing received.
      guard count >= 2 else { throw PCSCError.removedCard.linkError(reader: reader) }
      return count
    }

    /// Header, extended Lc, 65535 octets of data, extended Le.
    private static let maximumCommandCount = 4 + 3 + CommandAPDU.maximumDataCount + 2

    /// Resets the card and lets other programs have it.
    public mutating func close() {
      leave(resetting: true)
    }

    private mutating func leave(resetting: Bool) {
      guard let transaction = transaction.take() else { return }
      // WORKAROUND: pcscd 1.9.9 that cannot reset a card calls the reader empty without telling its polling thread, and
      // then overlooks a card that comes within one poll period. So a card that is gone is left alone.
      if !resetting { transaction.surrender() }
    }
  }

  extension PCSCTransaction {
    fileprivate borrowing func exchanged(
      _ command: Span<UInt8>, into response: inout MutableRawSpan, reader: String
    ) throws(LinkError) -> Int {
      do throws(PCSCError) {
        return try transmit(command, into: &response)
      } catch PCSCError.notTransacted where card.context.seesNoCard(in: reader) {
        throw PCSCError.removedCard.linkError(reader: reader)
      } catch {
        throw error.linkError(reader: reader)
      }
    }
  }

  extension PCSCContext {
    /// The service looks for the card every 400 ms, so a card that has just been torn out is still reported as present.
    private static let pollPeriod = Duration.milliseconds(400)

    /// Whether the card is gone, or is found to be within one poll period and a half.
    fileprivate borrowing func seesNoCard(in reader: String) -> Bool {
      var belief = PCSCBelief(reader: reader, flags: 0)
      let deadline = ContinuousClock.now + Self.pollPeriod * 1.5
      repeat {
        do throws(PCSCError) {
          let rest = max(deadline - ContinuousClock.now, .zero)
          guard let sight = try sights(unless: [belief], for: rest).first else { return false }
          if sight.isGone || sight.status.card == nil { return true }
          belief = PCSCBelief(reader: reader, flags: sight.flags)
        } catch {
          return error == .unknownReader
        }
      } while ContinuousClock.now < deadline
      return false
    }
  }
#endif
