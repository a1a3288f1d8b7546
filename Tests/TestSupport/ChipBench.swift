import Fixtures
import Foundation
import Links
public import ReaderSimulator
import Testing
public import USBSimulator

/// Readers with chips at a simulated USB bus, and the field of their chips, until their owner is released.
public final class ChipBench: Sendable {
  /// The bus.
  public let bus: SimulatedUSBBus
  /// The readers, in the order of their files.
  public let readers: [SimulatedUSBDevice]
  /// The field of their chips.
  public let field: ReaderSimulator
  private let thread: DedicatedThread<Void, LinkError>
  private let scratch: Scratch

  /// Plugs readers in.
  ///
  /// - Parameters:
  ///   - files: The names of files in `Fixtures/Readers`.
  ///   - drivers: For each interface of each reader that a kernel driver takes, the name of the driver.
  public init(
    _ layout: SimulatedField.Layout, _ files: [String], timing: FieldTiming = FieldTiming(waitingTimeDivisor: 4),
    faults: FieldFaultPlan = .none, drivers: [Int: String] = [:], card: ScriptedResponder = ChannelContract.responder()
  ) throws {
    scratch = try Scratch()
    bus = try SimulatedUSBBus()
    readers = try files.map {
      try ReaderDocument(parsing: Array(Fixtures.data("Readers/\($0).json"))).device()
    }
    field = try ReaderSimulator(layout, of: readers, timing: timing, faults: faults)
    thread = serving(field, card)
    for reader in readers { try bus.plug(reader, drivers: drivers) }
  }

  deinit { end() }

  /// Ends the chips, and the bus after the programs at it. A second call has no effect.
  public func end() {
    for reader in readers { bus.unplug(reader) }
    field.stop()
    try? thread.join()
    bus.close()
  }

  /// The names of the readers in libnfc.
  public var connstrings: [String] { readers.compactMap(bus.connstring(of:)) }

  /// A program that starts another one at the bus: `tap-nfc` inherits the environment of the tests.
  public func atBus(_ program: String) throws -> String {
    let variables = bus.environment.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    let path = try scratch.write("at-bus", "#!/bin/sh\nexec env \(variables) \(program) \"$@\"\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    return path
  }

  /// Starts a program of libnfc at a reader; without a number, at those that it finds itself.
  public func start(_ program: String, _ arguments: [String] = [], at reader: Int? = nil) throws -> ProgramRun {
    var environment = bus.environment
    if let reader { environment["LIBNFC_DEVICE"] = connstrings[reader] }
    environment["LIBNFC_AUTO_SCAN"] = reader == nil ? "true" : "false"
    return try ProgramRun(program, arguments, environment: environment)
  }

  /// Runs a program of libnfc to its end.
  public func run(_ program: String, _ arguments: [String] = [], at reader: Int? = nil) throws -> ProgramRun {
    let run = try start(program, arguments, at: reader)
    #expect(try run.finish() == .exited(0), "\(run.output)\(run.errors)")
    return run
  }
}
