import CAllocationCounter
import ISO7816
import Links
import Octets
import Synchronization

/// One measured command.
struct Measurement {
  let name: String
  let command: [UInt8]
  /// Whether the answer must be 9000.
  let succeeds: Bool
}

/// A link that drives the card it is given on its own thread and counts what each command allocates.
///
/// The card is a verified session's own, armed in the ordinary way: there is no other.
final class MeasuringLink: EmulationLink {
  static let iterations = 1_000

  private let measurements: [Measurement]
  private let counts = Mutex<[UInt64]>([])

  init(_ measurements: [Measurement]) { self.measurements = measurements }

  /// Heap blocks taken by each measurement, all iterations together.
  var allocations: [UInt64] { counts.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let instant = SystemClock().now
    responder.fieldChanged(.powered, at: instant)
    var results = [UInt64](repeating: 0, count: measurements.count)
    // A command once and, as repetition is the steady state, again and again; the first may wake the session.
    for (index, measurement) in measurements.enumerated() {
      let isOnce = measurement.name == "GET PROCESSING OPTIONS"
      if index == 0 { _ = answer(&responder, measurement.command, instant, &buffer) }
      if measurement.name.hasPrefix("READ RECORD, last") {
        _ = answer(&responder, measurement.command, instant, &buffer)
      }
      let before = thread_allocation_count()
      var iteration = 0
      while iteration < (isOnce ? 1 : Self.iterations) {
        let isOK = answer(&responder, measurement.command, instant, &buffer)
        guard isOK == measurement.succeeds else { fatalError("\(measurement.name): the card answered otherwise") }
        iteration += 1
      }
      results[index] = thread_allocation_count() - before
    }
    counts.withLock { $0 = results }
    responder.fieldChanged(.lost, at: instant)
  }

  private func answer<Responder: CommandResponder & ~Copyable>(
    _ responder: inout Responder, _ command: [UInt8], _ instant: Instant, _ buffer: inout [UInt8]
  ) -> Bool {
    let count = buffer.withMutableOctets { responder.respond(to: command.span, at: instant, into: &$0) }
    return buffer[count - 2] == 0x90 && buffer[count - 1] == 0x00
  }

  func stop() {}
}
