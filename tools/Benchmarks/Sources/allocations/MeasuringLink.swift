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
  /// Whether the answer must be 9000.
  let succeeds: Bool
  /// How many times it is sent and counted.
  let iterations: Int
  /// The octet of the answer that the card writes last, in a command with which it tells its session something: what is
  /// taken afterwards is the session's. Nil to count everything.
  let lastOctet: Int?
}

/// A link that drives the card it is given on its own thread and counts what each command allocates.
///
/// The card is a verified session's own, armed in the ordinary way: there is no other.
final class MeasuringLink: EmulationLink {
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
    for (index, measurement) in measurements.enumerated() {
      if let octet = measurement.lastOctet { Self.watch(octet, of: &buffer) }
      let before = thread_allocation_count()
      var iteration = 0
      while iteration < measurement.iterations {
        let count = buffer.withMutableOctets {
          responder.respond(to: measurement.command.span, at: instant, into: &$0)
        }
        guard (buffer[count - 2] == 0x90 && buffer[count - 1] == 0x00) == measurement.succeeds else {
          print("FAILED: \(measurement.name): the card answered otherwise")
          exit(EXIT_FAILURE)
        }
        iteration += 1
      }
      let all = thread_allocation_count() - before
      results[index] = measurement.lastOctet == nil ? all : thread_allocation_watched_count()
      thread_allocation_watch(nil)
    }
    counts.withLock { $0 = results }
    responder.fieldChanged(.lost, at: instant)
  }

  // The buffer is this function's caller's alone and keeps its place for as long as it is watched.
  private static func watch(_ octet: Int, of buffer: inout [UInt8]) {
    buffer.withUnsafeMutableBufferPointer { octets in
      octets.update(repeating: 0)
      thread_allocation_watch(octets.baseAddress.map { UnsafePointer($0 + octet) })
    }
  }

  func stop() {}
}
