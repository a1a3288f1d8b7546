import EMVTerminal
import Foundation
import Links
import Octets
import PCSCReader
import PaymentAcceptance
import Transcripts

/// A tap at an ACR122 reader whose chip is driven directly: waits for a card and takes a payment from it.
struct ACR122Tap: Sendable {
  let name: String
  let timeout: Duration
  private let clock = SystemClock()

  init(name: String, timeout: Duration) {
    self.name = name
    self.timeout = timeout
  }

  /// Takes the payment with the first card that answers. Blocks.
  ///
  /// A card that is gone before its first answer was only brushed past the reader: the next one is waited for.
  func run(_ request: PaymentRequest, at terminal: TerminalSide) throws(LinkError) -> TerminalSide.Result {
    let device = try ACR122Device(matching: name)
    let farewell = Farewell(to: device)
    defer {
      farewell.end()
      device.close()
    }
    Console.note("Waiting for a card at \(device.reader) ...")
    if terminal.restarts.count > 0 {
      return terminal.accept(request) { ACR122Field(device: device, clock: clock, recording: $0) }
    }
    let deadline = clock.now + timeout
    while true {
      let channel = try ACR122Channel(device, timeout: max(deadline - clock.now, .zero))
      let result = terminal.accept(request, over: channel)
      guard case .failure(let failure) = result.outcome, result.exchanges.allSatisfy({ $0.response == nil }),
        failure.linkError?.code == .cardRemoved, clock.now < deadline
      else { return result }
    }
  }
}

/// The field of an ACR122 reader. It cannot tell a card that stays from one that comes back: it is powered anew.
struct ACR122Field: CardField {
  let device: ACR122Device
  let clock: any MonotonicClock
  let recording: Recording

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    let deadline = clock.now + timeout
    Thread.sleep(forTimeInterval: Double(min(hold, timeout).nanoseconds) / 1e9)
    let channel = try ACR122Channel(device, timeout: max(deadline - clock.now, .zero))
    var recorder = RecordingChannel(channel, clock: clock, recording: recording)
    visitor.visit(&recorder)
    recorder.close()
  }
}

extension ACR122Device {
  /// Opens the reader that a name given by a person means.
  convenience init(matching name: String) throws(LinkError) {
    try self.init(reader: PCSCService.reader(matching: name))
  }
}
