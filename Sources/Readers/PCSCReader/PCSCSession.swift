#if PCSC
  internal import Links
  internal import Octets

  /// A card in a transaction of ours, as a partner: `SCardConnect` blocks for as long as another program holds a
  /// transaction, and `SCardTransmit` for as long as the card likes.
  struct PCSCSession: ~Copyable, Partner {
    /// A command, and the room for its response.
    struct Question: Sendable {
      let command: [UInt8]
      let room: Int
    }

    private let transaction: PCSCTransaction
    private let reader: String
    /// Whether the card is reset at the end, and not left as it is.
    private var resets = false

    init(reader: String, until deadline: ContinuousClock.Instant) throws(LinkError) {
      do throws(PCSCError) {
        transaction = try claimed(until: deadline) { () throws(PCSCError) in
          try PCSCContext().connect(to: reader).beginTransaction()
        }
      } catch {
        throw error.linkError(reader: reader)
      }
      self.reader = reader
    }

    /// What the reader says of the card. When it says nothing, a reset could take as long as a silent card likes.
    mutating func greet() throws(LinkError) -> CardIdentity {
      do throws(PCSCError) {
        let status = try transaction.card.status()
        resets = true
        return CardIdentity(answerToReset: status.answerToReset, protocolName: status.protocolName)
      } catch {
        throw error.linkError(reader: reader)
      }
    }

    mutating func answer(to question: Question) -> Result<[UInt8], LinkError> {
      let result = transaction.exchanged(question.command, room: question.room, reader: reader)
      // WORKAROUND: pcscd 1.9.9 that cannot reset a card calls the reader empty without telling its polling thread, and
      // then overlooks a card that comes within one poll period. So a card that is gone is left alone.
      if case .failure(let error) = result { resets = error.code != .cardRemoved }
      return result
    }

    consuming func leave() {
      if resets { return }
      do throws(PCSCError) {
        _ = try transaction.end(.leave).disconnect(.leave)
      } catch {
        // The card or the service is gone, and so is the claim to it.
      }
    }
  }

  extension PCSCTransaction {
    fileprivate borrowing func exchanged(
      _ command: [UInt8], room: Int, reader: String
    ) -> Result<[UInt8], LinkError> {
      var buffer = [UInt8](repeating: 0, count: room)
      do throws(PCSCError) {
        let count = try buffer.withMutableOctets { (room) throws(PCSCError) in
          try transmit(command.span, into: &room)
        }
        if count >= 2 { return .success(Array(buffer.prefix(count))) }
        // WORKAROUND: vpcd reports a card torn out during a command as success with nothing received.
        if card.context.seesNoCard(in: reader) { throw PCSCError.removedCard }
        return .failure(
          LinkError(
            .protocolViolation,
            "reader \"\(reader)\": the card answered with \(count) octets, and a response has at least 2"))
      } catch {
        return .failure(card.context.explanation(of: error, in: reader))
      }
    }
  }

  extension PCSCContext {
    /// The service looks for the card every 400 ms, so a card that has just been torn out is still reported as present.
    private static let pollPeriod = Duration.milliseconds(400)

    /// What went wrong. The library's own words for a card or a reader that is gone can be vague: an exchange that failed,
    /// or, without its reader, a value that has no meaning (0x80100011).
    fileprivate borrowing func explanation(of error: PCSCError, in reader: String) -> LinkError {
      if hasLost(reader) { return LinkError(.readerUnavailable, "reader \"\(reader)\": it was pulled out") }
      if error == .notTransacted, seesNoCard(in: reader) { return PCSCError.removedCard.linkError(reader: reader) }
      return error.linkError(reader: reader)
    }

    private borrowing func hasLost(_ reader: String) -> Bool {
      do throws(PCSCError) {
        return try !readerNames().contains(reader)
      } catch {
        // The service itself is away, which the error at hand tells already.
        return false
      }
    }

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
