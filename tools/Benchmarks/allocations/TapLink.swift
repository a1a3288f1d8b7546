import CAllocationCounter
import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Synchronization

/// The heap blocks of one payment beside those of its card and link, which need none.
struct PaymentBlocks {
  /// Verification, reservation of a use, arming and the start of the session.
  let arming: Int
  /// The terminal, without its host.
  let terminal: Int
  /// The session's events and its end.
  let events: Int
  /// The data objects that the terminal received, nested ones included.
  let dataObjects: Int
}

/// A link at whose other end a terminal takes one payment, on the thread of the card.
final class TapLink: EmulationLink {
  private struct Tap {
    let blocksBefore: UInt64
    /// On the thread of the card and the terminal.
    let terminalBlocks: UInt64
    let exchanges: [Exchange]
  }

  private let terminal: PaymentAcceptance
  private let request: PaymentRequest
  private let tap = Mutex<Tap?>(nil)

  init(_ request: PaymentRequest, at configuration: TerminalConfiguration) {
    terminal = PaymentAcceptance(configuration: configuration, host: ApprovingHost())
    self.request = request
  }

  /// - Parameters:
  ///   - begun: The blocks of the process before the session.
  ///   - ended: Those after its end.
  func blocks(from begun: UInt64, to ended: UInt64) -> PaymentBlocks? {
    guard let tap = tap.withLock({ $0 }) else { return nil }
    return PaymentBlocks(
      arming: Int(tap.blocksBefore - begun), terminal: Int(tap.terminalBlocks),
      events: Int(ended - tap.blocksBefore - tap.terminalBlocks),
      dataObjects: tap.exchanges.reduce(0) { $0 + Self.dataObjects(in: $1.response ?? []) })
  }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let before = (process: process_allocation_count(), thread: thread_allocation_count())
    var channel = DirectChannel(consume responder)
    let result = terminal.result(of: request, over: &channel)
    responder = channel.end()
    let blocks = thread_allocation_count() - before.thread
    guard case .success(let receipt) = result, receipt.outcome.kind == .approved else {
      throw LinkError(.protocolViolation, "the payment was not approved: \(result)")
    }
    tap.withLock {
      $0 = Tap(blocksBefore: before.process, terminalBlocks: blocks, exchanges: receipt.exchanges)
    }
  }

  func stop() {}

  private static func dataObjects(in response: [UInt8]) -> Int {
    count(response.span.extracting(droppingLast: min(2, response.count)))
  }

  private static func count(_ octets: Span<UInt8>) -> Int {
    var reader = TLVReader(octets)
    var sum = 0
    while let object = try? reader.next() {
      sum += 1
      if object.isConstructed { sum += count(octets.extracting(object.value)) }
    }
    return sum
  }
}

/// A host that approves at once.
private struct ApprovingHost: AuthorizationHost {
  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse { .approved(code: "000001") }
}
