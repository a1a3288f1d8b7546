import EMVTerminal
import Foundation
import Links
import NFCReader
import Octets
import PaymentAcceptance
import Transcripts

/// A tap at an NFC device that libnfc drives: waits for a card and takes a payment from it.
struct NFCTap: Sendable {
  let connstring: String
  let timeout: Duration
  private let clock = SystemClock()

  init(connstring: String, timeout: Duration) {
    self.connstring = connstring
    self.timeout = timeout
  }

  /// Takes the payment with the first card that answers. Blocks.
  ///
  /// A card that is gone before its first answer was only brushed past the reader: the next one is waited for.
  func run(_ request: PaymentRequest, at terminal: TerminalSide) throws(LinkError) -> TerminalSide.Result {
    let device = try NFCDevice.opened(connstring)
    Console.note("Waiting for a card at \(device.name) ...")
    if terminal.restarts.count > 0 {
      return terminal.accept(request) { NFCField(device: device, clock: clock, recording: $0) }
    }
    let deadline = clock.now + timeout
    while true {
      let channel = try NFCChannel(device, timeout: max(deadline - clock.now, .zero))
      let result = terminal.accept(request, over: channel)
      guard case .failure(let failure) = result.outcome, result.exchanges.allSatisfy({ $0.response == nil }),
        failure.linkError?.code == .cardRemoved, clock.now < deadline
      else { return result }
    }
  }
}

extension NFCDevice {
  /// How long a program that was just ended may need to leave its device in order.
  private static let leaving = Duration.seconds(5)

  /// Opens a device, and waits a little for a program that still holds it. Blocks.
  static func opened(_ connstring: String) throws(LinkError) -> NFCDevice {
    let deadline = ContinuousClock.now + leaving
    var isTold = false
    while true {
      do throws(LinkError) {
        return try NFCDevice(connstring)
      } catch {
        guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
        if !isTold { Console.note("\(error). Waiting for it ...") }
        isTold = true
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }
}

/// The field of an NFC device. It cannot tell a card that stays from one that comes back: it is powered anew.
struct NFCField: CardField {
  let device: NFCDevice
  let clock: any MonotonicClock
  let recording: Recording

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    let deadline = clock.now + timeout
    Thread.sleep(forTimeInterval: Double(min(hold, timeout).nanoseconds) / 1e9)
    let channel = try NFCChannel(device, timeout: max(deadline - clock.now, .zero))
    var recorder = RecordingChannel(channel, clock: clock, recording: recording)
    visitor.visit(&recorder)
    recorder.close()
  }
}
