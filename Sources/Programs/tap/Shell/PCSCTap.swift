import EMVTerminal
import Links
import Octets
import PCSCReader
import PaymentAcceptance

/// A tap at a PC/SC reader: waits for a card and takes a payment from it.
struct PCSCTap: Sendable {
  let name: String
  let timeout: Duration
  private var clock: SystemClock { SystemClock() }

  /// Takes the payment. Blocks.
  func run(_ request: PaymentRequest, at terminal: PaymentAcceptance) throws(LinkError) -> PaymentResult {
    let reader = try awaitedReader(until: clock.now + timeout)
    Console.note("Waiting for a card at \(reader) ...")
    var field = PCSCField(reader: reader, clock: clock)
    return terminal.result(of: request, at: &field)
  }

  /// The reader that the name means. Of several without a card it is the one that a card comes to next. Blocks.
  private func awaitedReader(until deadline: Instant) throws(LinkError) -> String {
    let readers = try PCSCService.readers()
    let meant = readers.filter { $0.name.lowercased().contains(name.lowercased()) }
    let isExact = readers.contains { $0.name == name }
    guard meant.count > 1, !isExact, meant.allSatisfy({ $0.card == nil }) else { return try reader() }
    Console.note("Waiting for a card at one of \(meant.map(\.name).joined(separator: ", ")) ...")
    let monitor = try PCSCMonitor(clock: clock)
    while let event = try monitor.next(timeout: max(deadline - clock.now, .zero)) {
      if case .cardInserted = event.change, meant.contains(where: { $0.name == event.reader }) { return event.reader }
    }
    return try reader()
  }

  /// The reader that the name means; of several, such as the slots of one device, the one with a card in it.
  func reader() throws(LinkError) -> String {
    let readers = try PCSCService.readers()
    let wanted = name.lowercased()
    let occupied = readers.filter { $0.card != nil && $0.name.lowercased().contains(wanted) }.map(\.name)
    let isExact = readers.contains { $0.name == name }
    return try PCSCService.reader(
      matching: name, among: occupied.count == 1 && !isExact ? occupied : readers.map(\.name))
  }
}

extension PCSCChannel {
  /// A channel to the next card that stays in a reader for long enough to be opened. Blocks.
  static func next(
    in reader: String, until deadline: Instant, by clock: any MonotonicClock
  ) throws(LinkError) -> PCSCChannel {
    let monitor = try PCSCMonitor(clock: clock)
    while true {
      _ = try monitor.waitForCard(in: reader, timeout: max(deadline - clock.now, .zero), clock: clock)
      do throws(LinkError) {
        return try PCSCChannel(reader: reader)
      } catch {
        guard error.code == .cardRemoved else { throw error }
      }
    }
  }
}

extension PCSCTap {
  /// Waits until the reader is empty. Blocks.
  ///
  /// - Throws: `LinkError.Code.timedOut` for a card that stays.
  func waitForRemoval() throws(LinkError) {
    let reader: String
    do throws(LinkError) {
      reader = try self.reader()
    } catch {
      // A virtual reader may go together with its card.
      if error.code == .readerUnavailable { return }
      throw error
    }
    guard try PCSCService.isEmpty(reader, until: clock.now + timeout, by: clock) else {
      throw LinkError(
        .timedOut, "the card was not taken away from \(reader) in \(timeout): take it away, or use --card-stays")
    }
  }
}

extension PCSCService {
  /// Waits until no card is in a reader. Whether that came in time. Blocks.
  static func isEmpty(_ reader: String, until deadline: Instant, by clock: any MonotonicClock) throws(LinkError) -> Bool
  {
    while try readers().contains(where: { $0.name == reader && $0.card != nil }) {
      guard clock.now < deadline else { return false }
      pause(for: .milliseconds(100))
    }
    return true
  }
}
