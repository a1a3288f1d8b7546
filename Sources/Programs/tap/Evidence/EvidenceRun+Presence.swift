import ISO7816
import Links
import Octets
import USBSimulator

extension EvidenceRun {
  /// How long the driver may need to notice a card that has left.
  private static let noticing = Duration.seconds(5)

  mutating func empty() throws(LinkError) -> Ending {
    let hasLeft = try awaited { (run) throws(LinkError) in try run.reader.isEmpty }
    return hasLeft ? .passed("the reader reports no card") : .skipped("by the user")
  }

  mutating func cardIn() throws(LinkError) -> Ending {
    let skips = skips
    let identity = try reader.visit(
      within: Self.patience, after: [.cardRemoved], unless: { skips.isSkipped },
      { (identity, _) throws(LinkError) in identity })
    guard let identity else { return .skipped("by the user") }
    answerToReset = identity.answerToReset
    do throws(AnswerToReset.Fault) {
      let answer = try AnswerToReset(parsing: identity.answerToReset)
      return .passed("ATR of \(answer.octets.count.bytes), protocol \(identity.protocolName)")
    } catch { return .failed("\(error)") }
  }

  /// Sends commands until the card has left.
  mutating func cardOut() throws(LinkError) -> Ending {
    let (skips, progress, end) = (skips, progress, SystemClock().now + Self.patience)
    let error = try reader.visit(within: Self.readiness, after: [.cardRemoved]) {
      (_, send) throws(LinkError) -> LinkError? in
      _ = try send(Self.selection)
      progress.begin(.cardOut)
      while !skips.isSkipped, SystemClock().now < end {
        do throws(LinkError) {
          _ = try send(Self.selection)
        } catch { return error }
        pause(for: .milliseconds(20))
      }
      return nil
    }
    guard let error = error ?? nil else {
      return skips.isSkipped ? .skipped("by the user") : .failed("the card still answers after \(Self.patience.text)")
    }
    let deadline = SystemClock().now + Self.noticing
    while try !reader.isEmpty {
      guard SystemClock().now < deadline else {
        return .failed("the reader still reports a card \(Self.noticing.text) after the error: \(error)")
      }
      pause(for: .milliseconds(50))
    }
    guard error.code == .cardRemoved else {
      return .failed("a card that left is reported as \(error.code.rawValue): \(error)")
    }
    return .passed("a command to the card that left has the error cardRemoved")
  }

  mutating func cardBack() throws(LinkError) -> Ending {
    let skips = skips
    return compared(
      try reader.visit(within: Self.patience, after: [.cardRemoved], unless: { skips.isSkipped }) {
        (identity, send) throws(LinkError) in
        (identity.answerToReset, try send(Self.selection).octets)
      })
  }

  mutating func unplug() throws(LinkError) -> Ending {
    let hasLeft = try awaited { (run) throws(LinkError) in try !run.reader.isConnected }
    return hasLeft ? .passed("the reader is not listed any more") : .skipped("by the user")
  }

  mutating func plug() throws(LinkError) -> Ending {
    let skips = skips
    if reader.isNumbered {
      var found: EvidenceReader?
      let isBack = try awaited { (run) throws(LinkError) in
        found = try run.reader.renumbered()
        return found != nil
      }
      guard isBack, let found else { return .skipped("by the user") }
      reader = found
    }
    return compared(
      try reader.visit(within: Self.patience, after: [.cardRemoved, .readerUnavailable], unless: { skips.isSkipped }) {
        (identity, send) throws(LinkError) in (identity.answerToReset, try send(Self.selection).octets)
      })
  }

  /// Compares a card with that of the earlier steps. Another card is the user's choice, and not wrong.
  private func compared(_ found: (answerToReset: [UInt8], response: [UInt8])?) -> Ending {
    guard let found else { return .skipped("by the user") }
    let isSame = found.answerToReset == answerToReset && (selected == nil || found.response == selected)
    return .passed(isSame ? "the same card answers" : "another card answers, or the same one in another way")
  }

  /// Waits until a condition holds.
  ///
  /// - Returns: False when the step was skipped.
  /// - Throws: `LinkError.Code.timedOut` when the time of the user is over.
  private func awaited(_ condition: (Self) throws(LinkError) -> Bool) throws(LinkError) -> Bool {
    let end = SystemClock().now + Self.patience
    while try !condition(self) {
      if skips.isSkipped { return false }
      guard SystemClock().now < end else {
        throw LinkError(.timedOut, "not done within \(Self.patience.text)")
      }
      pause(for: .milliseconds(50))
    }
    return true
  }
}
