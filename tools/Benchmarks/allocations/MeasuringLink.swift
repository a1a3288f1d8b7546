import CAllocationCounter
import Foundation
import ISO7816
import Links
import Octets
import Synchronization

/// One measured command.
struct Measurement {
  let name: String
  let command: [UInt8]
  /// Whether the expected status word is 9000.
  let succeeds: Bool
  /// How often the command is sent.
  let iterations: Int
}

/// A link that sends the measured commands to its card and counts the allocations of each.
///
/// The card belongs to a verified session that armed it in the usual way.
final class MeasuringLink: EmulationLink {
  private let measurements: [Measurement]
  private let counts = Mutex<[UInt64]>([])

  init(_ measurements: [Measurement]) { self.measurements = measurements }

  /// The number of heap allocations of each measurement, over all its iterations.
  var allocations: [UInt64] { counts.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let instant = SystemClock().now
    responder.fieldChanged(.powered, at: instant)
    var results = [UInt64](repeating: 0, count: measurements.count)
    for (index, measurement) in measurements.enumerated() {
      let before = thread_allocation_count()
      var iteration = 0
      while iteration < measurement.iterations {
        let count = buffer.withMutableOctets {
          responder.respond(to: measurement.command.span, at: instant, into: &$0)
        }
        guard (buffer[count - 2] == 0x90 && buffer[count - 1] == 0x00) == measurement.succeeds else {
          print("FAILED: \(measurement.name): the card returned another status word")
          exit(EXIT_FAILURE)
        }
        responder.responseSent()
        iteration += 1
      }
      results[index] = thread_allocation_count() - before
    }
    counts.withLock { $0 = results }
    responder.fieldChanged(.lost, at: instant)
  }

  func stop() {}
}
