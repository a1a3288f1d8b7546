import Foundation
import Links
import NFCReader
import Octets
import ReaderSimulator

/// Two chips that run as long as their owner lives, the terminal's and the card's. libnfc serves both.
final class ChipPair: Sendable {
  enum Departure: String, CaseIterable, Sendable {
    /// The terminal deselects the card and switches its field off.
    case deselect
    /// The card is torn out of the field.
    case tear
  }

  let simulator: ReaderSimulator
  let reader: NFCDevice
  let target: NFCDevice
  private let thread: DedicatedThread<Void, LinkError>

  init() throws {
    let simulator = try ReaderSimulator(.pair, timing: FieldTiming(waitingTimeDivisor: 8))
    thread = DedicatedThread(named: "chips") { () throws(LinkError) in try simulator.run() }
    reader = try NFCProgram.device(simulator.connstrings[0])
    target = try NFCProgram.device(simulator.connstrings[1])
    self.simulator = simulator
  }

  deinit {
    simulator.stop()
    _ = try? thread.join(timeout: .seconds(20))
  }

  /// Sends commands and leaves, on a thread of its own.
  ///
  /// - Returns: The responses.
  func tap(_ commands: [String], _ departure: Departure) async throws -> [String] {
    let octets = try commands.map { try [UInt8](hex: $0) }
    return try await DedicatedThread(named: "terminal") { [self] () throws(LinkError) in
      let channel = try NFCChannel(reader, timeout: .seconds(600))
      var responses: [String] = []
      try exchange(octets, departure, over: channel, into: &responses)
      return responses
    }.value()
  }

  /// Sends commands to a card and leaves it.
  func exchange(
    _ commands: [[UInt8]], _ departure: Departure, over channel: consuming NFCChannel, into responses: inout [String]
  ) throws(LinkError) {
    for command in commands { responses.append(try channel.response(to: command)) }
    if departure == .tear { simulator.setCoupled(false) }
    channel.close()
    if departure == .tear { simulator.setCoupled(true) }
  }
}

extension CardChannel where Self: ~Copyable {
  /// Sends a command and returns the response in hexadecimal digits.
  mutating func response(to command: [UInt8]) throws(LinkError) -> String {
    var room = [UInt8](repeating: 0, count: 258)
    let count = try room.withMutableOctets { (room) throws(LinkError) in
      try self.transmit(command.span, into: &room)
    }
    return Array(room[..<count]).hex
  }
}

/// tap-nfc by another name: the tests of NFCReader, which run in this process too, end and count every tap-nfc.
enum NFCProgram {
  private static let path: String = {
    let path = NFCDevice.defaultProgram + "-tests"
    try? FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: NFCDevice.defaultProgram)
    return path
  }()

  static func device(_ connstring: String) throws(LinkError) -> NFCDevice { try NFCDevice(connstring, program: path) }
}
